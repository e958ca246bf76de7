/**
 * Ids met lately, as numbers: small in the kept state, and no text in it.
 *
 * Decides: 52 bits of a hash stand for an id. Two ids of one file meet by chance about once in half
 * a billion files of the size that is remembered.
 */
import { KNOWN_MESSAGES_MAX } from './limits.ts';

export type KnownIds = readonly number[];

export const isKnown = (known: KnownIds, id: string): boolean => known.includes(hashOf(id));

export function remember(known: KnownIds, id: string): KnownIds {
  const hash = hashOf(id);
  if (known.includes(hash)) return known;
  return [...known.slice(Math.max(0, known.length - KNOWN_MESSAGES_MAX + 1)), hash];
}

/** Two FNV-1a hashes of 26 bits each (G. Fowler, L. C. Noll, K.-P. Vo), over UTF-16 units. */
function hashOf(id: string): number {
  let low = 0x811c9dc5;
  let high = 0x01000193;
  for (let at = 0; at < id.length; at += 1) {
    const unit = id.charCodeAt(at);
    low = Math.imul(low ^ unit, 0x01000193);
    high = Math.imul(high ^ (unit + 0x9e37), 0x01000193);
  }
  return (high & 0x3ffffff) * 0x4000000 + (low & 0x3ffffff);
}
