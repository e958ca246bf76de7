/**
 * Recognising what Quipu printed without its tags: copied by hand, shown by a person's terminal.
 *
 * Decides: the digest of a printed line counts only together with the line above it that cites a
 * message or session id. A line alone is never recognised: recall prints what people wrote, and
 * their own message must not vanish because it was once found.
 */
import { digestOf } from '@quipu/base';

const LINE_BREAK = /\r?\n|\\{1,32}r\\{1,32}n|\\{1,32}n/;
const CITATION = /\b(?:msg|ses)_[0-9a-z]{16}\b/;
/** Lines without a match that may lie between lines of one citation (blank ones do not count). */
const STRANGERS_MAX = 1;

/** What to keep in `recall_outputs` for a text that Quipu is about to print. */
export function outputDigests(text: string): string[] {
  const digests = new Set<string>();
  let citation = '';
  for (const line of text.split(LINE_BREAK).map(normalise)) {
    if (line === '') continue;
    if (CITATION.test(line)) citation = line;
    if (citation !== '') digests.add(lineDigest(citation, line));
  }
  return [...digests];
}

/** The text without lines that are known as printed; `removed` counts them. */
export function stripPrinted(
  text: string,
  isKnown: (digest: string) => boolean,
): { readonly text: string; readonly removed: number } {
  if (!CITATION.test(text)) return { text, removed: 0 };
  const kept: string[] = [];
  let removed = 0;
  let citation = '';
  let strangers = 0;
  for (const piece of splitKeepingBreaks(text)) {
    const line = normalise(piece);
    if (CITATION.test(line)) {
      citation = isKnown(lineDigest(line, line)) ? line : '';
      strangers = 0;
      if (citation !== '') removed += 1;
      else kept.push(piece);
      continue;
    }
    if (citation === '') {
      kept.push(piece);
      continue;
    }
    if (line === '') continue;
    if (isKnown(lineDigest(citation, line))) {
      removed += 1;
      continue;
    }
    strangers += 1;
    if (strangers > STRANGERS_MAX) citation = '';
    kept.push(piece);
  }
  return { text: kept.join(''), removed };
}

const lineDigest = (citation: string, line: string): string =>
  digestOf('recall-output', citation, line).slice(0, 32);

function splitKeepingBreaks(text: string): string[] {
  return text.split(/(?<=\n)|(?<=(?<!\\)(?:\\{1,32})n)/);
}

/** What nesting does to a line is undone as far as it matters: escapes, marks, colours, blanks. */
function normalise(line: string): string {
  const bare = line
    .replace(/(?:\u001b|\\{1,32}u001b|\\{1,32}x1b)\[[0-9;]{0,16}m/g, '')
    .replace(/\\{1,32}[nr]$/, '')
    .replace(/&(?:amp;)*lt;|\\{1,32}u003c/g, '<')
    .replace(/&(?:amp;)*gt;|\\{1,32}u003e/g, '>')
    .replace(/&(?:amp;)*(?:quot|#34|#39|apos);/g, '"')
    .replace(/&(?:amp;)+/g, '&')
    .replace(/\\{1,32}(["'/])/g, '$1')
    .replace(/\\{1,32}t/g, ' ')
    .replace(/^(?:[\s>│┃|*"'`]|\d{1,7}(?:→|\t))+/, '')
    .replace(/^(?:[[{]{1,3}(?:"[\w-]{1,40}": ?)?")+/, '');
  return withoutTail(bare).replace(/\s+/g, ' ').toLowerCase();
}

const TAIL = /["'`\s}\]]/;

/** Looked at from the end: an expression would begin anew at each place of a long run. */
function withoutTail(line: string): string {
  let end = line.length;
  while (end > 0 && TAIL.test(line.charAt(end - 1))) end -= 1;
  return line.slice(0, end);
}
