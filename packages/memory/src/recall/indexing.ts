/**
 * Keeping the indexes in step with messages.
 *
 * Decides: which rows stand for a message. Called inside the transaction that writes the message:
 * what was saved is found by the next search. Vectors come later (`vectors.ts`).
 *
 * A passage's id is `number of its session · 2²⁰ + place`. Places follow the order of writing,
 * which is the order of the transcript; a message rewritten in the middle of a session moves to its
 * end, which costs only what its old neighbours would have lent it.
 */
import { assert } from '@quipu/base';
import type { Role, Store } from '@quipu/store';
import { readParts } from '../admission/rows.ts';
import { type Passage, passagesOf } from '../chunks/passages.ts';
import { identifiersOf } from './identifiers.ts';
import { SESSION_PASSAGES_MAX } from './limits.ts';
import { termsOf } from './terms.ts';
import { clearCodes } from './vectors.ts';

/** In the word index this stands for "the passage ends in a question mark". */
export const QUESTION_TERM = 'zzquestionzz';

type SessionRow = { number: number; next: number; chunks: number; terms: number; authors: string };
type MessageRow = {
  readonly session_id: string;
  readonly role: Role;
  readonly author: string;
  readonly at: number | null;
  readonly agent: string;
  readonly external_id: string;
};

/** Adds a stored message that has no rows here yet. */
export function indexMessage(store: Store, messageId: string): void {
  const message = store.get(
    `SELECT m.session_id, m.role, m.author, m.at, s.agent, s.external_id
     FROM messages m JOIN sessions s ON s.id = m.session_id WHERE m.id = ?`,
    [messageId],
  ) as MessageRow | undefined;
  if (message === undefined) return;
  const passages = passagesOf(readParts(store, messageId));
  if (passages.length === 0) return;
  const session = sessionRow(store, message.session_id);
  const remembered = message.agent === 'quipu' && message.external_id.startsWith('remembered:');
  for (const passage of passages) {
    if (session.next >= SESSION_PASSAGES_MAX) break;
    const id = session.number * SESSION_PASSAGES_MAX + session.next;
    const kind = remembered ? 'memory' : passage.kind;
    const terms = writePassage(store, { id, messageId, message, kind, passage });
    session.next += 1;
    if (passage.ranked) {
      session.chunks += 1;
      session.terms += terms;
    }
  }
  const authors = new Set(session.authors.split('\n').filter((name) => name !== ''));
  if (message.author !== '' && authors.size < SESSION_AUTHORS_MAX) authors.add(message.author);
  store.run(
    'UPDATE chunk_sessions SET next = ?, chunks = ?, terms = ?, authors = ? WHERE number = ?',
    [session.next, session.chunks, session.terms, [...authors].join('\n'), session.number],
  );
}

const SESSION_AUTHORS_MAX = 16;

function sessionRow(store: Store, sessionId: string): SessionRow {
  const known = store.get(
    `SELECT number, next, chunks, terms, authors FROM chunk_sessions
     WHERE session_id = ? ORDER BY number DESC LIMIT 1`,
    [sessionId],
  ) as SessionRow | undefined;
  if (known !== undefined) return known;
  const { number } = store.get(
    'SELECT coalesce(max(number), 0) + 1 AS number FROM chunk_sessions',
  ) as { number: number };
  store.run(
    `INSERT INTO chunk_sessions (number, session_id, next, chunks, terms, authors)
     VALUES (?, ?, 0, 0, 0, '')`,
    [number, sessionId],
  );
  return { number, next: 0, chunks: 0, terms: 0, authors: '' };
}

type PassageRow = {
  readonly id: number;
  readonly messageId: string;
  readonly message: MessageRow;
  readonly kind: string;
  readonly passage: Passage;
};

/** Returns the number of content terms. */
function writePassage(store: Store, row: PassageRow): number {
  const { id, passage, message } = row;
  const terms = passage.ranked ? termsOf(passage.text) : [];
  const joined = terms.join(' ');
  store.run(
    `INSERT INTO chunks (id, message_id, part_ordinal, ordinal, kind, role, at, start, "end",
       ranked, text, terms) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    [
      id,
      row.messageId,
      passage.partOrdinal,
      passage.ordinal,
      row.kind,
      message.role,
      message.at,
      passage.start,
      passage.end,
      passage.ranked ? 1 : 0,
      passage.text,
      joined,
    ],
  );
  if (passage.ranked) {
    const question = passage.text.endsWith('?') ? ` ${QUESTION_TERM}` : '';
    const words = `${joined}${question}`;
    if (words !== '') insertFullText(store, 'chunks_words', 'terms', id, words);
    const identifiers = identifiersOf(passage.text).join(' ');
    if (identifiers !== '') {
      insertFullText(store, 'chunks_identifiers', 'terms', id, identifiers);
    }
  }
  insertFullText(store, 'chunks_trigram', 'text', id, passage.text);
  return terms.length;
}

type FullTextName = 'chunks_words' | 'chunks_identifiers' | 'chunks_trigram';

function insertFullText(
  store: Store,
  table: FullTextName,
  column: string,
  id: number,
  text: string,
): void {
  store.run(`INSERT INTO ${table} (rowid, ${column}) VALUES (?, ?)`, [id, text]);
}

/** Takes a message out of every index; nothing happens when it is in none. */
export function unindexMessage(store: Store, messageId: string): void {
  const rows = store.all('SELECT id, ranked, terms FROM chunks WHERE message_id = ? ORDER BY id', [
    messageId,
  ]) as { id: number; ranked: number; terms: string }[];
  for (const row of rows) {
    for (const table of ['chunks_words', 'chunks_identifiers', 'chunks_trigram'] as const) {
      store.run(`DELETE FROM ${table} WHERE rowid = ?`, [row.id]);
    }
    store.run('DELETE FROM chunk_vectors WHERE chunk_id = ?', [row.id]);
  }
  clearCodes(
    store,
    rows.map((row) => row.id),
  );
  store.run('DELETE FROM chunks WHERE message_id = ?', [messageId]);
  forgetPlaces(store, rows);
}

/** Counts down the sessions, and gives the last places of a session free again. */
function forgetPlaces(
  store: Store,
  rows: readonly { id: number; ranked: number; terms: string }[],
): void {
  for (const row of [...rows].reverse()) {
    const number = sessionNumberOf(row.id);
    const place = row.id - number * SESSION_PASSAGES_MAX;
    const terms = row.terms === '' ? 0 : row.terms.split(' ').length;
    const changed = store.run(
      `UPDATE chunk_sessions SET chunks = chunks - ?, terms = terms - ?,
         next = CASE WHEN next = ? THEN next - 1 ELSE next END WHERE number = ?`,
      [row.ranked, terms, place + 1, number],
    );
    assert(changed === 1, 'the session of a passage has its row');
  }
}

export const sessionNumberOf = (chunkId: number): number =>
  Math.floor(chunkId / SESSION_PASSAGES_MAX);
