/**
 * Forks that no one declared.
 *
 * Decides: when a session that names no parent is a copy of another. Evidence: the same agent, the
 * same messages from the first on, and among them a tool call id, which cannot recur by chance.
 */
import type { Part, Store } from '@quipu/store';
import { TWIN_CANDIDATES_MAX, TWIN_PREFIX_MESSAGES_MAX } from '../limits.ts';
import { hasUniqueEvidence } from './identity.ts';

type Seen = { readonly digest: string; readonly parts: readonly Part[] };

/** The session that the messages repeat, or undefined. */
export function findTwin(
  store: Store,
  agent: string,
  session: string,
  messages: readonly Seen[],
): string | undefined {
  const first = messages[0];
  if (first === undefined) return undefined;
  const candidates = store.all(
    `SELECT sm.session_id AS id FROM messages m
     JOIN session_messages sm ON sm.message_id = m.id AND sm.position = 0
     JOIN sessions s ON s.id = sm.session_id AND s.agent = ?
     WHERE m.digest = ? AND sm.session_id <> ? ORDER BY s.started_at, sm.session_id LIMIT ?`,
    [agent, first.digest, session, TWIN_CANDIDATES_MAX],
  ) as { id: string }[];
  return candidates.find(({ id }) => sharesUniquePrefix(store, id, messages))?.id;
}

function sharesUniquePrefix(store: Store, session: string, messages: readonly Seen[]): boolean {
  const rows = store.all(
    `SELECT m.digest FROM session_messages sm JOIN messages m ON m.id = sm.message_id
     WHERE sm.session_id = ? ORDER BY sm.position LIMIT ?`,
    [session, TWIN_PREFIX_MESSAGES_MAX],
  ) as { digest: string }[];
  for (const [at, row] of rows.entries()) {
    const message = messages[at];
    if (message === undefined || message.digest !== row.digest) return false;
    if (hasUniqueEvidence(message.parts)) return true;
  }
  return false;
}

/** Records the fork, unless the session names a parent already. */
export function linkFork(store: Store, session: string, parent: string): void {
  store.run(
    `UPDATE sessions SET parent_kind = 'fork', parent_id = ?,
       parent_external_id = (SELECT external_id FROM sessions WHERE id = ?)
     WHERE id = ? AND parent_external_id IS NULL`,
    [parent, parent, session],
  );
}
