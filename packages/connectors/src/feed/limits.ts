/**
 * Limits of feeding: what one record may hold of a source.
 */
import { assert } from '@quipu/base';

/** Bytes read from a file at once. */
export const READ_BYTES = 262_144;
/** A line longer than this is never in memory whole: long strings in it are cut (`elide.ts`). */
export const LINE_BYTES_MAX = 4 << 20;
/** What is kept of one long string: bytes at its beginning and at its end. */
export const STRING_HEAD_BYTES = 98_304;
export const STRING_TAIL_BYTES = 32_768;
/** What is kept of a line in all, however many strings it has; more of it is left out. */
export const KEPT_BYTES_MAX = 8 << 20;
/** A document (a file read whole) of more bytes is cut in the same way. */
export const DOCUMENT_BYTES_MAX = 64 << 20;

assert(STRING_HEAD_BYTES + STRING_TAIL_BYTES < LINE_BYTES_MAX, 'a cut string is shorter');
assert(LINE_BYTES_MAX <= KEPT_BYTES_MAX, 'an ordinary line is kept whole');
