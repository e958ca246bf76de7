/**
 * Limits of reading opencode's store.
 */
import { assert } from '@quipu/base';

/** How often, and after which pause, a locked or disturbed database is tried again. */
export const BUSY_TRIES_MAX = 20;
export const BUSY_PAUSE_MS = 250;
/** A database of more bytes, its log included, is not copied. */
export const COPY_BYTES_MAX = 2 * 1024 ** 3;
/** Messages fetched at once. */
export const PAGE_ROWS_MAX = 200;
/** A part of more characters is cut like a long line. */
export const PART_CHARS_MAX = 1_048_576;
/** Rows that an earlier reading may have missed: written by another process, committed later. */
export const OVERLAP_MS = 10_000;

assert(BUSY_TRIES_MAX * BUSY_PAUSE_MS <= OVERLAP_MS, 'what was waited for is read again');
