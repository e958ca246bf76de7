/**
 * Generic JSONL has no usual place: it is read where a person says so.
 */
import { isJsonLines, lineReader } from '../reading/line-reader.ts';
import { genericParser, isGenericLine } from './parser.ts';

export const genericReader = lineReader({
  agent: 'generic',
  roots: () => [],
  wanted: isJsonLines,
  looksLike: isGenericLine,
  parser: genericParser,
});
