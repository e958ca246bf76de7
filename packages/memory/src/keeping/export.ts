/**
 * Export: everything that is remembered, one JSON object a line (`docs/formats/export.md`).
 *
 * Order: a header, then projects, then each session followed by its messages. Nothing is held in
 * memory but one session's page. Values are as stored: redacted.
 */
import { ok, type Result } from '@quipu/base';
import type { Store } from '@quipu/store';
import type { MemoryError } from '../errors.ts';
import { MESSAGES_PAGE_MAX, SESSIONS_PAGE_MAX } from '../limits.ts';
import { findProject } from '../reading/ids.ts';
import { listProjects, listSessions } from '../reading/lists.ts';
import { show } from '../reading/show.ts';
import type { SessionView } from '../shapes.ts';

/** History: 1 first form. */
export const EXPORT_VERSION = 1;

export type ExportFilter = {
  readonly project?: string | undefined;
  readonly session?: string | undefined;
  readonly agent?: string | undefined;
};

export function exportLines(
  store: Store,
  filter: ExportFilter,
): Result<Iterable<string>, MemoryError> {
  if (filter.project !== undefined) {
    const project = findProject(store, filter.project);
    if (!project.ok) return project;
  }
  if (filter.session !== undefined) {
    const session = show(store, filter.session, { limit: 1 });
    if (!session.ok) return session;
  }
  return ok(lines(store, filter));
}

function* lines(store: Store, filter: ExportFilter): Iterable<string> {
  yield JSON.stringify({ type: 'quipu-export', version: EXPORT_VERSION });
  for (const project of listProjects(store)) {
    if (filter.project !== undefined && !isSame(project, filter.project)) continue;
    yield JSON.stringify({ type: 'project', ...project });
  }
  for (const session of sessions(store, filter)) {
    yield JSON.stringify({ type: 'session', ...session });
    yield* messageLines(store, session.id);
  }
}

const isSame = (
  project: { id: string; name: string; root: string | null },
  text: string,
): boolean => project.id === text || project.name === text || project.root === text;

function* sessions(store: Store, filter: ExportFilter): Iterable<SessionView> {
  if (filter.session !== undefined) {
    const one = show(store, filter.session, { limit: 1 });
    if (one.ok && one.value.type === 'session') yield one.value.session;
    return;
  }
  for (let offset = 0; ; offset += SESSIONS_PAGE_MAX) {
    const page = listSessions(store, {
      project: filter.project,
      agent: filter.agent,
      limit: SESSIONS_PAGE_MAX,
      offset,
    });
    if (!page.ok) return;
    yield* page.value;
    if (page.value.length < SESSIONS_PAGE_MAX) return;
  }
}

function* messageLines(store: Store, session: string): Iterable<string> {
  let offset: number | null = 0;
  while (offset !== null) {
    const page: ReturnType<typeof show> = show(store, session, {
      offset,
      limit: MESSAGES_PAGE_MAX,
    });
    if (!page.ok || page.value.type !== 'session') return;
    for (const message of page.value.messages) {
      yield JSON.stringify({ type: 'message', ...message });
    }
    offset = page.value.nextOffset;
  }
}
