/** The limits of recall, each with its unit, and what they owe each other. */
import { assert } from '@quipu/base';

/** Hits of an answer, by default and at most. */
export const HITS_DEFAULT = 10;
export const HITS_MAX = 200;
/** Characters of a query; a longer one is refused. */
export const QUERY_CHARS_MAX = 8_000;
/** Distinct terms of a query that are looked up; the rest of a very long query is left out. */
export const QUERY_TERMS_MAX = 48;
export const QUERY_IDENTIFIERS_MAX = 16;
export const QUERY_SUBSTRINGS_MAX = 4;
/**
 * Passages that are scored whole: the best by words, and by vectors. On LoCoMo, chosen so of scopes
 * of six hundred, half as many again find no more (`docs/BENCHMARKS.md`).
 */
export const POOL_WORDS_MAX = 200;
export const POOL_VECTORS_MAX = 100;
/** A scope of at most this many places is scored whole, without choosing candidates. */
export const POOL_WHOLE_MAX = 1_000;
/** Passages read to check a substring or quoted phrase. */
export const SUBSTRING_ROWS_MAX = 4_000;
/** Substring matches that enter the pool. */
export const POOL_SUBSTRING_MAX = 100;
/** Passages of a term that are always read; beyond, a term of this share of the store is common. */
export const COMMON_POSTINGS_MIN = 4_000;
export const COMMON_SHARE = 0.05;
/** Passages of an identifier that are read; a name that more of them have tells nothing apart. */
export const IDENTIFIER_POSTINGS_MAX = 2_000;
/** How far a passage borrows words from its neighbours, in passages. */
export const WINDOW_PASSAGES = 3;
/** Passages in one session: the places that a passage id has room for. */
export const SESSION_PASSAGES_MAX = 2 ** 20;
/** Characters of a hit's text and of a neighbour's. */
export const HIT_CHARS_MAX = 600;
export const NEIGHBOUR_CHARS_MAX = 160;
/** Hits compared for near-copies and supersession. */
export const COMPARED_HITS_MAX = 60;
/** Budget for the text of all hits, in tokens. */
export const TOKENS_MAX = 100_000;
/** Vectors handed to the model at once by whoever fills them in. */
export const PENDING_CHUNKS_MAX = 1_024;

assert(HITS_DEFAULT <= HITS_MAX, 'the default number of hits fits the maximum');
assert(HITS_MAX <= POOL_WORDS_MAX, 'an answer comes out of the pool');
assert(POOL_WORDS_MAX + POOL_VECTORS_MAX <= POOL_WHOLE_MAX, 'a whole scope is the larger pool');
assert(COMPARED_HITS_MAX <= HITS_MAX, 'only hits are compared');
