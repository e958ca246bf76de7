/**
 * Forgetting: what a person asks to be forgotten is gone, and stays gone.
 *
 * Decides: a tombstone for every message or session forgotten, so that importing the same
 * transcript again does not bring it back (MEMORY-4). A message that another session shares stays
 * for that one. A forgotten message keeps its empty place in the session: identity by place needs
 * it. The caller purges the file afterwards; here rows go.
 */
import { assert, ok, type Result } from '@quipu/base';
import type { Store } from '@quipu/store';
import type { MessageIndex } from '../admission/admission.ts';
import type { MemoryError } from '../errors.ts';
import { findThing } from '../reading/ids.ts';
import { type ForgetReport, OUTPUT_VERSION } from '../shapes.ts';

export type ForgetDeps = {
  readonly store: Store;
  readonly index: MessageIndex;
  readonly nowMs: () => number;
};

export function forget(deps: ForgetDeps, id: string): Result<ForgetReport, MemoryError> {
  return deps.store.transaction(() => {
    const thing = findThing(deps.store, id);
    if (!thing.ok) return thing;
    forgetHeld(deps.store, thing.value);
    const total = { sessions: 0, messages: 0 };
    switch (thing.value.kind) {
      case 'message':
        forgetMessage(deps, thing.value.id);
        total.messages += 1;
        break;
      case 'session':
        total.messages += forgetSession(deps, thing.value.id);
        total.sessions += 1;
        break;
      case 'project':
        for (const session of sessionsOf(deps.store, thing.value.id)) {
          total.messages += forgetSession(deps, session);
          total.sessions += 1;
        }
        deps.store.run('DELETE FROM project_keys WHERE project_id = ?', [thing.value.id]);
        deps.store.run('DELETE FROM projects WHERE id = ?', [thing.value.id]);
        break;
    }
    return ok({ version: OUTPUT_VERSION, ...total });
  });
}

/**
 * A reader's state may hold a piece of what is forgotten, of a message that was not whole yet. It
 * goes for all sources of the agents concerned; they are read anew, and tombstones hold.
 */
function forgetHeld(store: Store, thing: { readonly kind: string; readonly id: string }): void {
  const sessions = {
    message: 'SELECT session_id FROM session_messages WHERE message_id = ?',
    session: 'SELECT ?',
    project: 'SELECT id FROM sessions WHERE project_id = ?',
  }[thing.kind];
  assert(sessions !== undefined, 'a message, a session or a project is forgotten');
  store.run(
    `DELETE FROM sources WHERE agent IN (SELECT agent FROM sessions WHERE id IN (${sessions}))`,
    [thing.id],
  );
}

function sessionsOf(store: Store, project: string): string[] {
  const rows = store.all('SELECT id FROM sessions WHERE project_id = ? ORDER BY id', [project]);
  return rows.map((row) => (row as { id: string }).id);
}

function addTombstone(deps: ForgetDeps, kind: 'message' | 'session', key: string): void {
  deps.store.run('INSERT OR IGNORE INTO tombstones (kind, key, at) VALUES (?, ?, ?)', [
    kind,
    key,
    deps.nowMs(),
  ]);
}

function forgetMessage(deps: ForgetDeps, id: string): void {
  addTombstone(deps, 'message', id);
  deps.index.remove(id);
  deps.store.run('DELETE FROM parts WHERE message_id = ?', [id]);
  deps.store.run("UPDATE messages SET author = '', model = NULL WHERE id = ?", [id]);
}

/** Returns how many messages are gone; those that another session shares move there. */
function forgetSession(deps: ForgetDeps, session: string): number {
  const { store } = deps;
  addTombstone(deps, 'session', session);
  store.run('DELETE FROM session_messages WHERE session_id = ?', [session]);
  const homeless = store.all(
    `SELECT m.id, (SELECT sm.session_id FROM session_messages sm WHERE sm.message_id = m.id
       ORDER BY sm.session_id LIMIT 1) AS other FROM messages m WHERE m.session_id = ?`,
    [session],
  ) as { id: string; other: string | null }[];
  let gone = 0;
  for (const { id, other } of homeless) {
    if (other !== null) {
      deps.index.remove(id);
      store.run('UPDATE messages SET session_id = ? WHERE id = ?', [other, id]);
      deps.index.add(id);
      continue;
    }
    deps.index.remove(id);
    store.run('DELETE FROM parts WHERE message_id = ?', [id]);
    store.run('DELETE FROM messages WHERE id = ?', [id]);
    gone += 1;
  }
  store.run('UPDATE sessions SET parent_id = NULL WHERE parent_id = ?', [session]);
  store.run('DELETE FROM sessions WHERE id = ?', [session]);
  const left = store.get('SELECT 1 AS n FROM messages WHERE session_id = ? LIMIT 1', [session]);
  assert(left === undefined, 'a forgotten session owns no message');
  return gone;
}
