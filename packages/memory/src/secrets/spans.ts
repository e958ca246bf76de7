/**
 * Spans: where a secret stands in a text, and the text with placeholders in their place.
 *
 * Decides: how overlapping finds become one (their union, named by the most specific), the form of
 * a placeholder, and that a placeholder is never searched: `mask` blanks it, length kept, so that
 * redaction of what is redacted finds nothing.
 */
export type Span = {
  readonly start: number;
  /** Exclusive. */
  readonly end: number;
  readonly kind: string;
  /** 2: known by its own form; 1: known by where it stands; 0: by its randomness alone. */
  readonly certainty: 0 | 1 | 2;
};

export type Counts = Record<string, number>;

const PLACEHOLDER = /\[redacted:[a-z0-9-]{1,40}\]/g;

export const placeholder = (kind: string): string => `[redacted:${kind}]`;

/** The text with each placeholder blanked by NUL characters, at the same length. */
export function mask(text: string): string {
  if (!text.includes('[redacted:')) return text;
  return text.replace(PLACEHOLDER, (found) => '\0'.repeat(found.length));
}

/** Sorted, without overlaps: spans that overlap become their union. */
export function mergeSpans(spans: readonly Span[]): Span[] {
  const sorted = [...spans].filter((s) => s.end > s.start).sort((a, b) => a.start - b.start);
  const merged: Span[] = [];
  for (const span of sorted) {
    const last = merged.at(-1);
    if (last === undefined || span.start >= last.end) {
      merged.push(span);
      continue;
    }
    const named = better(last, span);
    merged[merged.length - 1] = {
      start: last.start,
      end: Math.max(last.end, span.end),
      kind: named.kind,
      certainty: named.certainty,
    };
  }
  return merged;
}

function better(a: Span, b: Span): Span {
  if (a.certainty !== b.certainty) return a.certainty > b.certainty ? a : b;
  return b.end - b.start > a.end - a.start ? b : a;
}

/** Replaces merged spans; adds them to `counts`. A placeholder that touches a span stays whole. */
export function applySpans(text: string, spans: readonly Span[], counts: Counts): string {
  if (spans.length === 0) return text;
  const pieces: string[] = [];
  let at = 0;
  for (const span of spans) {
    pieces.push(text.slice(at, span.start), placeholder(span.kind));
    counts[span.kind] = (counts[span.kind] ?? 0) + 1;
    at = span.end;
  }
  pieces.push(text.slice(at));
  return pieces.join('');
}

/** Spans cut around the blanked placeholders, so that none is swallowed or counted twice. */
export function outsidePlaceholders(masked: string, spans: readonly Span[]): Span[] {
  if (!masked.includes('\0')) return [...spans];
  const kept: Span[] = [];
  for (const span of spans) {
    let start = span.start;
    while (start < span.end) {
      while (start < span.end && masked[start] === '\0') start += 1;
      let end = start;
      while (end < span.end && masked[end] !== '\0') end += 1;
      if (end > start) kept.push({ ...span, start, end });
      start = end;
    }
  }
  return kept;
}
