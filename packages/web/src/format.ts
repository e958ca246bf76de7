/**
 * How things are written on the page: dates, counts, text that may hold anything.
 */

/** Control characters and the marks that reorder text, made visible. */
export function safeText(text: string): string {
  return text.replace(
    /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g,
    '\ufffd',
  );
}

export function dayOf(iso: string | null): string {
  if (iso === null) return 'No date';
  return new Date(iso).toLocaleDateString(undefined, {
    weekday: 'short',
    year: 'numeric',
    month: 'short',
    day: 'numeric',
  });
}

export function timeOf(iso: string | null): string {
  if (iso === null) return 'no date';
  return new Date(iso).toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'short' });
}

export const count = (n: number, one: string): string =>
  `${n.toLocaleString()} ${one}${n === 1 ? '' : 's'}`;

export function firstLine(text: string, max = 120): string {
  const line = safeText(text.trim().split('\n', 1)[0] ?? '');
  return line.length > max ? `${line.slice(0, max - 1)}…` : line;
}

export type Piece = { readonly text: string; readonly hit: boolean };

/** The text in pieces; words that begin with a matched stem are hits. */
export function markMatches(text: string, stems: readonly string[]): Piece[] {
  const wanted = stems.filter((stem) => stem.length > 2).map((stem) => stem.toLowerCase());
  const pieces: Piece[] = [];
  let from = 0;
  for (const match of text.matchAll(/[\p{L}\p{N}_]+/gu)) {
    const word = match[0].toLowerCase();
    if (!wanted.some((stem) => word.startsWith(stem))) continue;
    if (match.index > from) pieces.push({ text: text.slice(from, match.index), hit: false });
    pieces.push({ text: match[0], hit: true });
    from = match.index + match[0].length;
  }
  if (from < text.length) pieces.push({ text: text.slice(from), hit: false });
  return pieces;
}
