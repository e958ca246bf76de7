/**
 * The project of a session, made or joined in the store.
 *
 * Decides: what `resolveProject` found is written: a new project, the keys it learned, what was not
 * known of it before (root, remote), and the merge of a project that was seen before its remote was
 * known. Sessions move with a merged project, those a person placed there too: it is the same one.
 *
 * Callers: inside a transaction.
 */
import type { Store } from '@quipu/store';
import { type ProjectEvidence, type ProjectLookup, resolveProject } from './resolve.ts';

export function attributeProject(store: Store, evidence: ProjectEvidence, nowMs: number): string {
  const found = resolveProject(evidence, lookupIn(store));
  const id = found.projectId;
  const { root = null, remote = null } = evidence;
  store.run(
    `INSERT INTO projects (id, name, root, remote, created_at) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT (id) DO UPDATE SET
       root = coalesce(projects.root, excluded.root),
       remote = coalesce(projects.remote, excluded.remote)`,
    [id, evidence.name, root, remote, nowMs],
  );
  for (const key of found.newKeys) {
    store.run('INSERT OR IGNORE INTO project_keys (key, project_id) VALUES (?, ?)', [key, id]);
  }
  for (const other of found.conflict?.mergeable ?? []) mergeInto(store, other, id);
  return id;
}

function lookupIn(store: Store): ProjectLookup {
  return {
    projectOf: (key) => {
      const row = store.get('SELECT project_id FROM project_keys WHERE key = ?', [key]);
      return (row as { project_id: string } | undefined)?.project_id;
    },
    keysOf: (id) =>
      store
        .all('SELECT key FROM project_keys WHERE project_id = ? ORDER BY key', [id])
        .map((row) => (row as { key: string }).key),
  };
}

function mergeInto(store: Store, from: string, into: string): void {
  store.run('UPDATE sessions SET project_id = ? WHERE project_id = ?', [into, from]);
  store.run('UPDATE project_keys SET project_id = ? WHERE project_id = ?', [into, from]);
  store.run('DELETE FROM projects WHERE id = ?', [from]);
}
