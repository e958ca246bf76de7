/**
 * Where Aider keeps its history: `.aider.chat.history.md` in the root of each project.
 *
 * Decides: there is no list of those projects, so home is searched to a small depth, past folders
 * that hold no projects. A file elsewhere is read when a person names it.
 */
import { proseFeed } from '../feed/lines.ts';
import { HOME_DEPTH_MAX } from '../reading/limits.ts';
import { lineReader } from '../reading/line-reader.ts';
import { aiderParser } from './parser.ts';

const HISTORY = '.aider.chat.history.md';
const PASSED = new Set(['node_modules', 'Library', 'AppData', 'vendor', 'target', 'dist', 'snap']);

export const aiderReader = lineReader({
  agent: 'aider',
  roots: ({ home }) => [home],
  wanted: (name) => name === HISTORY,
  enter: (name) => !name.startsWith('.') && !PASSED.has(name),
  depthMax: HOME_DEPTH_MAX,
  looksLike: (line) => line.startsWith('# aider chat started at '),
  parser: aiderParser,
  feed: proseFeed,
});
