/**
 * Moving a session to another project, by hand. The choice is pinned: no import changes it.
 * Sub-agents follow the session that started them.
 */
import { ok, type Result } from '@quipu/base';
import type { Store } from '@quipu/store';
import { type MemoryError, memoryError } from '../errors.ts';
import { findProject, findThing } from '../reading/ids.ts';
import { readSession } from '../reading/show.ts';
import type { SessionView } from '../shapes.ts';

/** The name under which a session becomes unattributed again. */
export const NO_PROJECT = '-';

export function moveSession(
  store: Store,
  sessionText: string,
  projectText: string,
): Result<SessionView, MemoryError> {
  return store.transaction(() => {
    const thing = findThing(store, sessionText);
    if (!thing.ok) return thing;
    if (thing.value.kind !== 'session') {
      return memoryError(
        'bad-request',
        `'${sessionText}' is a ${thing.value.kind}, not a session.`,
      );
    }
    let project: string | null = null;
    if (projectText !== NO_PROJECT) {
      const found = findProject(store, projectText);
      if (!found.ok) return found;
      project = found.value;
    }
    store.run(
      `WITH RECURSIVE family(id) AS (
         SELECT ? UNION SELECT s.id FROM sessions s JOIN family f ON s.parent_id = f.id
         WHERE s.parent_kind = 'subagent')
       UPDATE sessions SET project_id = ?, project_pinned = 1 WHERE id IN (SELECT id FROM family)`,
      [thing.value.id, project],
    );
    return ok(readSession(store, thing.value.id));
  });
}
