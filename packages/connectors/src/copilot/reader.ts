/**
 * Where Copilot CLI keeps its sessions: `~/.copilot/session-state/<session>/events.jsonl`, before
 * 1.0 `session-state/<session>.jsonl`, in 2025 `history-session-state/session_<id>_<time>.json`.
 *
 * Decides: `COPILOT_HOME`, and the XDG state folder of early versions, add places and hide none.
 */
import { join } from 'node:path';
import { listAt, objectAt, parseObject, stringAt } from '../json.ts';
import type { FinderEnvironment } from '../reader.ts';
import { isJsonLines, lineReader } from '../reading/line-reader.ts';
import { copilotParser } from './parser.ts';

export function copilotRoots({ home, env }: FinderEnvironment): string[] {
  const configured = env['COPILOT_HOME'] ?? '';
  const state = env['XDG_STATE_HOME'] ?? '';
  const folders = [
    ...(configured === '' ? [] : [configured]),
    join(home, '.copilot'),
    ...(state === '' ? [] : [join(state, '.copilot')]),
  ];
  return [...new Set(folders)].flatMap((folder) => [
    join(folder, 'session-state'),
    join(folder, 'history-session-state'),
  ]);
}

/** Folders of a session that hold files of the project, not events. */
const OTHER_FOLDERS = new Set(['checkpoints', 'files', 'rewind-file-snapshots', 'research']);

export const copilotReader = lineReader({
  agent: 'copilot',
  roots: copilotRoots,
  wanted: (name) => isJsonLines(name) || isFirstForm(name),
  isDocument: isFirstForm,
  enter: (name) => !OTHER_FOLDERS.has(name),
  looksLike: (text) => {
    const line = parseObject(text);
    if (listAt(line, 'chatMessages').length > 0) return stringAt(line, 'sessionId') !== '';
    const data = objectAt(line, 'data');
    return stringAt(line, 'type') === 'session.start' && stringAt(data, 'sessionId') !== '';
  },
  parser: copilotParser,
});

function isFirstForm(name: string): boolean {
  return /^session_.*\.json$/.test(name);
}
