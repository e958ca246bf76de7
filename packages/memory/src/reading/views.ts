/**
 * Rows as the documented shapes (`shapes.ts`). Decides nothing but form: times as ISO 8601, absent
 * text as null.
 */
import type { Role, Store } from '@quipu/store';
import { readParts } from '../admission/rows.ts';
import type { MessageView, ProjectView, SessionView } from '../shapes.ts';

export const isoOrNull = (at: number | null): string | null =>
  at === null ? null : new Date(at).toISOString();

const textOrNull = (text: string | null): string | null => (text === '' ? null : text);

export type MessageRecord = {
  readonly id: string;
  readonly session_id: string;
  readonly external_id: string;
  readonly role: Role;
  readonly author: string;
  readonly at: number | null;
  readonly model: string | null;
  readonly position: number;
};

export const MESSAGE_COLUMNS =
  'm.id, m.session_id, m.external_id, m.role, m.author, m.at, m.model, sm.position';

export function messageView(store: Store, row: MessageRecord): MessageView {
  return {
    id: row.id,
    externalId: textOrNull(row.external_id),
    sessionId: row.session_id,
    position: row.position,
    role: row.role,
    author: textOrNull(row.author),
    at: isoOrNull(row.at),
    model: textOrNull(row.model),
    parts: readParts(store, row.id),
  };
}

export type SessionRecord = {
  readonly id: string;
  readonly agent: string;
  readonly external_id: string;
  readonly project_id: string | null;
  readonly project_name: string | null;
  readonly title: string | null;
  readonly cwd: string | null;
  readonly started_at: number | null;
  readonly ended_at: number | null;
  readonly messages: number;
  readonly parent_id: string | null;
  readonly parent_kind: 'subagent' | 'fork' | null;
};

/**
 * `messages` counts what the session shows, shared prefix included; a forgotten message stays as an
 * empty place.
 */
export const SESSION_SELECT = `SELECT s.id, s.agent, s.external_id, s.project_id,
    p.name AS project_name, s.title, s.cwd, s.started_at, s.ended_at,
    (SELECT count(*) FROM session_messages sm WHERE sm.session_id = s.id) AS messages,
    s.parent_id, s.parent_kind
  FROM sessions s LEFT JOIN projects p ON p.id = s.project_id`;

export function sessionView(row: SessionRecord): SessionView {
  return {
    id: row.id,
    externalId: row.external_id,
    agent: row.agent,
    project: row.project_id === null ? null : { id: row.project_id, name: row.project_name ?? '' },
    title: row.title,
    cwd: row.cwd,
    startedAt: isoOrNull(row.started_at),
    endedAt: isoOrNull(row.ended_at),
    messages: row.messages,
    parent:
      row.parent_id === null || row.parent_kind === null
        ? null
        : { id: row.parent_id, kind: row.parent_kind },
  };
}

export type ProjectRecord = {
  readonly id: string;
  readonly name: string;
  readonly root: string | null;
  readonly remote: string | null;
  readonly sessions: number;
  readonly messages: number;
  readonly last_at: number | null;
};

export const PROJECT_SELECT = `SELECT p.id, p.name, p.root, p.remote,
    count(s.id) AS sessions, max(s.ended_at) AS last_at,
    (SELECT count(*) FROM messages m JOIN sessions ms ON ms.id = m.session_id
      WHERE ms.project_id = p.id) AS messages
  FROM projects p LEFT JOIN sessions s ON s.project_id = p.id
    AND EXISTS (SELECT 1 FROM session_messages sm WHERE sm.session_id = s.id)`;

export function projectView(row: ProjectRecord): ProjectView {
  return {
    id: row.id,
    name: row.name,
    root: textOrNull(row.root),
    remote: textOrNull(row.remote),
    sessions: row.sessions,
    messages: row.messages,
    lastAt: isoOrNull(row.last_at),
  };
}
