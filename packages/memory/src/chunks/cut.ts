/**
 * Cutting a long text into passages.
 *
 * Decides: where. Prose is cut after a sentence, code and output after a line; a cut never falls
 * inside a surrogate pair. Spans are in order, cover every character that is not white space, and
 * overlap only where `overlapChars` says so.
 */
import { assert } from '@quipu/base';

export type Span = { readonly start: number; readonly end: number };

export type CutOptions = {
  readonly charsMax: number;
  readonly overlapChars: number;
  readonly by: 'sentence' | 'line';
};

export function cutText(text: string, options: CutOptions): Span[] {
  assert(options.overlapChars * 2 < options.charsMax, 'the overlap is less than half a passage');
  const spans: Span[] = [];
  let start = 0;
  while (start < text.length) {
    const end =
      text.length - start <= options.charsMax
        ? text.length
        : cutAt(text, start, start + options.charsMax, options.by);
    const span = trimmed(text, start, end);
    if (span !== undefined) spans.push(span);
    start = end >= text.length ? end : overlapStart(text, start, end, options.overlapChars);
  }
  return spans;
}

/** The best place to cut in the second half of [start, latest]. */
function cutAt(text: string, start: number, latest: number, by: CutOptions['by']): number {
  const earliest = start + Math.ceil((latest - start) / 2);
  const slice = text.slice(earliest, latest);
  const places = by === 'line' ? [BLANK_LINE, LINE_END, SPACE] : [SENTENCE_END, LINE_END, SPACE];
  for (const place of places) {
    const at = lastEnd(slice, place);
    if (at > 0) return earliest + at;
  }
  return isHighSurrogate(text, latest - 1) ? latest - 1 : latest;
}

const BLANK_LINE = /\n[ \t]*\n/g;
const LINE_END = /\n/g;
const SPACE = /\s/g;
const SENTENCE_END = /[.!?…]["')\]]*\s|[。！？]|\n[ \t]*\n/g;

function lastEnd(text: string, place: RegExp): number {
  let end = 0;
  for (const match of text.matchAll(place)) end = match.index + match[0].length;
  return end;
}

/** Goes back over whole lines, as far as the overlap allows. */
function overlapStart(text: string, start: number, end: number, overlapChars: number): number {
  if (overlapChars === 0) return end;
  const from = Math.max(start + 1, end - overlapChars);
  const line = text.indexOf('\n', from - 1);
  return line >= 0 && line + 1 < end ? line + 1 : end;
}

function trimmed(text: string, from: number, to: number): Span | undefined {
  let start = from;
  let end = to;
  while (start < end && isSpace(text, start)) start += 1;
  while (end > start && isSpace(text, end - 1)) end -= 1;
  return start < end ? { start, end } : undefined;
}

const isSpace = (text: string, at: number): boolean => /\s/.test(text.charAt(at));

function isHighSurrogate(text: string, at: number): boolean {
  const unit = text.charCodeAt(at);
  return unit >= 0xd800 && unit <= 0xdbff;
}
