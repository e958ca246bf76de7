/**
 * The limits of an import. A batch is what one transaction admits and what is in memory at once.
 */
import { assert } from '@quipu/base';

/** Events admitted in one transaction. */
export const BATCH_EVENTS_MAX = 400;
/** Characters of parts admitted in one transaction. */
export const BATCH_CHARS_MAX = 1_000_000;
/** Errors listed in a report; further ones are counted by category only. */
export const REPORTED_ERRORS_MAX = 200;
/** Progress is told at most this often. */
export const PROGRESS_INTERVAL_MS = 200;
/** Unknown line types named in a report. */
export const UNKNOWN_TYPES_MAX = 100;

assert(BATCH_EVENTS_MAX > 0 && BATCH_CHARS_MAX > 0, 'a batch holds something');
