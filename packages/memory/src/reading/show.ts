/**
 * Opening one thing: a message with its neighbours, a session page by page, a project.
 */
import { assert, ok, type Result } from '@quipu/base';
import type { Store } from '@quipu/store';
import { type MemoryError, memoryError } from '../errors.ts';
import {
  MESSAGES_PAGE_DEFAULT,
  MESSAGES_PAGE_MAX,
  NEIGHBOUR_MESSAGES,
  SESSIONS_PAGE_MAX,
} from '../limits.ts';
import { type MessageView, OUTPUT_VERSION, type SessionView, type ShowView } from '../shapes.ts';
import { findThing } from './ids.ts';
import {
  MESSAGE_COLUMNS,
  type MessageRecord,
  messageView,
  PROJECT_SELECT,
  type ProjectRecord,
  projectView,
  SESSION_SELECT,
  type SessionRecord,
  sessionView,
} from './views.ts';

export type ShowPage = {
  readonly offset?: number | undefined;
  readonly limit?: number | undefined;
};

export function show(store: Store, id: string, page: ShowPage): Result<ShowView, MemoryError> {
  const thing = findThing(store, id);
  if (!thing.ok) return thing;
  switch (thing.value.kind) {
    case 'message':
      return showMessage(store, thing.value.id);
    case 'session':
      return showSession(store, thing.value.id, page);
    case 'project':
      return ok(showProject(store, thing.value.id));
  }
}

function showMessage(store: Store, id: string): Result<ShowView, MemoryError> {
  const row = store.get(
    `SELECT ${MESSAGE_COLUMNS} FROM messages m JOIN session_messages sm
       ON sm.message_id = m.id AND sm.session_id = m.session_id WHERE m.id = ?`,
    [id],
  ) as MessageRecord | undefined;
  if (row === undefined) return memoryError('not-found', `The message '${id}' was forgotten.`);
  return ok({
    version: OUTPUT_VERSION,
    type: 'message',
    message: messageView(store, row),
    session: readSession(store, row.session_id),
    before: neighbours(store, row, 'before').reverse(),
    after: neighbours(store, row, 'after'),
  });
}

function neighbours(store: Store, row: MessageRecord, side: 'before' | 'after'): MessageView[] {
  const [compare, order] = side === 'before' ? ['<', 'DESC'] : ['>', 'ASC'];
  const rows = store.all(
    `SELECT ${MESSAGE_COLUMNS} FROM session_messages sm JOIN messages m ON m.id = sm.message_id
     WHERE sm.session_id = ? AND sm.position ${compare} ? ORDER BY sm.position ${order} LIMIT ?`,
    [row.session_id, row.position, NEIGHBOUR_MESSAGES],
  ) as MessageRecord[];
  return rows.map((each) => messageView(store, each));
}

export function readSession(store: Store, id: string): SessionView {
  const row = store.get(`${SESSION_SELECT} WHERE s.id = ?`, [id]) as SessionRecord | undefined;
  assert(row !== undefined, 'the session of a stored message is stored');
  return sessionView(row);
}

function showSession(store: Store, id: string, page: ShowPage): Result<ShowView, MemoryError> {
  const offset = page.offset ?? 0;
  const limit = page.limit ?? MESSAGES_PAGE_DEFAULT;
  if (!isCount(offset) || !isCount(limit) || limit < 1 || limit > MESSAGES_PAGE_MAX) {
    return memoryError(
      'bad-request',
      `offset is a whole number from 0, limit one from 1 to ${MESSAGES_PAGE_MAX}.`,
    );
  }
  const rows = store.all(
    `SELECT ${MESSAGE_COLUMNS} FROM session_messages sm JOIN messages m ON m.id = sm.message_id
     WHERE sm.session_id = ? ORDER BY sm.position LIMIT ? OFFSET ?`,
    [id, limit + 1, offset],
  ) as MessageRecord[];
  const children = store.all(
    `${SESSION_SELECT} WHERE s.parent_id = ? ORDER BY s.started_at, s.id LIMIT ?`,
    [id, SESSIONS_PAGE_MAX],
  ) as SessionRecord[];
  return ok({
    version: OUTPUT_VERSION,
    type: 'session',
    session: readSession(store, id),
    messages: rows.slice(0, limit).map((row) => messageView(store, row)),
    nextOffset: rows.length > limit ? offset + limit : null,
    children: children.map(sessionView),
  });
}

const isCount = (value: number): boolean => Number.isInteger(value) && value >= 0;

function showProject(store: Store, id: string): ShowView {
  const row = store.get(`${PROJECT_SELECT} WHERE p.id = ? GROUP BY p.id`, [id]) as
    | ProjectRecord
    | undefined;
  assert(row !== undefined, 'a found project is stored');
  const sessions = store.all(
    `${SESSION_SELECT} WHERE s.project_id = ? ORDER BY s.ended_at DESC, s.id LIMIT ?`,
    [id, SESSIONS_PAGE_MAX],
  ) as SessionRecord[];
  return {
    version: OUTPUT_VERSION,
    type: 'project',
    project: projectView(row),
    sessions: sessions.map(sessionView),
  };
}
