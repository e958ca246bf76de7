/** Limits of what the Claude Code parser keeps between records. */
import { assert } from '@quipu/base';
import { HELD_CHARS_MAX } from '../reading/limits.ts';

/** Messages of the model that may still get another line; one a chain of work is usual. */
export const OPEN_MESSAGES_MAX = 8;
/** Characters of one open message; a longer one is closed and goes on as another message. */
export const OPEN_MESSAGE_CHARS_MAX = HELD_CHARS_MAX;
/** Lines of one open message whose ids are remembered. */
export const OPEN_MESSAGE_LINES_MAX = 256;
/** Sub-agents recorded in the file of their parent (old versions) that are followed at once. */
export const CHAINS_MAX = 32;
/** Ids of a chain's last lines by which the next one is joined to it. */
export const CHAIN_IDS_MAX = 16;
/** Ids of the last lines, by which a summary is known to be of this session. */
export const RECENT_LINES_MAX = 64;

assert(CHAIN_IDS_MAX <= RECENT_LINES_MAX, 'a chain is joined by recent lines');
