/**
 * Tokens that are known by their own form.
 *
 * Decides: one row a kind: literal beginnings (`hints`, looked for first because that is cheap) and
 * the pattern. Every pattern is linear: one literal, then classes that cannot be split in two ways.
 * `^` at its start asks for a break before the token (checked after the match: faster, and it knows
 * the breaks of escaped text).
 * Patterns do not insist on what stands before a long prefix: inside JSON a token may follow the
 * letters of an escape (`\n`), inside coloured output the `m` of a colour.
 *
 * Sources: the issuers' own documentation of their token formats.
 */
import { pattern } from './pattern.ts';
import type { Span } from './spans.ts';

export type TokenRule = {
  readonly kind: string;
  readonly hints: readonly string[];
  readonly pattern: RegExp;
  /** Nothing but a break may stand before it: the beginning is too short to be sure. */
  readonly open: boolean;
  /** What must stand before the match and belongs to it; ends in `$`. */
  readonly before?: RegExp;
};

/** What may stand right before an `open` token: no letter or digit, an escape, a colour. */
const BREAK = /(?:^|[^A-Za-z0-9]|\\[nrtbf]|\\u[0-9a-fA-F]{4}|\[[0-9;]{0,12}m|%[0-9A-F]{2})$/;

const CLOSE = '(?![A-Za-z0-9])';

const rule = (kind: string, hints: string, pattern: string, before?: RegExp): TokenRule => ({
  kind,
  hints: hints.split(' '),
  pattern: new RegExp(pattern.replace(/^\^/, ''), 'g'),
  open: pattern.startsWith('^') || before !== undefined,
  ...(before === undefined ? {} : { before }),
});

export const TOKEN_RULES: readonly TokenRule[] = [
  rule('github-token', 'ghp_ gho_ ghu_ ghs_ ghr_', 'gh[pousr]_[A-Za-z0-9]{30,255}'),
  rule('github-token', 'github_pat_', 'github_pat_[A-Za-z0-9_]{22,255}'),
  rule(
    'gitlab-token',
    'glpat- gldt- glrt- glptt- glcbt- glsoat- gloas- glagent- glft- glimt- glffct-',
    'gl(?:pat|dt|rt|ptt|cbt|soat|oas|agent|ft|imt|ffct)-[A-Za-z0-9_.-]{18,300}',
  ),
  rule('gitlab-token', 'GR1348941', 'GR1348941[A-Za-z0-9_-]{20,60}'),
  rule('slack-token', 'xox', 'xox[abceoprs](?:\\.xox[bp])?-[A-Za-z0-9-]{10,400}'),
  rule('slack-token', 'xapp-', 'xapp-\\d-[A-Za-z0-9-]{10,400}'),
  rule(
    'slack-webhook',
    'hooks.slack',
    'hooks\\.slack(?:-gov)?\\.com\\\\?/(?:services|workflows|triggers)\\\\?/' +
      '[A-Za-z0-9+/\\\\_-]{20,200}',
  ),
  rule('npm-token', 'npm_', 'npm_[A-Za-z0-9]{36,}'),
  rule('pypi-token', 'pypi-', 'pypi-[A-Za-z0-9_-]{50,1000}'),
  rule('anthropic-key', 'sk-ant-', 'sk-ant-[A-Za-z0-9_-]{20,400}'),
  rule('openrouter-key', 'sk-or-', 'sk-or-(?:v\\d-)?[A-Za-z0-9]{32,128}'),
  rule('openai-key', 'sk-', 'sk-(?:proj|svcacct|admin|None)-[A-Za-z0-9_-]{20,400}'),
  rule('openai-key', 'sk-', `^sk-[A-Za-z0-9]{32,128}`),
  rule('openai-key', 'sess-', `^sess-[A-Za-z0-9]{40}${CLOSE}`),
  rule('huggingface-token', 'hf_ api_org_', `^(?:hf|api_org)_[A-Za-z0-9]{30,64}${CLOSE}`),
  rule('groq-key', 'gsk_', `^gsk_[A-Za-z0-9]{40,80}`),
  rule('xai-key', 'xai-', `^xai-[A-Za-z0-9]{60,120}`),
  rule('replicate-token', 'r8_', `^r8_[A-Za-z0-9]{36,40}${CLOSE}`),
  rule('perplexity-key', 'pplx-', 'pplx-[A-Za-z0-9]{40,64}'),
  rule('aws-key-id', 'AKIA ASIA ABIA ACCA', `^A(?:KIA|SIA|BIA|CCA)[A-Z0-9]{16}${CLOSE}`),
  rule('google-key', 'AIza', 'AIza[A-Za-z0-9_-]{35}'),
  rule('google-token', 'ya29.', 'ya29\\.[A-Za-z0-9_-]{20,2000}'),
  rule('google-token', 'GOCSPX-', 'GOCSPX-[A-Za-z0-9_-]{20,60}'),
  rule('google-token', '1//0', `^1//0[A-Za-z0-9_-]{40,200}`),
  rule(
    'stripe-key',
    'sk_live_ sk_test_ rk_live_ rk_test_ pk_live_ pk_test_',
    '[srp]k_(?:live|test)_[A-Za-z0-9]{16,250}',
  ),
  rule('stripe-key', 'whsec_', 'whsec_[A-Za-z0-9+/]{24,100}'),
  rule('square-token', 'sq0', 'sq0[a-z]{3}-[A-Za-z0-9_-]{22,64}'),
  rule('square-token', 'EAAA', `^EAAA[A-Za-z0-9_-]{58,64}${CLOSE}`),
  rule('shopify-token', 'shp', 'shp(?:at|ca|pa|ss|tka)_[A-Fa-f0-9]{32,64}'),
  rule('sendgrid-key', 'SG.', `^SG\\.[A-Za-z0-9_-]{16,64}\\.[A-Za-z0-9_-]{16,100}`),
  rule('twilio-key', 'SK', `^SK[0-9a-f]{32}${CLOSE}`),
  rule('mailgun-key', 'key-', `^(?:pub)?key-[0-9a-f]{32}${CLOSE}`),
  rule('mailchimp-key', '-us', `-us\\d{1,2}${CLOSE}`, /[0-9a-f]{32}$/),
  rule('telegram-token', ':AA', `:AA[A-Za-z0-9_-]{32,34}${CLOSE}`, /\d{8,10}$/),
  rule(
    'discord-token',
    '',
    `\\.[A-Za-z0-9_-]{6}\\.[A-Za-z0-9_-]{27,40}${CLOSE}`,
    /[MNO][A-Za-z0-9_-]{22,28}$/,
  ),
  rule(
    'discord-webhook',
    'api/webhooks/ api\\/webhooks\\/',
    'api\\\\?/webhooks\\\\?/\\d{10,25}\\\\?/[A-Za-z0-9_-]{40,100}',
  ),
  rule('digitalocean-token', '_v1_', 'do[opr]_v1_[a-f0-9]{64}'),
  rule('databricks-token', 'dapi', `^dapi[a-f0-9]{32}(?:-\\d)?`),
  rule('heroku-key', 'HRKU-', 'HRKU-[A-Za-z0-9_-]{36,100}'),
  rule('onepassword-token', 'ops_', 'ops_eyJ[A-Za-z0-9_-]{40,4000}={0,2}'),
  rule('onepassword-key', 'A3-', `^A3-[A-Z0-9]{6}(?:-[A-Z0-9]{5,11}){4,6}${CLOSE}`),
  rule('vault-token', 'hvs. hvb. hvr.', 'hv[sbr]\\.[A-Za-z0-9_-]{24,300}'),
  rule('grafana-token', 'glsa_ glc_', 'gl(?:sa|c)_[A-Za-z0-9+/_=-]{32,400}'),
  rule('linear-key', 'lin_api_ lin_oauth_', 'lin_(?:api|oauth)_[A-Za-z0-9]{32,80}'),
  rule('notion-token', 'ntn_', `^ntn_[A-Za-z0-9]{40,60}`),
  rule('notion-token', 'secret_', `^secret_[A-Za-z0-9]{43}${CLOSE}`),
  rule('docker-token', 'dckr_', 'dckr_(?:pat|oat)_[A-Za-z0-9_-]{24,60}'),
  rule('figma-token', 'figd_ figu_', 'fig[dou]_[A-Za-z0-9_-]{36,60}'),
  rule('supabase-token', 'sbp_ sb_secret_', '(?:sbp|sb_secret)_[A-Za-z0-9_-]{28,60}'),
  rule('planetscale-token', 'pscale_', 'pscale_(?:tkn|pw|oauth)_[A-Za-z0-9_.-]{30,80}'),
  rule('netlify-token', 'nfp_', `^nfp_[A-Za-z0-9]{36,60}`),
  rule('postman-key', 'PMAK-', 'PMAK-[a-f0-9]{24}-[a-f0-9]{34}'),
  rule('newrelic-key', 'NRAK- NRII- NRJS-', 'NR(?:AK|II|JS)-[A-Za-z0-9_-]{19,40}'),
  rule('sentry-token', 'sntrys_ sntryu_', 'sntry[su]_[A-Za-z0-9+/=_-]{40,400}'),
  rule('doppler-token', 'dp.', `^dp\\.(?:pt|st|ct|sa|scim|audit)\\.[A-Za-z0-9._-]{36,80}`),
  rule('terraform-token', '.atlasv1.', '\\.atlasv1\\.[A-Za-z0-9_=-]{50,80}', /[A-Za-z0-9]{10,20}$/),
  rule('atlassian-token', 'ATATT3 ATBB ATCTT3', 'AT(?:ATT3|BB|CTT3)[A-Za-z0-9_=-]{24,400}'),
  rule('rubygems-key', 'rubygems_', 'rubygems_[a-f0-9]{48}'),
  rule('crates-token', 'cio', `^cio[A-Za-z0-9]{32}${CLOSE}`),
  rule('tailscale-key', 'tskey-', 'tskey-[a-z]{2,10}-[A-Za-z0-9-]{16,80}'),
  rule('fly-token', 'fm1_ fm2_ fm1r_', 'fm[12][ar]?_[A-Za-z0-9+/=_-]{60,1200}'),
  rule('pulumi-token', 'pul-', `^pul-[a-f0-9]{40}${CLOSE}`),
  rule('vercel-token', 'vcp_ vca_ vci_ vck_', `^vc[paick]_[A-Za-z0-9]{24,80}`),
  rule('age-key', 'AGE-SECRET-KEY-', 'AGE-SECRET-KEY-1[0-9A-Za-z]{30,64}'),
  rule(
    'jwt',
    'eyJ',
    '^eyJ[A-Za-z0-9_-]{8,1200}\\.(?:eyJ|[A-Za-z0-9_-]{4})[A-Za-z0-9_-]{4,16000}' +
      '(?:\\.[A-Za-z0-9_-]{6,4000})?',
  ),
  rule(
    'azure-key',
    'AccountKey= SharedAccessKey=',
    '(?<=(?:Account|SharedAccess)Key=)[A-Za-z0-9+/]{30,100}={0,2}',
  ),
  rule('azure-sas', 'sig=', '(?<=[?&;"\']sig=)[A-Za-z0-9%+/_-]{30,120}={0,2}'),
  rule('azure-secret', '8Q~', '8Q~[A-Za-z0-9_.~-]{31,34}', /[A-Za-z0-9_.~-]{3}$/),
];

/** What starts a token that may go on in the next line. */
export const TOKEN_START = pattern(
  '',
  '(?:gh[pousr]_|github_pat_|gl[a-z]{2,5}-|xox[abceoprs]-|xapp-|npm_|pypi-|sk-|hf_|gsk_|',
  String.raw`xai-|AKIA|ASIA|AIza|ya29\.|GOCSPX-|[srp]k_(?:live|test)_|whsec_|sq0|shp[a-z]{2,3}_|`,
  String.raw`SG\.|SK[0-9a-f]|key-|\d{8,10}:A|do[opr]_v1_|dapi|HRKU-|ops_|hv[sbr]\.|gls?[ac]_|`,
  'lin_api_|ntn_|dckr_|figd_|AGE-SECRET-KEY-|eyJ|EAAA|[MNO][A-Za-z0-9_-]{22}|',
  String.raw`AccountKey=|sig=|hooks\.slack|api/webhooks/)`,
);

/** All hints at once: one pass says which rules are worth running. */
const HINTS = hintPattern(TOKEN_RULES.flatMap((rule) => rule.hints));

function hintPattern(hints: readonly string[]): RegExp {
  const literal = (hint: string): string => hint.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&');
  const distinct = [...new Set(hints)].filter((hint) => hint !== '').sort();
  // The shortest of several that begin alike stands for all of them.
  const shortest = distinct.filter(
    (hint) => !distinct.some((o) => o !== hint && hint.startsWith(o)),
  );
  return new RegExp(shortest.map(literal).join('|'), 'g');
}

/** Rules by the beginning that `HINTS` reports; under '' those that are always run. */
const RULES_BY_HINT = rulesByHint();

function rulesByHint(): ReadonlyMap<string, readonly TokenRule[]> {
  const byHint = new Map<string, TokenRule[]>();
  for (const one of TOKEN_RULES) {
    for (const hint of one.hints) {
      const [found = ''] = hint.match(HINTS) ?? [];
      byHint.set(found, [...(byHint.get(found) ?? []), one]);
    }
  }
  return byHint;
}

function rulesFor(text: string): Set<TokenRule> {
  const rules = new Set(RULES_BY_HINT.get(''));
  const seen = new Set<string>();
  HINTS.lastIndex = 0;
  for (let hit = HINTS.exec(text); hit !== null; hit = HINTS.exec(text)) {
    // Hints may overlap: the next may begin inside this one.
    HINTS.lastIndex = hit.index + 1;
    if (seen.has(hit[0])) continue;
    seen.add(hit[0]);
    for (const one of RULES_BY_HINT.get(hit[0]) ?? []) rules.add(one);
  }
  return rules;
}

export function findTokens(text: string): Span[] {
  const spans: Span[] = [];
  for (const rule of rulesFor(text)) {
    for (const match of text.matchAll(rule.pattern)) {
      const start = tokenStart(text, match.index, rule);
      const end = match.index + match[0].length;
      if (start === undefined || isExample(text.slice(start, end))) continue;
      spans.push({ start, end, kind: rule.kind, certainty: 2 });
    }
  }
  return spans;
}

/** Characters that a `before` or a break needs at most. */
const BEFORE_CHARS = 40;

function tokenStart(text: string, at: number, rule: TokenRule): number | undefined {
  let start = at;
  if (rule.before !== undefined) {
    const found = rule.before.exec(text.slice(Math.max(0, at - BEFORE_CHARS), at));
    if (found === null) return undefined;
    start -= found[0].length;
  }
  if (rule.open && !BREAK.test(text.slice(Math.max(0, start - 14), start))) return undefined;
  return start;
}

/** `ghp_xxxxxxxx…`, `sk-your-key-here…`: what stands in documentation in a token's place. */
function isExample(token: string): boolean {
  if (/([xX*.0]){12}|(.)\2{11}/.test(token)) return true;
  return /(?:your|example|placeholder|my)[-_](?:api|key|token|secret)/i.test(token);
}
