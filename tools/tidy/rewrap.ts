/**
 * Comment lines that are too wide, wrapped.
 *
 * Decides: only running text in comments is touched. Words that do not fit move to the next line of
 * the same paragraph, or to a new one; pictures, tables, lists and code keep their lines'
 * beginnings.
 */
import { LINE_COLUMNS_MAX } from './limits.ts';

const RUNNING = /^(\s*(?:\*|\/\/) )(\S.*)$/;
/** What begins a line of its own: a list item, a tag, a table, deeper indentation. */
const OWN_LINE = /^(?:[-*•|@#]|\d+[.)] )/;

export function rewrapped(text: string): string {
  const lines = text.split('\n');
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at] ?? '';
    const match = RUNNING.exec(line);
    if (match === null || [...line].length <= LINE_COLUMNS_MAX) continue;
    const prefix = match[1] ?? '';
    const cut = cutOf(line, prefix.length);
    if (cut === -1) continue;
    const rest = line.slice(cut + 1);
    lines[at] = line.slice(0, cut);
    const next = RUNNING.exec(lines[at + 1] ?? '');
    if (next !== null && next[1] === prefix && !OWN_LINE.test(next[2] ?? '')) {
      lines[at + 1] = `${prefix}${rest} ${next[2]}`;
    } else {
      lines.splice(at + 1, 0, prefix + rest);
    }
  }
  return lines.join('\n');
}

/** The last space at which the line fits; never inside the prefix. */
function cutOf(line: string, from: number): number {
  const fits = [...line].slice(0, LINE_COLUMNS_MAX + 1).join('');
  const cut = fits.lastIndexOf(' ');
  return cut < from ? -1 : cut;
}
