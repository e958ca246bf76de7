/**
 * Rows of sessions: what is known of one, and which project it belongs to.
 *
 * Decides: later non-empty fields win, except those that say where the session began (working
 * directory, project): a session that walks through folders stays where it started. A project that
 * a person has chosen (`project_pinned`) is never changed by an import.
 */
import type { SessionEvent, Store } from '@quipu/store';
import { attributeProject } from '../projects/attribute.ts';
import type { ProjectEvidence } from '../projects/resolve.ts';
import type { MessageIndex } from './admission.ts';
import { sessionId } from './identity.ts';

export type SessionUpsert = {
  readonly agent: string;
  readonly event: SessionEvent;
  /** Undefined when nothing is known: the session stays, or becomes, unattributed. */
  readonly evidence: ProjectEvidence | undefined;
  readonly nowMs: number;
};

export function upsertSession(store: Store, input: SessionUpsert): void {
  const { agent, event } = input;
  const id = sessionId(agent, event.externalId);
  const parent = event.parent;
  store.run(
    `INSERT INTO sessions (id, agent, external_id, project_pinned, parent_external_id, parent_kind,
       parent_id, title, cwd, git_remote, git_branch, model, agent_version)
     VALUES (?, ?, ?, 0, ?, ?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (id) DO UPDATE SET
       parent_external_id = coalesce(excluded.parent_external_id, sessions.parent_external_id),
       parent_kind = coalesce(excluded.parent_kind, sessions.parent_kind),
       parent_id = coalesce(excluded.parent_id, sessions.parent_id),
       title = coalesce(excluded.title, sessions.title),
       cwd = coalesce(sessions.cwd, excluded.cwd),
       git_remote = coalesce(sessions.git_remote, excluded.git_remote),
       git_branch = coalesce(excluded.git_branch, sessions.git_branch),
       model = coalesce(excluded.model, sessions.model),
       agent_version = coalesce(excluded.agent_version, sessions.agent_version)`,
    [
      id,
      agent,
      event.externalId,
      parent?.externalId ?? null,
      parent?.kind ?? null,
      parent === undefined ? null : sessionId(agent, parent.externalId),
      textOrNull(event.title),
      textOrNull(event.cwd),
      textOrNull(event.gitRemote),
      textOrNull(event.gitBranch),
      textOrNull(event.model),
      textOrNull(event.agentVersion),
    ],
  );
  if (followPinnedParent(store, id) || input.evidence === undefined) return;
  const row = store.get('SELECT project_id FROM sessions WHERE id = ? AND project_pinned = 0', [
    id,
  ]) as { project_id: string | null } | undefined;
  if (row === undefined || row.project_id !== null) return;
  const project = attributeProject(store, input.evidence, input.nowMs);
  store.run('UPDATE sessions SET project_id = ? WHERE id = ?', [project, id]);
}

/** A sub-agent that comes later goes where a person has put the session that started it. */
function followPinnedParent(store: Store, id: string): boolean {
  const changed = store.run(
    `UPDATE sessions SET project_pinned = 1, project_id = p.project_id FROM sessions p
     WHERE sessions.id = ? AND sessions.parent_kind = 'subagent' AND sessions.project_pinned = 0
       AND p.id = sessions.parent_id AND p.project_pinned = 1`,
    [id],
  );
  return changed > 0;
}

function textOrNull(text: string | undefined): string | null {
  return text === undefined || text === '' ? null : text;
}

/** Widens the session's span of time by a message. */
export function touchSession(store: Store, id: string, at: number | undefined): void {
  if (at === undefined) return;
  store.run(
    `UPDATE sessions SET started_at = min(coalesce(started_at, ?), ?),
       ended_at = max(coalesce(ended_at, ?), ?) WHERE id = ?`,
    [at, at, at, at, id],
  );
}

/** A shared message is at home in the session that others were forked from. */
export function rehome(
  deps: { readonly store: Store; readonly index: MessageIndex },
  messageId: string,
  session: string,
): void {
  const away = deps.store.get(
    `SELECT 1 AS n FROM messages m JOIN sessions c ON c.id = m.session_id
     JOIN sessions p ON p.agent = c.agent AND p.external_id = c.parent_external_id
     WHERE m.id = ? AND p.id = ? AND c.parent_kind = 'fork'`,
    [messageId, session],
  );
  if (away === undefined) return;
  // The index knows a passage by its session; it is made anew where the message is now at home.
  deps.index.remove(messageId);
  deps.store.run('UPDATE messages SET session_id = ? WHERE id = ?', [session, messageId]);
  deps.index.add(messageId);
}
