/**
 * Private key blocks: PEM, OpenSSH, PGP, PuTTY.
 *
 * Decides: from BEGIN to END, over real line ends or their escapes (`\n` in JSON), with line
 * numbers or quote marks before each line. A block that was cut short ends where it stops looking
 * like a key; a tail without its beginning is followed back as far as it looks like one.
 */

import { PRIVATE_KEY_CHARS_MAX } from './limits.ts';
import { pattern } from './pattern.ts';
import type { Span } from './spans.ts';

const BEGIN =
  /-{4,5} ?BEGIN (?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)? ?-{4,5}|PuTTY-User-Key-File-\d/g;
const END = pattern(
  'g',
  '-{4,5} ?END (?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)? ?-{4,5}|',
  'Private-MAC: ?[0-9a-f]{32,64}',
);

/** A line of key material, its end (real or escaped), and what programs print before a line. */
const BODY = pattern(
  'y',
  String.raw`(?:[A-Za-z0-9+/=]{1,100}|\\+[nrt]|[\s"',+>|│→:]|(?:Proc-Type|DEK-Info|Version|`,
  String.raw`Comment|Hash): ?[^\n\\]{0,80})`,
);

export function findPrivateKeys(text: string): Span[] {
  if (!text.includes('PRIVATE KEY') && !text.includes('PuTTY-User-Key-File')) return [];
  const ends = [...text.matchAll(END)].map((m) => ({ start: m.index, end: m.index + m[0].length }));
  const spans: Span[] = [];
  let covered = 0;
  let next = 0;
  for (const begin of text.matchAll(BEGIN)) {
    if (begin.index < covered) continue;
    const after = begin.index + begin[0].length;
    while (next < ends.length && (ends[next]?.start ?? 0) < after) next += 1;
    const close = ends[next];
    const whole = close !== undefined && close.start - begin.index <= PRIVATE_KEY_CHARS_MAX;
    const end = whole ? close.end : bodyEnd(text, after);
    if (!hasMaterial(text.slice(after, whole ? close.start : end))) continue;
    spans.push({ start: begin.index, end, kind: 'private-key', certainty: 2 });
    covered = end;
  }
  let floor = 0;
  for (const close of ends) {
    const from = floor;
    floor = close.end;
    if (spans.some((span) => span.start <= close.start && close.end <= span.end)) continue;
    const start = bodyStart(text, close.start, from);
    if (!hasMaterial(text.slice(start, close.start))) continue;
    spans.push({ start, end: close.end, kind: 'private-key', certainty: 2 });
  }
  return spans;
}

/** Talk about keys has the markers but no key; one line of a key is at least this long. */
function hasMaterial(body: string): boolean {
  return /[A-Za-z0-9+/]{24}/.test(body);
}

function bodyEnd(text: string, from: number): number {
  let at = from;
  let end = from;
  const limit = Math.min(text.length, from + PRIVATE_KEY_CHARS_MAX);
  while (at < limit) {
    BODY.lastIndex = at;
    const found = BODY.exec(text);
    if (found === null) break;
    at += found[0].length;
    if (/[A-Za-z0-9+/=]{16}/.test(found[0])) end = at;
    if (isProse(text, at)) break;
  }
  // The last, short line of the key.
  const tail = /^(?:\\+[nrt]|[\s>|│])*[A-Za-z0-9+/]{1,64}={0,2}(?=\s|\\|["']|$)/.exec(
    text.slice(end, Math.min(limit, end + 96)),
  );
  return tail !== null && end > from && /[0-9+/=]/.test(tail[0]) ? end + tail[0].length : end;
}

/** Two short words in a row are not key material. */
function isProse(text: string, at: number): boolean {
  return /^[ \t\n]?[A-Za-z]{1,14}[ \t,.][A-Za-z]{1,14}[ \t,.\n]/.test(text.slice(at, at + 34));
}

function bodyStart(text: string, from: number, floor: number): number {
  const limit = Math.max(floor, from - PRIVATE_KEY_CHARS_MAX);
  const lines = text.slice(limit, from).split(/(?<=\n|\\n)/);
  let start = from;
  for (let i = lines.length - 1; i >= 0; i -= 1) {
    const line = lines[i] ?? '';
    const stripped = line
      .replace(/^[\s>|│→\d"',+]{0,16}/, '')
      .replace(/(?:\\+[nr]|["',+\s])*$/, '');
    if (stripped !== '' && !/^[A-Za-z0-9+/]{8,100}={0,2}$/.test(stripped)) break;
    start -= line.length;
  }
  return start;
}
