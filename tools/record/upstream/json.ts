/** Access to requests of unknown shape: what is missing or of another type is the empty value. */
export type Json = Readonly<Record<string, unknown>>;

export const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const objectsIn = (value: unknown): readonly Json[] =>
  Array.isArray(value) ? value.filter(isObject) : [];

export const wordsOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** Content that is a string or a list of blocks with `text`. */
export const contentText = (content: unknown): string =>
  typeof content === 'string'
    ? content
    : objectsIn(content)
        .map((block) => wordsOf(block['text']))
        .filter((text) => text !== '')
        .join('\n');
