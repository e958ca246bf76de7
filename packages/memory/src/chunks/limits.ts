/** The limits of passages, in UTF-16 units unless named otherwise, and what they owe each other. */
import { assert } from '@quipu/base';

/** A text up to here stays whole. */
export const WHOLE_CHARS_MAX = 546;
/** A longer one is cut into passages of at most this. */
export const PASSAGE_CHARS_MAX = 420;
/** How much of the previous lines a passage of code or output repeats. */
export const OVERLAP_CHARS_MAX = 80;
/** What of one part is ranked (words, vectors); the rest is found as a substring. */
export const RANKED_TEXT_CHARS_MAX = 65_536;
export const RANKED_OUTPUT_CHARS_MAX = 8_192;
/** Of a longer output: its beginning, its end, and lines about errors. */
export const OUTPUT_HEAD_CHARS = 2_048;
export const OUTPUT_TAIL_CHARS = 2_048;
export const OUTPUT_ERRORS_CHARS = 2_048;
/** A bulk passage, and what it shares with the next so that no short substring falls between. */
export const BULK_CHARS = 4_096;
export const BULK_OVERLAP_CHARS = 128;
/** Passages of one message: a message beyond it is indexed up to here. */
export const MESSAGE_PASSAGES_MAX = 16_384;

assert(PASSAGE_CHARS_MAX <= WHOLE_CHARS_MAX, 'a whole text may be longer than a passage');
assert(OVERLAP_CHARS_MAX * 2 < PASSAGE_CHARS_MAX, 'a passage is more than its overlap');
assert(
  OUTPUT_HEAD_CHARS + OUTPUT_TAIL_CHARS + OUTPUT_ERRORS_CHARS <= RANKED_OUTPUT_CHARS_MAX,
  'what is ranked of a long output is no more than of one that is ranked whole',
);
assert(BULK_OVERLAP_CHARS * 2 < BULK_CHARS, 'a bulk passage is more than its overlap');
