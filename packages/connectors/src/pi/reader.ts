/**
 * Where Pi keeps its sessions: `~/.pi/agent/sessions/--cwd--/*.jsonl`.
 */
import { join } from 'node:path';
import { parseObject, stringAt } from '../json.ts';
import type { FinderEnvironment } from '../reader.ts';
import { isJsonLines, lineReader } from '../reading/line-reader.ts';
import { piParser } from './parser.ts';

/** `PI_CODING_AGENT_DIR` moves the agent's folder. */
export function piRoots({ home, env }: FinderEnvironment): string[] {
  const folder = env['PI_CODING_AGENT_DIR'];
  return [
    join(folder === undefined || folder === '' ? join(home, '.pi', 'agent') : folder, 'sessions'),
  ];
}

export const piReader = lineReader({
  agent: 'pi',
  roots: piRoots,
  wanted: isJsonLines,
  looksLike: (line) => {
    const head = parseObject(line);
    return stringAt(head, 'type') === 'session' && stringAt(head, 'cwd') !== '';
  },
  parser: piParser,
});
