/** Limits of what the Codex parser keeps and looks at. */
import { assert } from '@quipu/base';

/** Messages whose ids are remembered, so that an id given twice is not taken for one message. */
export const KNOWN_IDS_MAX = 256;
/** Characters at the start of a text by which it is told what it is. */
export const START_CHARS = 160;
/** Shorter ids are counters of a local model server and recur in one session. */
export const OWN_ID_CHARS_MIN = 12;

assert(START_CHARS > OWN_ID_CHARS_MIN, 'a start holds more than an id');
