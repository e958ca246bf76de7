/**
 * The limits of memory, each with its unit; what they owe each other is asserted below.
 */
import { assert } from '@quipu/base';

/** Sessions whose place a reading pass remembers; older ones continue at their end. */
export const SESSIONS_A_PASS_MAX = 1_000;
/** Calls to Quipu whose results are waited for in one pass. */
export const OWN_CALLS_MAX = 64;
/** Messages compared when a session that names no parent looks like a copy of another. */
export const TWIN_PREFIX_MESSAGES_MAX = 200;
/** Sessions that are compared with one that looks like a copy. */
export const TWIN_CANDIDATES_MAX = 16;
/** Sessions listed at once, by default and at most. */
export const SESSIONS_PAGE_DEFAULT = 50;
export const SESSIONS_PAGE_MAX = 500;
/** Messages of a session shown at once, by default and at most. */
export const MESSAGES_PAGE_DEFAULT = 200;
export const MESSAGES_PAGE_MAX = 1_000;
/** Neighbours shown on each side of a message. */
export const NEIGHBOUR_MESSAGES = 3;
/** Characters that `remember` takes. */
export const REMEMBER_CHARS_MAX = 65_536;
/** Tokens of a context, by default and at most. */
export const CONTEXT_TOKENS_DEFAULT = 2_000;
export const CONTEXT_TOKENS_MAX = 32_000;
/** Messages rewritten in one transaction by `scrub`; rows embedded in one step by the backfill. */
export const SCRUB_BATCH_MESSAGES = 200;
export const BACKFILL_BATCH_CHUNKS = 64;

assert(SESSIONS_PAGE_DEFAULT <= SESSIONS_PAGE_MAX, 'default session page fits the maximum');
assert(MESSAGES_PAGE_DEFAULT <= MESSAGES_PAGE_MAX, 'default message page fits the maximum');
assert(CONTEXT_TOKENS_DEFAULT <= CONTEXT_TOKENS_MAX, 'default context fits the maximum');
