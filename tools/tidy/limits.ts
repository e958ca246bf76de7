/** The sizes that tidy holds files to, and where the ambient world may be touched. */
import { assert } from '@quipu/base';

export const FILE_LINES_MAX = 400;
export const FUNCTION_LINES_MAX = 70;
export const LINE_COLUMNS_MAX = 100;
export const HEADER_WORDS_MIN = 3;

assert(FUNCTION_LINES_MAX < FILE_LINES_MAX, 'a function is smaller than its file');
