/**
 * Where opencode keeps its sessions: a SQLite database, and before that a folder of JSON files.
 *
 *   ~/.local/share/opencode/opencode.db
 *   ~/.local/share/opencode/storage/session/<project>/<id>.json, message/<session>/<id>.json,
 *                                   part/<message>/<id>.json
 *
 * Decides: both come as the same records, sessions first, messages in the order of their making.
 * Of the database only what changed since the last reading is given (by `time_updated`, inclusive:
 * what was known comes again and is known again). The folder is read whole each time.
 */
import { readFile, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { SqliteDatabase } from '@quipu/store';
import { isObject, type JsonObject, numberAt, objectAt, parseObject, stringAt } from '../json.ts';
import type { FinderEnvironment, FoundSource, SourceRecord, TranscriptReader } from '../reader.ts';
import { kindOf, walkFiles } from '../reading/walk.ts';
import { withCopy } from './database.ts';
import { opencodeParser } from './parser.ts';

export function opencodeFolder({ home, env }: FinderEnvironment): string {
  const data = env['XDG_DATA_HOME'];
  return join(data === undefined || data === '' ? join(home, '.local', 'share') : data, 'opencode');
}

const isDatabase = (path: string): boolean => /^opencode[\w-]*\.db$/.test(basename(path));

const found = (path: string): FoundSource => ({
  agent: 'opencode',
  path,
  feed: 'rows',
  part: '',
});

export const opencodeReader: TranscriptReader = {
  parser: opencodeParser,
  feed: async function* feed(source, position, signal) {
    const records = isDatabase(source.path)
      ? await withCopy(source.path, (database) => databaseRecords(database, position))
      : folderRecords(source.path);
    for await (const record of records) {
      if (signal?.aborted === true) return;
      yield record;
    }
  },
  find: (environment) => sourcesIn(opencodeFolder(environment)),
  claim: async function* claim(path) {
    if ((await kindOf(path)) === 'file') {
      if (isDatabase(path)) yield found(path);
      return;
    }
    yield* sourcesIn(path);
    for await (const file of walkFiles(path, isDatabase)) {
      if (dirname(file) !== path) yield found(file);
    }
  },
};

async function* sourcesIn(folder: string): AsyncIterable<FoundSource> {
  for await (const path of walkFiles(folder, isDatabase, { depthMax: 0 })) yield found(path);
  const storage = basename(folder) === 'storage' ? folder : join(folder, 'storage');
  if ((await kindOf(join(storage, 'session'))) === 'folder') yield found(storage);
}

type Row = Readonly<Record<string, unknown>>;

/** Rows fetched at once. */
const PAGE_ROWS = 200;

async function* databaseRecords(
  database: SqliteDatabase,
  since: number,
): AsyncIterable<SourceRecord> {
  const newest = newestOf(database);
  const record = (value: object): SourceRecord => ({
    text: JSON.stringify(value),
    positionAfter: newest,
    elidedBytes: 0,
  });
  const sessions = database.prepare(
    `SELECT * FROM session WHERE id IN (
       SELECT id FROM session WHERE time_updated >= ? UNION
       SELECT session_id FROM message WHERE time_updated >= ? UNION
       SELECT session_id FROM part WHERE time_updated >= ?) ORDER BY time_created, id`,
  );
  const messages = database.prepare(
    `SELECT id, session_id, time_created, data FROM message m WHERE session_id = ?
       AND (time_updated >= ? OR EXISTS (
         SELECT 1 FROM part p WHERE p.message_id = m.id AND p.time_updated >= ?))
       AND (time_created, id) > (?, ?) ORDER BY time_created, id LIMIT ?`,
  );
  const parts = database.prepare('SELECT id, data FROM part WHERE message_id = ? ORDER BY id');
  for (const session of sessions.all(since, since, since) as Row[]) {
    yield record(sessionRecord(session));
    let last: Row | undefined;
    for (;;) {
      const after = [Number(last?.['time_created'] ?? -1), String(last?.['id'] ?? '')] as const;
      const page = messages.all(String(session['id']), since, since, ...after, PAGE_ROWS) as Row[];
      for (const message of page) {
        yield record(messageRecord(message, parts.all(String(message['id'])) as Row[]));
      }
      last = page.at(-1);
      if (page.length < PAGE_ROWS) break;
    }
  }
}

function newestOf(database: SqliteDatabase): number {
  const row = database
    .prepare(
      `SELECT max(t) AS t FROM (SELECT max(time_updated) AS t FROM session UNION ALL
         SELECT max(time_updated) FROM message UNION ALL SELECT max(time_updated) FROM part)`,
    )
    .get() as { t: number | null };
  return row.t ?? 0;
}

function sessionRecord(row: Row): object {
  const model = parseObject(String(row['model'] ?? ''));
  return {
    type: 'session',
    id: row['id'],
    directory: row['directory'],
    title: row['title'],
    version: row['version'],
    model: stringAt(model, 'id'),
    parent: row['parent_id'] ?? '',
  };
}

function messageRecord(row: Row, parts: readonly Row[]): object {
  return {
    type: 'message',
    session: row['session_id'],
    id: row['id'],
    created: row['time_created'],
    info: parseObject(String(row['data'])) ?? {},
    parts: parts.map((part) => ({ id: part['id'], ...parseObject(String(part['data'])) })),
  };
}

async function* folderRecords(storage: string): AsyncIterable<SourceRecord> {
  const record = (value: object, position: number): SourceRecord => ({
    text: JSON.stringify(value),
    positionAfter: position,
    elidedBytes: 0,
  });
  for await (const path of walkFiles(join(storage, 'session'), isJson)) {
    const session = await readJson(path);
    const id = stringAt(session, 'id');
    if (session === undefined || id === '') continue;
    const position = Math.floor((await stat(path)).mtimeMs);
    yield record({ ...session, type: 'session', parent: stringAt(session, 'parentID') }, position);
    const messages = await jsonIn(join(storage, 'message', id));
    messages.sort(
      (a, b) => createdOf(a) - createdOf(b) || (stringAt(a, 'id') < stringAt(b, 'id') ? -1 : 1),
    );
    for (const info of messages) {
      const message = stringAt(info, 'id');
      const parts = await jsonIn(join(storage, 'part', message));
      yield record({ type: 'message', session: id, id: message, info, parts }, position);
    }
  }
}

const isJson = (name: string): boolean => name.endsWith('.json');

const createdOf = (info: JsonObject): number => numberAt(objectAt(info, 'time'), 'created') ?? 0;

async function jsonIn(folder: string): Promise<JsonObject[]> {
  const found: JsonObject[] = [];
  for await (const path of walkFiles(folder, isJson)) {
    const value = await readJson(path);
    if (value !== undefined) found.push(value);
  }
  return found;
}

/** The object in a file; undefined when it is none, or torn: the next reading sees it whole. */
async function readJson(path: string): Promise<JsonObject | undefined> {
  const value = parseObject(await readFile(path, 'utf8'));
  return isObject(value) ? value : undefined;
}
