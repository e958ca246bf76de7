/** The limits of redaction, each with its unit; what they owe each other is asserted below. */
import { assert } from '@quipu/base';

/** Longer text is searched in windows of this many characters … */
export const WINDOW_CHARS = 1_048_576;
/** … each of which reads on this far, so that what begins in one is seen whole there. */
export const WINDOW_OVERLAP_CHARS = 131_072;
/** The longest private key block, from BEGIN to END. */
export const PRIVATE_KEY_CHARS_MAX = 65_536;
/** The longest value of an assignment, header or URL part. */
export const VALUE_CHARS_MAX = 8_192;
/** Of an unquoted value this much decides whether it is a secret; if so it goes to its end. */
export const BARE_VALUE_CHARS = 512;
/** The longest name on the left of an assignment. */
export const NAME_CHARS_MAX = 96;
/** Base64 inside base64 is opened this often. */
export const BASE64_DEPTH_MAX = 3;
/** Shorter runs cannot hold a secret of the kinds known here. */
export const BASE64_RUN_CHARS_MIN = 20;
/** Characters of one base64 run that are decoded. */
export const BASE64_RUN_CHARS_MAX = 1_048_576;
/** Values found in one call that are also looked for in bare form. */
export const KNOWN_VALUES_MAX = 256;
/** A shorter value is a word that may stand elsewhere by chance. */
export const KNOWN_VALUE_CHARS_MIN = 8;
/** Passes until nothing new is found; one is enough but for crafted text. */
export const PASSES_MAX = 4;

assert(PRIVATE_KEY_CHARS_MAX < WINDOW_OVERLAP_CHARS, 'a private key is seen whole in one window');
assert(VALUE_CHARS_MAX < WINDOW_OVERLAP_CHARS, 'a value is seen whole in one window');
assert(BARE_VALUE_CHARS <= VALUE_CHARS_MAX, 'what decides about a value is a part of it');
assert(WINDOW_OVERLAP_CHARS < WINDOW_CHARS, 'windows move forward');
assert(BASE64_RUN_CHARS_MIN >= KNOWN_VALUE_CHARS_MIN, 'an encoded value is longer than the value');
