/**
 * Records of opencode's SQLite database.
 *
 * Decides: only what changed since the last reading is given, by `time_updated`; the position is
 * the newest of those times. When something is newer, rows from a little before it are given again,
 * since another process may have committed them late: admission knows them. Of a session the
 * messages come in the order in which they were made.
 * A fork names no parent. It is told by messages that are older than their session: the parent is
 * the session that holds a message of the same moment as the newest of those.
 */
import type { Timers } from '@quipu/kernel';
import type { SqliteDatabase } from '@quipu/store';
import { Elider } from '../feed/elide.ts';
import { type JsonObject, parseObject, stringAt } from '../json.ts';
import type { SourceRecord } from '../reader.ts';
import { OVERLAP_MS, PAGE_ROWS_MAX, PART_CHARS_MAX } from './limits.ts';
import { UntouchedDatabase } from './untouched.ts';

type Row = Readonly<Record<string, unknown>>;

export async function* databaseRecords(
  path: string,
  position: number,
  timers: Timers,
): AsyncIterable<SourceRecord> {
  const database = await UntouchedDatabase.open(path, timers);
  try {
    const newest = await database.read(newestOf);
    if (newest <= position) return;
    const since = Math.max(0, position - OVERLAP_MS);
    for (const session of await database.read((db) => sessionsSince(db, since))) {
      const forkOf = await database.read((db) => forkedFrom(db, session));
      yield recordOf(sessionRecord(session, forkOf), newest, 0);
      let last: Row | undefined;
      for (;;) {
        const page = await database.read((db) => messagesAfter(db, session, since, last));
        for (const { row, parts } of page) yield messageRecord(row, parts, newest);
        last = page.at(-1)?.row;
        if (page.length < PAGE_ROWS_MAX) break;
      }
    }
  } finally {
    await database.close();
  }
}

/** Ids of the sessions in the database: what the older JSON files of the same need not repeat. */
export async function sessionIds(path: string, timers: Timers): Promise<ReadonlySet<string>> {
  const database = await UntouchedDatabase.open(path, timers);
  try {
    const rows = await database.read((db) => db.prepare('SELECT id FROM session').all());
    return new Set((rows as Row[]).map((row) => String(row['id'])));
  } finally {
    await database.close();
  }
}

function newestOf(database: SqliteDatabase): number {
  const row = database
    .prepare(
      `SELECT max(t) AS t FROM (SELECT max(time_updated) AS t FROM session UNION ALL
         SELECT max(time_updated) FROM message UNION ALL SELECT max(time_updated) FROM part)`,
    )
    .get() as { t: unknown };
  return typeof row.t === 'number' ? row.t : 0;
}

function sessionsSince(database: SqliteDatabase, since: number): readonly Row[] {
  return database
    .prepare(
      `SELECT * FROM session WHERE id IN (
         SELECT id FROM session WHERE time_updated >= ? UNION
         SELECT session_id FROM message WHERE time_updated >= ? UNION
         SELECT session_id FROM part WHERE time_updated >= ?) ORDER BY time_created, id`,
    )
    .all(since, since, since) as Row[];
}

function forkedFrom(database: SqliteDatabase, session: Row): string {
  const { id, time_created: created, parent_id: parent } = session;
  if (typeof id !== 'string' || typeof created !== 'number' || parent !== null) return '';
  const row = database
    .prepare(
      `SELECT o.session_id AS id FROM message o JOIN session s ON s.id = o.session_id
       WHERE o.time_created = (
           SELECT max(time_created) FROM message WHERE session_id = ? AND time_created < ?)
         AND o.session_id <> ? AND s.time_created < ?
       ORDER BY s.time_created DESC LIMIT 1`,
    )
    .get(id, created, id, created) as { id: unknown } | undefined;
  return typeof row?.id === 'string' ? row.id : '';
}

type MessageRow = { readonly row: Row; readonly parts: readonly Row[] };

function messagesAfter(
  database: SqliteDatabase,
  session: Row,
  since: number,
  last: Row | undefined,
): readonly MessageRow[] {
  const rows = database
    .prepare(
      `SELECT id, session_id, time_created, data FROM message m WHERE session_id = ?
         AND (time_updated >= ? OR EXISTS (
           SELECT 1 FROM part p WHERE p.message_id = m.id AND p.time_updated >= ?))
         AND (time_created, id) > (?, ?) ORDER BY time_created, id LIMIT ?`,
    )
    .all(
      String(session['id']),
      since,
      since,
      Number(last?.['time_created'] ?? -1),
      String(last?.['id'] ?? ''),
      PAGE_ROWS_MAX,
    ) as Row[];
  const parts = database.prepare('SELECT id, data FROM part WHERE message_id = ? ORDER BY id');
  return rows.map((row) => ({ row, parts: parts.all(String(row['id'])) as Row[] }));
}

function sessionRecord(row: Row, forkOf: string): object {
  return {
    type: 'session',
    id: row['id'],
    directory: row['directory'],
    title: row['title'],
    version: row['version'],
    model: stringAt(parseObject(String(row['model'] ?? '')), 'id'),
    parent: row['parent_id'] ?? '',
    forkOf,
  };
}

function messageRecord(row: Row, rows: readonly Row[], position: number): SourceRecord {
  let elidedBytes = 0;
  const parts = rows.map((part) => {
    const held = heldText(String(part['data'] ?? ''));
    elidedBytes += held.elidedBytes;
    return { ...parseObject(held.text), id: part['id'] };
  });
  const value = {
    type: 'message',
    session: row['session_id'],
    id: row['id'],
    created: row['time_created'],
    info: aboutOf(parseObject(String(row['data'])) ?? {}),
    parts,
  };
  return recordOf(value, position, elidedBytes);
}

/** A message's own fields without the differences of files that some versions keep in it. */
const aboutOf = ({ summary, ...info }: JsonObject): JsonObject =>
  typeof summary === 'object' ? info : { ...info, summary };

function heldText(text: string): { readonly text: string; readonly elidedBytes: number } {
  if (text.length <= PART_CHARS_MAX) return { text, elidedBytes: 0 };
  const elider = new Elider();
  elider.write(Buffer.from(text));
  return { text: elider.end().toString('utf8'), elidedBytes: elider.elidedBytes };
}

export const recordOf = (
  value: object,
  positionAfter: number,
  elidedBytes: number,
): SourceRecord => ({ text: JSON.stringify(value), positionAfter, elidedBytes });
