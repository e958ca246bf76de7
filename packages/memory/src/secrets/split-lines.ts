/**
 * Secrets that were split: by a backslash at the line's end, by quotes that are joined again
 * (`"abc" + "def"`), by the edge of a terminal.
 *
 * Decides: a second view of the text in which such breaks are left out, and the way back from its
 * positions. A plain line end is left out only where a token that is known by its beginning stands
 * at it and what follows looks like the rest of one: prose after a token is not swallowed.
 */
import { pattern } from './pattern.ts';
import type { Span } from './spans.ts';
import { TOKEN_START } from './token-rules.ts';
import { isRandom } from './values.ts';

const JOINED_QUOTES = pattern(
  'y',
  String.raw`\\?(["'\`])[ \t]*(?:[+&.]|\.\.|<>)?[ \t]*(?:\\[ \t]*)?(?:\r?\n|\\n)?[ \t]*(?:[+&.]|`,
  String.raw`\.\.|<>)?[ \t]*\\?\1`,
);
const CONTINUED = /\\\\?\r?\n[ \t]*/y;
const WRAPPED = /[ \t]*[│|]?[ \t]*\r?\n[ \t>]*[│|]?[ \t]*/y;
const TOKEN_CHAR = /[A-Za-z0-9_.+/=~%-]/;
const REACH_CHAR = /[A-Za-z0-9_.+/=~%:-]/;
const LINE_TOKEN = /[A-Za-z0-9_.+/=~%:-]{1,4096}/y;
/** How far back the beginning of a token is looked for. */
const TOKEN_REACH_CHARS = 2_048;

type Cut = { readonly start: number; readonly end: number };

export type JoinedView = {
  readonly text: string;
  /** A span of the view as a span of the original (breaks within it included). */
  readonly toOriginal: (span: Span) => Span;
};

/** How much of the text on each side of a break belongs to its view, in characters. */
const AROUND_CHARS = 4_096;

/** One view for each neighbourhood of breaks; what is far from any break is in none. */
export function joinedViews(text: string): JoinedView[] {
  const groups: Cut[][] = [];
  for (const cut of findCuts(text)) {
    const last = groups.at(-1);
    if (last !== undefined && cut.start - (last.at(-1)?.end ?? 0) < AROUND_CHARS) last.push(cut);
    else groups.push([cut]);
  }
  return groups.map((cuts) => {
    const from = Math.max(0, (cuts[0]?.start ?? 0) - AROUND_CHARS);
    const to = Math.min(text.length, (cuts.at(-1)?.end ?? 0) + AROUND_CHARS);
    return viewOf(text, cuts, from, to);
  });
}

function viewOf(text: string, cuts: readonly Cut[], from: number, to: number): JoinedView {
  const pieces: string[] = [];
  const viewStarts: number[] = [];
  const originalStarts: number[] = [];
  let at = from;
  let length = 0;
  for (const cut of [...cuts, { start: to, end: to }]) {
    pieces.push(text.slice(at, cut.start));
    viewStarts.push(length);
    originalStarts.push(at);
    length += cut.start - at;
    at = cut.end;
  }
  const originalOf = (position: number): number => {
    let low = 0;
    let high = viewStarts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((viewStarts[middle] ?? 0) <= position) low = middle;
      else high = middle - 1;
    }
    return (originalStarts[low] ?? 0) + position - (viewStarts[low] ?? 0);
  };
  return {
    text: pieces.join(''),
    toOriginal: (span) => ({
      ...span,
      start: originalOf(span.start),
      end: originalOf(span.end - 1) + 1,
    }),
  };
}

function findCuts(text: string): Cut[] {
  const cuts: Cut[] = [];
  const breaks = /["'`\n]/g;
  for (let hit = breaks.exec(text); hit !== null; hit = breaks.exec(text)) {
    const cut = hit[0] === '\n' ? lineCut(text, hit.index, cuts.at(-1)) : quoteCut(text, hit.index);
    if (cut === undefined || cut.start < (cuts.at(-1)?.end ?? 0)) continue;
    cuts.push(cut);
    breaks.lastIndex = cut.end;
  }
  return cuts;
}

function quoteCut(text: string, at: number): Cut | undefined {
  const start = text[at - 1] === '\\' ? at - 1 : at;
  if (!TOKEN_CHAR.test(text[start - 1] ?? '')) return undefined;
  JOINED_QUOTES.lastIndex = start;
  const found = JOINED_QUOTES.exec(text);
  if (found === null || found[0].length < 3) return undefined;
  const end = start + found[0].length;
  return TOKEN_CHAR.test(text[end] ?? '') ? { start, end } : undefined;
}

function lineCut(text: string, newline: number, previous: Cut | undefined): Cut | undefined {
  const back = text[newline - 1] === '\r' ? newline - 1 : newline;
  if (text[back - 1] === '\\') {
    const start = text[back - 2] === '\\' ? back - 2 : back - 1;
    CONTINUED.lastIndex = start;
    const found = CONTINUED.exec(text);
    return found === null ? undefined : { start, end: start + found[0].length };
  }
  let start = back;
  while (start > 0 && back - start < 16 && /[ \t│|]/.test(text[start - 1] ?? '')) start -= 1;
  WRAPPED.lastIndex = start;
  const found = WRAPPED.exec(text);
  if (found === null) return undefined;
  const end = start + found[0].length;
  LINE_TOKEN.lastIndex = end;
  const rest = LINE_TOKEN.exec(text)?.[0] ?? '';
  if (!looksLikeRest(rest)) return undefined;
  return startsToken(text, start, previous) ? { start, end } : undefined;
}

/** Digits among letters, or capitals inside: not how a line of prose or code begins. */
function looksLikeRest(token: string): boolean {
  if (token.length < 3 || /^[-=.]+$/.test(token)) return false;
  if (/^[0-9a-f]{8,}$/i.test(token)) return true;
  return (
    (/\d/.test(token) && /[A-Za-z]/.test(token) && !/[:=]/.test(token.slice(0, -2))) ||
    isRandom(token, 3) ||
    (token.length >= 4 && /[a-z][A-Z]/.test(token) && !/[.:]/.test(token))
  );
}

/** Whether the token that ends at `end` is known by its beginning, over earlier cuts too. */
function startsToken(text: string, end: number, previous: Cut | undefined): boolean {
  let start = end;
  while (start > 0 && end - start < TOKEN_REACH_CHARS && REACH_CHAR.test(text[start - 1] ?? '')) {
    start -= 1;
  }
  if (start === end) return false;
  if (TOKEN_START.test(text.slice(start, end))) return true;
  return previous !== undefined && previous.end === start;
}
