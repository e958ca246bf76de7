/**
 * Passages: a message's parts as what the indexes hold.
 *
 * Decides: how each kind of part is cut, and what of a very long one is ranked. Who spoke, when,
 * and which tool stay fields of the message; they are never mixed into the text.
 *
 *   text, reasoning   up to 65,536 characters ranked, the rest bulk
 *   tool_call         its arguments as `name: value` lines
 *   tool_result       whole up to 8,192; beyond: head, tail, error lines ranked, the rest bulk
 *
 * Bulk passages are in the substring index alone: one log of a megabyte neither drowns the words
 * of a project nor gets lost.
 */
import type { Part } from '@quipu/store';
import { cutText, type Span } from './cut.ts';
import {
  BULK_CHARS,
  BULK_OVERLAP_CHARS,
  MESSAGE_PASSAGES_MAX,
  OUTPUT_ERRORS_CHARS,
  OUTPUT_HEAD_CHARS,
  OUTPUT_TAIL_CHARS,
  OVERLAP_CHARS_MAX,
  PASSAGE_CHARS_MAX,
  RANKED_OUTPUT_CHARS_MAX,
  RANKED_TEXT_CHARS_MAX,
  WHOLE_CHARS_MAX,
} from './limits.ts';

export type PassageKind = 'text' | 'reasoning' | 'tool_call' | 'tool_result';

export type Passage = {
  readonly partOrdinal: number;
  readonly ordinal: number;
  readonly kind: PassageKind;
  /** Offsets in the part's readable text. */
  readonly start: number;
  readonly end: number;
  readonly ranked: boolean;
  readonly text: string;
};

export function passagesOf(parts: readonly Part[]): Passage[] {
  const passages: Passage[] = [];
  parts.forEach((part, partOrdinal) => {
    if (part.type === 'image_ref') return;
    const text = readableText(part);
    const { ranked, bulk } = spansOf(part, text);
    let ordinal = 0;
    const add = (span: Span, isRanked: boolean): void => {
      if (passages.length >= MESSAGE_PASSAGES_MAX) return;
      passages.push({
        partOrdinal,
        ordinal,
        kind: part.type,
        start: span.start,
        end: span.end,
        ranked: isRanked,
        text: text.slice(span.start, span.end),
      });
      ordinal += 1;
    };
    for (const span of ranked) add(span, true);
    for (const span of bulk) add(span, false);
  });
  return passages;
}

/** A part as a person would read it: a call's arguments without JSON's quotes and escapes. */
export function readableText(part: Exclude<Part, { type: 'image_ref' }>): string {
  if (part.type !== 'tool_call') return part.text;
  const head = part.tool === '' ? '' : `${part.tool}\n`;
  let input: unknown;
  try {
    input = JSON.parse(part.input);
  } catch {
    return `${head}${part.input}`;
  }
  return `${head}${argumentLines(input, '').join('\n')}`;
}

function argumentLines(value: unknown, name: string): string[] {
  if (typeof value !== 'object' || value === null) {
    return [name === '' ? String(value) : `${name}: ${String(value)}`];
  }
  return Object.entries(value).flatMap(([key, item]) =>
    argumentLines(item, Array.isArray(value) ? name : key),
  );
}

type Spans = { readonly ranked: readonly Span[]; readonly bulk: readonly Span[] };

function spansOf(part: Part, text: string): Spans {
  if (text.length <= WHOLE_CHARS_MAX) {
    return { ranked: cutText(text, { ...PROSE, charsMax: WHOLE_CHARS_MAX }), bulk: [] };
  }
  if (part.type === 'tool_result' && text.length > RANKED_OUTPUT_CHARS_MAX) return longOutput(text);
  const options = part.type === 'tool_result' || part.type === 'tool_call' ? LINES : PROSE;
  if (text.length <= RANKED_TEXT_CHARS_MAX) return { ranked: cutText(text, options), bulk: [] };
  return {
    ranked: cutText(text.slice(0, RANKED_TEXT_CHARS_MAX), options),
    bulk: shifted(cutText(text.slice(RANKED_TEXT_CHARS_MAX), BULK), RANKED_TEXT_CHARS_MAX),
  };
}

const PROSE = { charsMax: PASSAGE_CHARS_MAX, overlapChars: 0, by: 'sentence' } as const;
const LINES = {
  charsMax: PASSAGE_CHARS_MAX,
  overlapChars: OVERLAP_CHARS_MAX,
  by: 'line',
} as const;
const BULK = { charsMax: BULK_CHARS, overlapChars: BULK_OVERLAP_CHARS, by: 'line' } as const;

function longOutput(text: string): Spans {
  const tailAt = text.length - OUTPUT_TAIL_CHARS;
  const head = cutText(text.slice(0, OUTPUT_HEAD_CHARS), LINES);
  const tail = shifted(cutText(text.slice(tailAt), LINES), tailAt);
  const errors = errorSpans(text, OUTPUT_HEAD_CHARS, tailAt);
  return { ranked: [...head, ...errors, ...tail], bulk: cutText(text, BULK) };
}

const shifted = (spans: readonly Span[], by: number): Span[] =>
  spans.map((span) => ({ start: span.start + by, end: span.end + by }));

const ABOUT_ERRORS =
  /error|fail|exception|panic|fatal|traceback|denied|not found|refused|timed? ?out/i;

/** Lines of the middle that speak of errors, each with the line after it, up to the limit. */
function errorSpans(text: string, from: number, to: number): Span[] {
  const spans: Span[] = [];
  let taken = 0;
  let lineStart = from;
  while (lineStart < to && taken < OUTPUT_ERRORS_CHARS) {
    const lineEnd = endOfLine(text, lineStart, to);
    if (
      ABOUT_ERRORS.test(text.slice(lineStart, Math.min(lineEnd, lineStart + PASSAGE_CHARS_MAX)))
    ) {
      const end = Math.min(endOfLine(text, lineEnd + 1, to), lineStart + PASSAGE_CHARS_MAX, to);
      spans.push(...shifted(cutText(text.slice(lineStart, end), LINES), lineStart));
      taken += end - lineStart;
      lineStart = Math.max(end, lineEnd) + 1;
    } else {
      lineStart = lineEnd + 1;
    }
  }
  return spans;
}

function endOfLine(text: string, from: number, limit: number): number {
  const end = text.indexOf('\n', Math.min(from, limit));
  return end < 0 || end > limit ? limit : end;
}
