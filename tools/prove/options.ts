/**
 * What `npm run prove -- …` is asked.
 *
 * Decides: the form of the arguments. A mistake is one sentence, with the usage below it.
 */
export const USAGE = `npm run prove -- --test FILE[:NAME] --base REV --guard FILE:LINE[-LINE]

  --test FILE[:NAME]       the regression test; may be given several times
  --base REV               the commit without the fix
  --guard FILE:LINE[-LINE] the lines that fix it, as they are now; may be given several times
  --guard-replace TEXT     what stands in their place in the fourth run (default: nothing)
  --copy FILE              a further file that the test needs on the base (a fixture)
  --allow-missing          on the base the test may fail because what it imports is not there`;

export type Guard = { readonly file: string; readonly first: number; readonly last: number };
export type Wanted = { readonly file: string; readonly name: string | undefined };

export type ProveOptions = {
  readonly tests: readonly Wanted[];
  readonly base: string;
  readonly guards: readonly Guard[];
  readonly guardReplace: string | undefined;
  readonly copies: readonly string[];
  readonly allowMissing: boolean;
};

/** The options, or a sentence about what is wrong. */
export function parseOptions(argv: readonly string[]): ProveOptions | string {
  const given = new Map<string, string[]>();
  let allowMissing = false;
  for (let at = 0; at < argv.length; at += 1) {
    const flag = argv[at] ?? '';
    if (flag === '--allow-missing') {
      allowMissing = true;
      continue;
    }
    const value = argv[at + 1];
    if (!['--test', '--base', '--guard', '--guard-replace', '--copy'].includes(flag)) {
      return `'${flag}' is no option.`;
    }
    if (value === undefined) return `${flag} needs a value.`;
    given.set(flag, [...(given.get(flag) ?? []), value]);
    at += 1;
  }
  const guards = (given.get('--guard') ?? []).map(parseGuard);
  const wrong = guards.find((guard) => typeof guard === 'string');
  if (wrong !== undefined) return wrong as string;
  const base = given.get('--base')?.at(-1);
  const tests = (given.get('--test') ?? []).map(parseTest);
  if (base === undefined || tests.length === 0 || guards.length === 0) {
    return '--test, --base and --guard are all needed.';
  }
  return {
    tests,
    base,
    guards: guards as Guard[],
    guardReplace: given.get('--guard-replace')?.at(-1),
    copies: given.get('--copy') ?? [],
    allowMissing,
  };
}

function parseTest(text: string): Wanted {
  const match = /^(.+?\.test\.tsx?)(?::(.+))?$/.exec(text);
  return { file: match?.[1] ?? text, name: match?.[2] };
}

function parseGuard(text: string): Guard | string {
  const match = /^(.+):(\d+)(?:-(\d+))?$/.exec(text);
  if (match === null) return `'${text}' is not FILE:LINE or FILE:LINE-LINE.`;
  const first = Number(match[2]);
  const last = Number(match[3] ?? match[2]);
  if (first < 1 || last < first) return `'${text}': lines count from 1, and the last is not first.`;
  return { file: match[1] ?? '', first, last };
}
