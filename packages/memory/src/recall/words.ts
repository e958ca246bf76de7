/**
 * The closed lists behind terms: words that carry no content, forms that no stemmer joins, words of
 * a question that speak about memory itself.
 *
 * Decides: vocabulary only; `terms.ts` says how it is used. Changing a list changes stored terms:
 * raise `TERMS_VERSION` there.
 */

const words = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/));

/** Never terms, neither of a passage nor of a query. Parts of contractions are among them. */
export const STOP_WORDS = words(`
a about above after again against all also am an and any anyone anything are aren as at be because
been before being below between both but by can cannot could couldn d did didn do does doesn doing
don done down during each either else ever every everyone everything few for from further get gets
getting go goes going gonna got gotta had hadn has hasn have haven having he her here hers herself
hey hi hello him himself his how however i if in into is isn it its itself just know let like ll lot
lots m ma made make makes making many may maybe me might more most much must my myself need needn no
nor not now of off oh ok okay on once one only onto or other others our ours ourselves out over own
per please quite rather re really right s said same say says see seem seems shall shan she should
shouldn since so some someone something still such sure t than that the their theirs them themselves
then there these they thing things think this those though through to too toward under until up upon
us very via wanna want wants was wasn way we well were weren what whatever when where whether which
while who whom whose why will with within without won would wouldn wow y yeah yep yes yet you your
yours yourself yourselves
`);

/**
 * Words of a query that ask for a form of answer, not for content. Dropped when enough others
 * remain.
 */
export const META_WORDS = words(`
answer conversation conversations describe detail details discuss discussed discussion explain find
give information list listed mention mentioned mentions name names order question recall remember
remind search show summarise summarize summary tell told talk talked talking kind kinds type types
various different certain specific according
`);

const IRREGULAR_FORMS = `
went gone going>go  ran running>run  bought>buy  brought>bring  thought>think  taught>teach
caught>catch  found>find  felt>feel  kept>keep  left>leave  lost>lose  met>meet  paid>pay  sent>send
sold>sell  told>tell  spent>spend  slept>sleep  stood>stand  understood>understand  won>win
wrote written>write  spoke spoken>speak  broke broken>break  chose chosen>choose  drove driven>drive
ate eaten>eat  fell fallen>fall  flew flown>fly  forgot forgotten>forget  gave given>give
grew grown>grow
knew known>know  rode ridden>ride  rose risen>rise  saw seen>see  shook shaken>shake
sang sung>sing
swam swum>swim  took taken>take  threw thrown>throw  wore worn>wear  began begun>begin
drank drunk>drink  drew drawn>draw  became>become  came>come  held>hold  heard>hear  built>build
led>lead  lent>lend  meant>mean  dealt>deal  dreamt>dream  hung>hang  hid hidden>hide  laid>lay
lit>light  made>make  rang rung>ring  said>say  sat>sit  shot>shoot  shown>show  sought>seek
stole stolen>steal  struck>strike  stuck>stick  swore sworn>swear  swept>sweep  tore torn>tear
woke woken>wake  wound>wind  bit bitten>bite  blew blown>blow  bent>bend  bound>bind  fed>feed
fought>fight  froze frozen>freeze  got gotten>get  dug>dig  fled>flee  sank sunk>sink  spun>spin
crept>creep  knelt>kneel  learnt>learn  wept>weep  proven>prove  sewn>sew  done did>do
had has>have  was were been>be  children>child  men>man  women>woman  people>person  feet>foot
teeth>tooth  mice>mouse  geese>goose  wives>wife  knives>knife  leaves>leaf
better best>good  worse worst>bad  kids kid>child  mom mum mommy>mother  dad daddy>father
photos photo pic pics picture pictures>photo  movies movie>film  bike bikes>bicycle  tv>television
indices indexes>index  vertices>vertex  matrices>matrix  analyses>analysis  bytes>byte
`;

/** A form and the word it stands for, before stemming. */
export const IRREGULAR: ReadonlyMap<string, string> = new Map(
  IRREGULAR_FORMS.trim()
    .split(/\s{2,}|\n/)
    .flatMap((group) => {
      const [forms = '', base = ''] = group.split('>');
      return forms.split(' ').map((form) => [form, base] as const);
    })
    .filter(([form]) => form.length > 0),
);
