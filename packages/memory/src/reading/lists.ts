/**
 * Lists and counts: sessions with filters, projects, and what the memory holds.
 */
import { ok, type Result } from '@quipu/base';
import type { Store } from '@quipu/store';
import { type MemoryError, memoryError } from '../errors.ts';
import { SESSIONS_PAGE_DEFAULT, SESSIONS_PAGE_MAX } from '../limits.ts';
import type { MemoryCounts, ProjectView, SessionsRequest, SessionView } from '../shapes.ts';
import { findProject } from './ids.ts';
import {
  PROJECT_SELECT,
  type ProjectRecord,
  projectView,
  SESSION_SELECT,
  type SessionRecord,
  sessionView,
} from './views.ts';

/** Sessions with at least one message, the last used first. */
export function listSessions(
  store: Store,
  request: SessionsRequest,
): Result<SessionView[], MemoryError> {
  const limit = request.limit ?? SESSIONS_PAGE_DEFAULT;
  const offset = request.offset ?? 0;
  if (!Number.isInteger(limit) || limit < 1 || limit > SESSIONS_PAGE_MAX) {
    return memoryError('bad-request', `limit is a whole number from 1 to ${SESSIONS_PAGE_MAX}.`);
  }
  if (!Number.isInteger(offset) || offset < 0) {
    return memoryError('bad-request', 'offset is a whole number from 0.');
  }
  const where = ['EXISTS (SELECT 1 FROM session_messages x WHERE x.session_id = s.id)'];
  const values: (string | number)[] = [];
  if (request.project !== undefined) {
    const project = findProject(store, request.project);
    if (!project.ok) return project;
    where.push('s.project_id = ?');
    values.push(project.value);
  }
  if (request.unattributed === true) where.push('s.project_id IS NULL');
  if (request.agent !== undefined) {
    where.push('s.agent = ?');
    values.push(request.agent);
  }
  for (const [name, compare] of [
    ['before', '<'],
    ['after', '>='],
  ] as const) {
    const text = request[name];
    if (text === undefined) continue;
    const at = Date.parse(text);
    if (Number.isNaN(at)) {
      return memoryError('bad-request', `'${name}' is a date such as 2026-05-31; got '${text}'.`);
    }
    where.push(`s.ended_at ${compare} ?`);
    values.push(at);
  }
  const rows = store.all(
    `${SESSION_SELECT} WHERE ${where.join(' AND ')}
     ORDER BY s.ended_at DESC, s.id LIMIT ? OFFSET ?`,
    [...values, limit, offset],
  ) as SessionRecord[];
  return ok(rows.map(sessionView));
}

/** Projects that have sessions, the last used first. */
export function listProjects(store: Store): ProjectView[] {
  const rows = store.all(
    `${PROJECT_SELECT} GROUP BY p.id HAVING count(s.id) > 0 ORDER BY last_at DESC, p.name, p.id`,
    [],
  ) as ProjectRecord[];
  return rows.map(projectView);
}

/** `model`: the model whose vectors count, or undefined when there is none. */
export function countAll(store: Store, model: string | undefined): MemoryCounts {
  const count = (sql: string, values: (string | number)[] = []): number =>
    (store.get(sql, values) as { n: number }).n;
  const withMessages = 'EXISTS (SELECT 1 FROM session_messages x WHERE x.session_id = s.id)';
  const agents = store.all(
    `SELECT s.agent AS agent, count(*) AS sessions FROM sessions s WHERE ${withMessages}
     GROUP BY s.agent ORDER BY s.agent`,
    [],
  ) as { agent: string; sessions: number }[];
  const redactions = store.all('SELECT kind, count FROM redactions ORDER BY kind', []) as {
    kind: string;
    count: number;
  }[];
  return {
    projects: count(
      `SELECT count(DISTINCT s.project_id) AS n FROM sessions s WHERE ${withMessages}`,
    ),
    sessions: count(`SELECT count(*) AS n FROM sessions s WHERE ${withMessages}`),
    unattributedSessions: count(
      `SELECT count(*) AS n FROM sessions s WHERE s.project_id IS NULL AND ${withMessages}`,
    ),
    messages: count('SELECT count(*) AS n FROM messages'),
    parts: count('SELECT count(*) AS n FROM parts'),
    chunks: count('SELECT count(*) AS n FROM chunks WHERE ranked = 1'),
    vectors:
      model === undefined
        ? 0
        : count('SELECT count(*) AS n FROM chunk_vectors WHERE model = ?', [model]),
    redactedByKind: Object.fromEntries(redactions.map((row) => [row.kind, row.count])),
    agents,
  };
}
