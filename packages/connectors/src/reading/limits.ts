/**
 * Limits of the readers in this package that look through folders and keep state between imports.
 */
import { assert } from '@quipu/base';

/** Folders visited by one search; further ones are not looked into. */
export const WALK_FOLDERS_MAX = 20_000;
/** Depth of a search below the folder that it begins in. */
export const WALK_DEPTH_MAX = 12;
/** Depth below the home directory at which projects are looked for. */
export const HOME_DEPTH_MAX = 4;
/** Characters of an unknown type's name in a report. */
export const SKIP_NAME_CHARS_MAX = 64;
/** Sessions of one file whose announcements are remembered. */
export const ANNOUNCED_SESSIONS_MAX = 64;
/** Tool calls whose names are remembered until their results come. */
export const OPEN_CALLS_MAX = 1_000;
/** Messages of one file that are known to have been read. */
export const KNOWN_MESSAGES_MAX = 4_096;
/** Records read to tell what a file is. */
export const PEEK_RECORDS_MAX = 20;
/** Characters of a block of text that a parser holds until the block ends. */
export const HELD_CHARS_MAX = 1_048_576;
/** Bytes of a small side file (a project map, a list of tasks). */
export const SIDE_FILE_BYTES_MAX = 16 * 1_048_576;

assert(HOME_DEPTH_MAX <= WALK_DEPTH_MAX, 'projects are looked for within a search');
assert(OPEN_CALLS_MAX <= KNOWN_MESSAGES_MAX, 'a call belongs to a message that may be known');
