/**
 * Secrets inside base64.
 *
 * Decides: a run of base64 (on one line, or wrapped over lines of equal length) whose bytes are
 * readable text is opened and searched; if a secret is in it, the whole run goes. Bytes that are
 * not text (images, archives) are left at the first glance. A run may carry a few characters that
 * belong to what stands before it, so all four alignments are tried.
 */
import { BASE64_DEPTH_MAX, BASE64_RUN_CHARS_MAX, BASE64_RUN_CHARS_MIN } from './limits.ts';
import { pattern } from './pattern.ts';
import type { Span } from './spans.ts';

const RUN = pattern(
  'g',
  `[A-Za-z0-9+/_-]{${BASE64_RUN_CHARS_MIN},}`,
  String.raw`(?:(?:\r?\n|\\n)[ \t]{0,8}[A-Za-z0-9+/_-]{4,})*={0,2}`,
);
/** Characters decoded to tell text from bytes; whole groups of four. */
const GLANCE_CHARS = 64;

/** `search` is the whole detector, applied to what was decoded. */
export function findEncoded(
  text: string,
  depth: number,
  search: (decoded: string, depth: number) => readonly Span[],
): Span[] {
  if (depth >= BASE64_DEPTH_MAX) return [];
  const spans: Span[] = [];
  for (const match of text.matchAll(RUN)) {
    const found = openRun(match[0].slice(0, BASE64_RUN_CHARS_MAX), depth, search);
    if (found === undefined) continue;
    spans.push({
      start: match.index,
      end: match.index + match[0].length,
      kind: found,
      certainty: 2,
    });
  }
  return spans;
}

function openRun(
  run: string,
  depth: number,
  search: (decoded: string, depth: number) => readonly Span[],
): string | undefined {
  const whole = run.includes('\n') ? run.replace(/(?:\r?\n|\\n)[ \t]*/g, '') : run;
  const variants = whole === run ? [run] : [whole, ...run.split(/(?:\r?\n|\\n)[ \t]*/)];
  for (const variant of variants) {
    for (let skip = 0; skip < 4; skip += 1) {
      const decoded = decodeText(variant.slice(skip));
      if (decoded === undefined) continue;
      const kind = search(decoded, depth + 1)[0]?.kind;
      if (kind !== undefined) return kind;
    }
  }
  return undefined;
}

function decodeText(run: string): string | undefined {
  const glance = Buffer.from(run.slice(0, GLANCE_CHARS), 'base64');
  if (glance.length < 8 || !isText(glance)) return undefined;
  return Buffer.from(run, 'base64').toString('utf8');
}

/** ASCII, or UTF-8 as far as a first look tells; no control characters but blanks. */
function isText(bytes: Buffer): boolean {
  for (const byte of bytes) {
    if (byte === 9 || byte === 10 || byte === 13) continue;
    if (byte < 32 || byte > 126) return false;
  }
  return true;
}
