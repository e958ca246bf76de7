/**
 * Where Codex keeps its rollouts: `~/.codex/sessions/<year>/<month>/<day>/rollout-*.jsonl`, moved
 * to `archived_sessions` when archived.
 *
 * Decides: `CODEX_HOME` adds a place and hides none. A rollout that Codex has compressed (`.zst`,
 * an option of its newest versions) is reported as such: Node 20 has no reader for it.
 */
import { join } from 'node:path';
import type { FinderEnvironment } from '../reader.ts';
import { lineReader } from '../reading/line-reader.ts';
import { codexParser, isRolloutStart } from './parser.ts';

export function codexRoots({ home, env }: FinderEnvironment): string[] {
  const configured = env['CODEX_HOME'] ?? '';
  const folders = configured === '' ? [] : [configured];
  const all = [...new Set([...folders, join(home, '.codex')])];
  return all.flatMap((folder) => [join(folder, 'sessions'), join(folder, 'archived_sessions')]);
}

export const codexReader = lineReader({
  agent: 'codex',
  roots: codexRoots,
  wanted: (name) => /\.jsonl(?:\.zst)?$/.test(name) || isFirstForm(name),
  isDocument: isFirstForm,
  failureOf: (name) => (name.endsWith('.zst') ? 'source-compressed' : undefined),
  looksLike: isRolloutStart,
  parser: codexParser,
});

/** The first versions wrote one document a session. */
function isFirstForm(name: string): boolean {
  return /^rollout-.*\.json$/.test(name);
}
