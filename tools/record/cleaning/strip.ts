/**
 * Taking a recording apart from the machine and from the vendor.
 *
 * Decides: what of a recorded value stays. The home of the run is called `/home/dev`. Vendor text
 * (system prompts, descriptions of tools, listings of skills) gives way to a placeholder that says
 * how long it was, so that a fixture is small and free to hand on. What is vendor text is told by
 * what is known, not by a list of the vendor's phrases: prose that holds nothing of the script, of
 * the project or of what a command printed is the vendor's. A block in angle brackets keeps its
 * tag, by which readers know it. Lists of tools keep the names.
 *
 * Does not decide which files are kept (`Program.keeps`).
 */

/** Prose of so many words and more is the vendor's unless it is known; shorter labels stay. */
const FOREIGN_WORDS_MIN = 14;
/** A known text shorter than this proves nothing: `}` stands everywhere. */
const KNOWN_CHARS_MIN = 12;
/** Share of a line that known text covers at least, where the line is not the vendor's. */
const KNOWN_SHARE_MIN = 0.3;

export type Known = {
  /** Lines of the script, the project and the settings, and what stands in quotes in them. */
  readonly texts: readonly string[];
  /** Replacements for the machine's own paths, longest first: from, to. */
  readonly paths: readonly (readonly [string, string])[];
};

export function knownFrom(
  texts: readonly string[],
  paths: readonly (readonly [string, string])[],
): Known {
  const known = new Set<string>();
  for (const line of texts.flatMap((text) => text.split('\n'))) {
    known.add(line.trim());
    for (const [, , quoted = ''] of line.matchAll(/(['"`])(.*?)\1/g)) known.add(quoted.trim());
  }
  const longestFirst = [...paths].sort((a, b) => b[0].length - a[0].length);
  return {
    texts: [...known].filter((text) => text.length >= KNOWN_CHARS_MIN),
    paths: longestFirst,
  };
}

export function renamed(text: string, known: Known): string {
  return known.paths.reduce((held, [from, to]) => held.replaceAll(from, to), text);
}

/** A JSON value without the machine and the vendor. */
export function strippedValue(value: unknown, known: Known): unknown {
  if (typeof value === 'string') return strippedText(renamed(value, known), known);
  if (Array.isArray(value)) {
    return isToolList(value)
      ? value.map(namesOnly)
      : value.map((item) => strippedValue(item, known));
  }
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [renamed(key, known), strippedValue(item, known)]),
  );
}

function strippedText(text: string, known: Known): string {
  const nested = nestedJson(text);
  if (nested !== undefined) {
    const stripped = JSON.stringify(strippedValue(nested, known));
    return stripped === JSON.stringify(nested) ? text : stripped;
  }
  const inner = text.replace(
    TAGGED,
    (_whole, tag: string, body: string) => `<${tag}>${withoutForeign(body, known)}</${tag}>`,
  );
  return withoutForeign(inner, known);
}

/** Every run of lines without known text and with so many words gives way to a placeholder. */
function withoutForeign(text: string, known: Known): string {
  const kept: string[] = [];
  let run: string[] = [];
  const endRun = (): void => {
    const held = run.join('\n');
    kept.push(...(wordsIn(held) >= FOREIGN_WORDS_MIN ? [placeholder(held)] : run));
    run = [];
  };
  for (const line of text.split('\n')) {
    if (!isKnown(line, known)) {
      run.push(line);
      continue;
    }
    endRun();
    kept.push(line);
  }
  endRun();
  return kept.join('\n');
}

/** `<system-reminder>…</system-reminder>`: what a program puts beside a person's words. */
const TAGGED = /<([a-z][a-z_-]*)>([\s\S]*?)<\/\1>/g;

/** The object or list in a string that holds nothing else; undefined otherwise. */
function nestedJson(text: string): unknown {
  if (!/^\s*[[{]/.test(text)) return undefined;
  try {
    return JSON.parse(text) as unknown;
  } catch (failure) {
    if (failure instanceof SyntaxError) return undefined;
    throw failure;
  }
}

/** Words stand between blanks: a path of many names is one, and no prose. */
const wordsIn = (text: string): number =>
  text.replace(PLACEHOLDER, '').match(/\S*\p{L}{2}\S*/gu)?.length ?? 0;

function isKnown(line: string, known: Known): boolean {
  const longest = known.texts
    .filter((text) => line.includes(text))
    .reduce((length, text) => Math.max(length, text.length), 0);
  return longest > 0 && longest >= line.trim().length * KNOWN_SHARE_MIN;
}

const PLACEHOLDER = /\[vendor text left out: \d+ bytes\]/g;

const placeholder = (text: string): string =>
  `[vendor text left out: ${Buffer.byteLength(text)} bytes]`;

type ToolLike = { readonly name?: unknown; readonly function?: { readonly name?: unknown } };

const isToolList = (items: readonly unknown[]): boolean =>
  items.length > 0 &&
  items.every((item) => typeof item === 'object' && item !== null && isTool(item));

const TOOL_KEYS = [
  'input_schema',
  'parameters',
  'inputSchema',
  'parametersJsonSchema',
  'schema',
  'function',
];

const isTool = (item: object): boolean => TOOL_KEYS.some((key) => key in item);

function namesOnly(item: unknown): object {
  const { name, function: inner } = item as ToolLike;
  return { name: name ?? inner?.name ?? '' };
}
