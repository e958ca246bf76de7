/**
 * Where Claude Code keeps its transcripts: `~/.claude/projects/<folder>/<session>.jsonl`, and those
 * of sub-agents in `<session>/subagents/` beside it.
 *
 * Decides: `CLAUDE_CONFIG_DIR` adds a place and hides none: what was recorded before it was set is
 * remembered too. The folder's name is not trusted for the project: it is lossy.
 */
import { join } from 'node:path';
import { parseObject, stringAt } from '../json.ts';
import type { FinderEnvironment } from '../reader.ts';
import { isJsonLines, lineReader } from '../reading/line-reader.ts';
import { claudeCodeParser } from './parser.ts';

export function claudeCodeRoots({ home, env }: FinderEnvironment): string[] {
  const configured = env['CLAUDE_CONFIG_DIR'] ?? '';
  const folders = [join(home, '.claude'), join(home, '.config', 'claude')];
  const all = configured === '' ? folders : [configured, ...folders];
  return [...new Set(all.map((folder) => join(folder, 'projects')))];
}

/** Folders in a project that hold outputs and notes, not transcripts. */
const OTHER_FOLDERS = new Set(['tool-results', 'memory']);

const MESSAGE_TYPES = new Set(['user', 'assistant', 'attachment', 'system']);

export const claudeCodeReader = lineReader({
  agent: 'claude-code',
  roots: claudeCodeRoots,
  wanted: isJsonLines,
  enter: (name) => !OTHER_FOLDERS.has(name),
  looksLike: (text) => {
    const line = parseObject(text);
    const isMessage = MESSAGE_TYPES.has(stringAt(line, 'type')) && stringAt(line, 'uuid') !== '';
    return isMessage && stringAt(line, 'sessionId') !== '';
  },
  parser: claudeCodeParser,
});
