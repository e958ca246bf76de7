/**
 * Identifiers: names that code gives to things, kept whole.
 *
 * Decides: what counts as one (`snake_case`, `kebab-case`, `camelCase`, `a.b.c`, `src/a.ts`,
 * `TS2345`, `v1.2.3`, `@scope/name`), and that a path is also known by its last one and two
 * components and without a line number. Split forms are ordinary terms (`terms.ts`).
 */

const CANDIDATE = /[\p{L}\p{N}_$@#./\\:-]+/gu;
const EDGES = /^[./:\\#-]+(?=[./:\\#-])|[./:\\#-]+$/g;
const LEADING = /^(?:[:#\\-]+|\.+(?=[^./]))/;
const SHAPES: readonly RegExp[] = [
  /[\p{L}\p{N}]_[\p{L}\p{N}]|^_[\p{L}]/u,
  /[\p{L}\p{N}][-/.:]+[\p{L}\p{N}]/u,
  /[a-z][A-Z]|[A-Z]{2}[a-z]/,
  /\p{L}\d|\d\p{L}/u,
  /^[@/]\p{L}/u,
  /^[A-Z]{4,}$/,
];
const CHARS_MIN = 3;
const CHARS_MAX = 200;
const PER_TEXT_MAX = 128;
const PLAIN_NUMBER = /^[\d.,:/-]+$/;
const LINE_NUMBER = /:\d+(?::\d+)?$/;

/** Lower-case identifiers of a text, each once, in order of appearance. */
export function identifiersOf(text: string): string[] {
  const found = new Set<string>();
  for (const [candidate] of text.matchAll(CANDIDATE)) {
    if (found.size >= PER_TEXT_MAX) break;
    const whole = candidate.replace(EDGES, '').replace(LEADING, '').replaceAll('\\', '/');
    if (!isIdentifier(whole)) continue;
    for (const form of formsOf(whole.toLowerCase())) found.add(form);
  }
  return [...found];
}

function isIdentifier(text: string): boolean {
  if (text.length < CHARS_MIN || text.length > CHARS_MAX) return false;
  if (PLAIN_NUMBER.test(text) && !/^\d+\.\d+\.\d+/.test(text)) return false;
  return SHAPES.some((shape) => shape.test(text));
}

function formsOf(whole: string): string[] {
  const plain = whole.replace(LINE_NUMBER, '');
  const forms = [plain];
  if (plain !== whole) forms.push(whole);
  const components = plain.split('/').filter((component) => component !== '');
  if (components.length > 1) {
    forms.push(components.slice(-1).join('/'));
    if (components.length > 2) forms.push(components.slice(-2).join('/'));
  }
  return forms.filter((form) => form.length >= CHARS_MIN);
}
