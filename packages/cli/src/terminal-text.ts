/**
 * Text for a terminal.
 *
 * Decides: what memory holds is never obeyed by the terminal: control characters and escape
 * sequences are shown, not sent. Colours only where a person looks and has not said no.
 */

export type Style = 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan';

const CODES: Readonly<Record<Style, readonly [number, number]>> = {
  bold: [1, 22],
  dim: [2, 22],
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
  cyan: [36, 39],
};

export type Paint = (style: Style, text: string) => string;

/** Follows NO_COLOR and FORCE_COLOR, then whether the stream is a terminal. */
export function createPaint(
  stream: { readonly isTTY?: boolean | undefined },
  env: Readonly<Record<string, string | undefined>>,
): Paint {
  const forced = env['FORCE_COLOR'] !== undefined && env['FORCE_COLOR'] !== '0';
  const refused = env['NO_COLOR'] !== undefined && env['NO_COLOR'] !== '';
  const on = forced || (!refused && stream.isTTY === true && env['TERM'] !== 'dumb');
  return (style, text) => {
    const [start, end] = CODES[style];
    return on ? `\u001b[${start}m${text}\u001b[${end}m` : text;
  };
}

/** C0 and C1 controls but line end and tab, and the marks that reorder text. */
const UNSAFE =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** The text with everything a terminal would act on made visible. */
export function safeText(text: string): string {
  return text.replace(UNSAFE, (character) => {
    const code = character.codePointAt(0) ?? 0;
    if (code < 0x20) return String.fromCodePoint(0x2400 + code);
    if (code === 0x7f) return '\u2421';
    return '\ufffd';
  });
}

/** One line: white space folded, at most `width` characters. */
export function oneLine(text: string, width: number): string {
  const line = safeText(text.replace(/\s+/g, ' ').trim());
  const characters = [...line];
  return characters.length <= width ? line : `${characters.slice(0, width - 1).join('')}…`;
}

/** Words wrapped at `width`; existing line ends are kept. */
export function wrapText(text: string, width: number): string[] {
  return safeText(text)
    .split('\n')
    .flatMap((line) => wrapLine(line, width));
}

function wrapLine(line: string, width: number): string[] {
  const lines: string[] = [];
  let rest = line;
  while ([...rest].length > width) {
    const head = [...rest].slice(0, width + 1).join('');
    const space = head.lastIndexOf(' ');
    const cut = space > width / 3 ? space : [...rest].slice(0, width).join('').length;
    lines.push(rest.slice(0, cut).trimEnd());
    rest = rest.slice(cut).trimStart();
  }
  lines.push(rest);
  return lines;
}

/** `3 min ago`, `yesterday`, `2026-05-31`, from ISO 8601 times. */
export function relativeTime(iso: string | null, nowMs: number): string {
  if (iso === null) return 'no date';
  const seconds = Math.round((nowMs - Date.parse(iso)) / 1000);
  if (seconds < 0) return iso.slice(0, 10);
  if (seconds < 60) return 'just now';
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ago`;
  if (seconds < 86_400) return `${Math.floor(seconds / 3600)} h ago`;
  const days = Math.floor(seconds / 86_400);
  if (days === 1) return 'yesterday';
  return days < 7 ? `${days} days ago` : iso.slice(0, 10);
}

/** `1 message`, `2,000 messages`. */
export function count(n: number, one: string, many = `${one}s`): string {
  return `${n.toLocaleString('en-US')} ${n === 1 ? one : many}`;
}
