/**
 * Blocks that programs put into what a person wrote: `<tag>…</tag>`.
 *
 * Decides: how such a block is taken out. Only whole blocks are removed: a person who merely quotes
 * a tag loses nothing. Linear in the text, whatever it holds.
 */
export type Stripped = { readonly text: string; readonly removed: number };

/** Takes out every `<tag …>…</tag>` of the named tags; nested ones of another name go with it. */
export function stripBlocks(text: string, tags: readonly string[]): Stripped {
  let rest = text;
  let removed = 0;
  for (const tag of tags) {
    const once = stripTag(rest, tag);
    rest = once.text;
    removed += once.removed;
  }
  return removed === 0 ? { text, removed: 0 } : { text: rest.trim(), removed };
}

function stripTag(text: string, tag: string): Stripped {
  const close = `</${tag}>`;
  let kept = '';
  let at = 0;
  let removed = 0;
  for (;;) {
    const open = openingAt(text, tag, at);
    if (open < 0) break;
    const end = text.indexOf(close, open);
    if (end < 0) break;
    kept += text.slice(at, open);
    at = end + close.length;
    removed += 1;
  }
  return removed === 0 ? { text, removed } : { text: kept + text.slice(at), removed };
}

/** Where `<tag>` or `<tag attribute…>` stands next; -1 when nowhere. */
function openingAt(text: string, tag: string, from: number): number {
  const open = `<${tag}`;
  let at = text.indexOf(open, from);
  while (at >= 0) {
    const next = text[at + open.length];
    if (next === '>' || next === ' ' || next === '\n') return at;
    at = text.indexOf(open, at + open.length);
  }
  return -1;
}

/** The text inside `<tag>…</tag>` blocks replaces the blocks: wrappers go, words stay. */
export function unwrapBlocks(text: string, tags: readonly string[]): string {
  let rest = text;
  for (const tag of tags) {
    if (!rest.includes(`</${tag}>`)) continue;
    rest = rest.replaceAll(`<${tag}>`, '').replaceAll(`</${tag}>`, '');
  }
  return rest === text ? text : rest.trim();
}

/** The inside of the first `<tag>…</tag>`, or undefined. */
export function insideBlock(text: string, tag: string): string | undefined {
  const open = text.indexOf(`<${tag}>`);
  if (open < 0) return undefined;
  const start = open + tag.length + 2;
  const end = text.indexOf(`</${tag}>`, start);
  return end < 0 ? undefined : text.slice(start, end);
}
