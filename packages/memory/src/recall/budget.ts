/**
 * A budget of tokens over the texts of hits.
 *
 * Decides: hits keep their order; the one that no longer fits whole is cut, those after it are left
 * out. Tokens are counted as the common o200k vocabulary counts them. The tokeniser is large: it is
 * loaded only when a budget is given.
 */
import type { Hit } from '../shapes.ts';

export async function withinBudget(hits: readonly Hit[], tokens: number): Promise<Hit[]> {
  const { encode, decode } = await import('gpt-tokenizer');
  const kept: Hit[] = [];
  let left = tokens;
  for (const hit of hits) {
    if (left <= 0) break;
    const encoded = encode(hit.text, PLAIN);
    if (encoded.length <= left) {
      kept.push(hit);
      left -= encoded.length;
      continue;
    }
    // Cutting may fall inside a character; what is not whole is dropped.
    const text = decode(encoded.slice(0, left)).replace(/\ufffd+$/u, '');
    if (text.trim() !== '') kept.push({ ...hit, text });
    break;
  }
  return kept;
}

/** What looks like a control token of a model is text like any other here. */
const PLAIN = { allowedSpecial: new Set<string>(), disallowedSpecial: new Set<string>() };
