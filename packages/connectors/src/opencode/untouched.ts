/**
 * Reading another program's SQLite database without touching it, live writer or not.
 *
 * Decides: which way leaves bytes, times and folder as they were, and still sees everything:
 *
 *   log in use     a connection that opens the shared memory read-only too
 *   log at rest    the file alone, as if it were on a read-only disk; watched for a change
 *   rollback mode  an ordinary read-only connection: it locks, and writes nothing
 *   otherwise      a private copy of file and log, made again when a writer disturbs it
 *
 * An ordinary reader of a database in WAL mode writes read marks into its shared memory file, and
 * makes one where there is none. A lock is waited for (`BUSY_TRIES_MAX`), then the source is
 * `source-busy`. Every `read` is short: no transaction stays open that would hold the log back.
 *
 * Formats: https://www.sqlite.org/fileformat2.html, https://www.sqlite.org/walformat.html
 */
import { copyFile, mkdtemp, open, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Timers } from '@quipu/kernel';
import { openSqlite, type SqliteDatabase } from '@quipu/store';
import { SourceFailure } from '../reading/source-failure.ts';
import { BUSY_PAUSE_MS, BUSY_TRIES_MAX, COPY_BYTES_MAX } from './limits.ts';

type Way = 'shared' | 'at-rest' | 'locking' | 'copy';

export class UntouchedDatabase {
  readonly way: Way;
  readonly #database: SqliteDatabase;
  readonly #timers: Timers;
  readonly #path: string;
  readonly #marks: string;
  readonly #folder: string;

  private constructor(opened: Opened, path: string, timers: Timers) {
    this.way = opened.way;
    this.#database = opened.database;
    this.#folder = opened.folder;
    this.#marks = opened.marks;
    this.#path = path;
    this.#timers = timers;
  }

  /** Throws `SourceFailure`: `source-busy`, `source-damaged`, `source-too-large`. */
  static async open(path: string, timers: Timers): Promise<UntouchedDatabase> {
    return untilFree(timers, async () => {
      const opened = await openSomehow(path);
      return opened === undefined ? undefined : new UntouchedDatabase(opened, path, timers);
    });
  }

  /** What `ask` finds, in one moment of the database. It may be asked again after a lock. */
  async read<T>(ask: (database: SqliteDatabase) => T): Promise<T> {
    const found = await untilFree(this.#timers, async () => ({ value: ask(this.#database) }));
    // Nobody holds a lock against a writer here: one that began meanwhile is seen by its traces.
    if (this.way === 'at-rest' && (await marksOf(this.#path)) !== this.#marks) {
      throw new SourceFailure('source-busy');
    }
    return found.value;
  }

  async close(): Promise<void> {
    this.#database.close();
    if (this.#folder !== '') await rm(this.#folder, { recursive: true, force: true });
  }
}

type Opened = {
  readonly way: Way;
  readonly database: SqliteDatabase;
  readonly marks: string;
  /** The private folder of a copy; else empty. */
  readonly folder: string;
};

async function untilFree<T>(timers: Timers, attempt: () => Promise<T | undefined>): Promise<T> {
  for (let tries = 0; tries < BUSY_TRIES_MAX; tries += 1) {
    if (tries > 0) await timers.sleep(BUSY_PAUSE_MS);
    try {
      const done = await attempt();
      if (done !== undefined) return done;
    } catch (failure) {
      const code = resultCode(failure);
      if (DAMAGED.has(code)) throw new SourceFailure('source-damaged');
      if (code === NO_SUCH_TABLE) throw new SourceFailure('source-unknown-form');
      if (!BUSY.has(code)) throw failure;
    }
  }
  throw new SourceFailure('source-busy');
}

/** SQLite's primary result codes: https://www.sqlite.org/rescode.html */
const NO_SUCH_TABLE = 1;
const BUSY = new Set([5, 6]);
const CLOSED_WAY = new Set([8, 14]);
const DAMAGED = new Set([11, 26]);

/** The primary result code of a driver's error; -1 for any other failure. */
function resultCode(failure: unknown): number {
  const code = failure instanceof Error ? (failure as { errcode?: unknown }).errcode : undefined;
  return typeof code === 'number' ? code & 0xff : -1;
}

/** Undefined when a writer disturbed the copy: to be tried again. */
async function openSomehow(path: string): Promise<Opened | undefined> {
  const marks = await marksOf(path);
  const [log, memory] = await Promise.all(['-wal', '-shm'].map((end) => sizeOf(`${path}${end}`)));
  const way = (await usesLog(path)) ? wayOfLog(log, memory) : 'locking';
  if (way !== 'copy') {
    const database = tryWay(path, QUERY[way]);
    if (database !== undefined) return { way, database, marks, folder: '' };
  }
  return openCopy(path, marks);
}

function wayOfLog(log: number | undefined, memory: number | undefined): Way {
  if (memory !== undefined) return 'shared';
  return (log ?? 0) === 0 ? 'at-rest' : 'copy';
}

const QUERY: Readonly<Record<Exclude<Way, 'copy'>, string>> = {
  shared: '?mode=ro&readonly_shm=1',
  'at-rest': '?mode=ro&immutable=1',
  locking: '?mode=ro',
};

/** Undefined when this way is closed: a state that only a writer could mend (a hot journal). */
function tryWay(path: string, query: string): SqliteDatabase | undefined {
  let database: SqliteDatabase | undefined;
  try {
    database = openSqlite(`${pathToFileURL(path).href}${query}`, { readOnly: true, busyMs: 0 });
    database.prepare('SELECT count(*) FROM sqlite_schema').get();
    return database;
  } catch (failure) {
    database?.close();
    if (CLOSED_WAY.has(resultCode(failure))) return undefined;
    throw failure;
  }
}

async function openCopy(path: string, marks: string): Promise<Opened | undefined> {
  const sizes = await Promise.all(['', '-wal'].map((suffix) => sizeOf(`${path}${suffix}`)));
  const bytes = sizes.reduce<number>((sum, size) => sum + (size ?? 0), 0);
  if (bytes > COPY_BYTES_MAX) throw new SourceFailure('source-too-large');
  const folder = await mkdtemp(join(tmpdir(), 'quipu-read-'));
  const copy = join(folder, 'copy.db');
  let database: SqliteDatabase | undefined;
  try {
    await copyFile(path, copy);
    for (const suffix of ['-wal', '-journal']) {
      if (((await sizeOf(`${path}${suffix}`)) ?? 0) > 0) {
        await copyFile(`${path}${suffix}`, `${copy}${suffix}`);
      }
    }
    if ((await marksOf(path)) === marks) {
      database = openSqlite(copy, { busyMs: 0 });
      // Exclusive: no shared memory file is needed, so nothing is opened by name later on.
      database.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN IMMEDIATE; COMMIT');
      const check = database.prepare('PRAGMA quick_check(1)').get() as Record<string, unknown>;
      if (Object.values(check)[0] === 'ok') {
        // Where the system allows it, what is in the copy does not outlive the process.
        if (process.platform !== 'win32') await rm(folder, { recursive: true, force: true });
        return { way: 'copy', database, marks, folder };
      }
    }
  } catch (failure) {
    database?.close();
    await rm(folder, { recursive: true, force: true });
    throw failure;
  }
  database?.close();
  await rm(folder, { recursive: true, force: true });
  return undefined;
}

async function sizeOf(path: string): Promise<number | undefined> {
  return (await statOf(path))?.size;
}

async function statOf(path: string) {
  try {
    return await stat(path);
  } catch (failure) {
    if ((failure as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw failure;
  }
}

/** Sizes and times of the database and the files beside it: another text after any write. */
export async function marksOf(path: string): Promise<string> {
  const files = await Promise.all(
    ['', '-wal', '-shm', '-journal'].map((suffix) => statOf(`${path}${suffix}`)),
  );
  return files.map((file) => (file === undefined ? '-' : `${file.size}@${file.mtimeMs}`)).join(' ');
}

async function bytesAt(path: string, count: number): Promise<Buffer> {
  const file = await open(path, 'r');
  try {
    const buffer = Buffer.alloc(count);
    const { bytesRead } = await file.read(buffer, 0, count, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}

/** Byte 18 of the header, the write version: 2 is WAL. */
async function usesLog(path: string): Promise<boolean> {
  return (await bytesAt(path, 20))[18] === 2;
}
