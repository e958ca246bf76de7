/**
 * Posting lists: which passages hold a term, an identifier, or a substring.
 *
 * Decides: how the full-text tables are asked. One statement a term gives all its passages as one
 * JSON text, so that a list of ten thousand costs about a millisecond; ranking is done from the
 * lists.
 */
import type { Store } from '@quipu/store';
import { IDENTIFIER_POSTINGS_MAX, SUBSTRING_ROWS_MAX } from './limits.ts';

export const postingsOfTerm = (store: Store, term: string): number[] =>
  idsMatching(store, 'chunks_words', quoted(term));

/** The first `count` passages of a term, in order of id. */
export const firstPostings = (store: Store, term: string, count: number): number[] =>
  idsMatching(store, 'chunks_words', quoted(term), count);

/** None when `IDENTIFIER_POSTINGS_MAX` or more passages have it. */
export function postingsOfIdentifier(store: Store, identifier: string): number[] {
  const ids = idsMatching(store, 'chunks_identifiers', quoted(identifier), IDENTIFIER_POSTINGS_MAX);
  return ids.length < IDENTIFIER_POSTINGS_MAX ? ids : [];
}

const quoted = (term: string): string => `"${term.replaceAll('"', '""')}"`;

function idsMatching(
  store: Store,
  table: 'chunks_words' | 'chunks_identifiers' | 'chunks_trigram',
  match: string,
  count = -1,
): number[] {
  const row = store.get(
    `SELECT json_group_array(rowid) AS list FROM
       (SELECT rowid FROM ${table} WHERE ${table} MATCH ? LIMIT ?)`,
    [match, count],
  ) as { list: string };
  return JSON.parse(row.list) as number[];
}

export type SubstringMatch = {
  readonly ids: readonly number[];
  /** True when there were more passages to check than the limit allows. */
  readonly cut: boolean;
};

const TRIGRAM_CHARS = 3;
const TRIGRAMS_MAX = 16;
/** Passages read at once to check a substring. */
const CHECKED_AT_ONCE = 200;

/**
 * Passages whose text contains this, letter case and runs of white space aside, newest first: of
 * those that `isWithin` allows, and no more once `enough` are found. Shorter than three characters
 * finds nothing here.
 */
export function postingsOfSubstring(
  store: Store,
  text: string,
  isWithin: (chunkId: number) => boolean,
  enough: number = SUBSTRING_ROWS_MAX,
): SubstringMatch {
  const needle = normalised(text);
  const trigrams = trigramsOf(needle);
  if (trigrams.length === 0) return { ids: [], cut: false };
  const possible = idsMatching(store, 'chunks_trigram', trigrams.map(quoted).join(' AND '))
    .filter(isWithin)
    .reverse();
  const checked = Math.min(possible.length, SUBSTRING_ROWS_MAX);
  const ids: number[] = [];
  let at = 0;
  for (; at < checked && ids.length < enough; at += CHECKED_AT_ONCE) {
    const rows = store.all(
      'SELECT c.id, c.text FROM json_each(?) j CROSS JOIN chunks c ON c.id = j.value',
      [JSON.stringify(possible.slice(at, Math.min(at + CHECKED_AT_ONCE, checked)))],
    ) as { id: number; text: string }[];
    for (const row of rows) if (normalised(row.text).includes(needle)) ids.push(row.id);
  }
  return { ids, cut: Math.min(at, checked) < possible.length };
}

const normalised = (text: string): string => text.replace(/\s+/g, ' ').toLowerCase();
export const isSubstringOf = (part: string, text: string): boolean =>
  normalised(text).includes(normalised(part));

/** Some trigrams, none across white space (of which the passage may have more than the phrase). */
function trigramsOf(text: string): string[] {
  const all: string[] = [];
  for (const word of text.split(' ')) {
    const characters = [...word];
    for (let i = 0; i + TRIGRAM_CHARS <= characters.length; i += 1) {
      all.push(characters.slice(i, i + TRIGRAM_CHARS).join(''));
    }
  }
  const distinct = [...new Set(all)];
  const step = Math.max(1, Math.ceil(distinct.length / TRIGRAMS_MAX));
  return distinct.filter((_, i) => i % step === 0);
}
