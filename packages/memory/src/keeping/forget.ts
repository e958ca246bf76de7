/**
 * Forgetting: what a person asks to be forgotten is gone, and stays gone.
 *
 * Decides: a tombstone for every message or session forgotten, so that importing the same
 * transcript again does not bring it back (MEMORY-4). A message that another session shares stays
 * for that one. A forgotten message keeps its empty place in the session: identity by place needs
 * it. Cursors that know of the session go too: a parser's state may hold text of it. The caller
 * purges the file afterwards; here rows go.
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
    const total = { sessions: 0, messages: 0 };
    switch (thing.value.kind) {
      case 'message':
        forgetMessage(deps, thing.value.id);
        total.messages += 1;
        break;
      case 'session':
        dropCursors(deps.store, [thing.value.id]);
        total.messages += forgetSession(deps, thing.value.id);
        total.sessions += 1;
        break;
      case 'project': {
        const sessions = sessionsOf(deps.store, thing.value.id);
        dropCursors(deps.store, sessions);
        for (const session of sessions) {
          total.messages += forgetSession(deps, session);
          total.sessions += 1;
        }
        deps.store.run('DELETE FROM project_keys WHERE project_id = ?', [thing.value.id]);
        deps.store.run('DELETE FROM projects WHERE id = ?', [thing.value.id]);
        break;
      }
    }
    return ok({ version: OUTPUT_VERSION, ...total });
  });
}

function sessionsOf(store: Store, project: string): string[] {
  const rows = store.all('SELECT id FROM sessions WHERE project_id = ? ORDER BY id', [project]);
  return rows.map((row) => (row as { id: string }).id);
}

function sessionsWith(store: Store, message: string): string[] {
  const rows = store.all('SELECT session_id AS id FROM session_messages WHERE message_id = ?', [
    message,
  ]);
  return rows.map((row) => (row as { id: string }).id);
}

function addTombstone(deps: ForgetDeps, kind: 'message' | 'session', key: string): void {
  deps.store.run('INSERT OR IGNORE INTO tombstones (kind, key, at) VALUES (?, ?, ?)', [
    kind,
    key,
    deps.nowMs(),
  ]);
}

/** Their sources are read anew by the next import, which knows every message again. */
function dropCursors(store: Store, sessions: readonly string[]): void {
  store.run(
    `DELETE FROM sources WHERE EXISTS (
       SELECT 1 FROM json_tree(sources.state) t JOIN sessions s
         ON s.id = t.key OR s.external_id = t.atom
       WHERE s.id IN (SELECT value FROM json_each(?)))`,
    [JSON.stringify(sessions)],
  );
}

function forgetMessage(deps: ForgetDeps, id: string): void {
  addTombstone(deps, 'message', id);
  dropCursors(deps.store, sessionsWith(deps.store, id));
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
