/**
 * Reading opencode's SQLite database without touching it.
 *
 * Decides: the database and its write-ahead log are copied to a private folder and read there. A
 * reader of a database in WAL mode writes into its shared memory file, and makes one where there is
 * none; a copy leaves bytes, times and folder as they were, and works in a folder that may not be
 * written. A copy that a writer disturbed (sizes or times differ afterwards, or SQLite finds it
 * broken) is made again, for a bounded time; then the source is `source-busy`.
 *
 * Where the system allows it, the copy's names are removed as soon as it is open: what is in it
 * does not outlive the process.
 */
import { copyFile, mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { realKernel } from '@quipu/kernel';
import { openSqlite, type SqliteDatabase } from '@quipu/store';

/** How long, and how often, a disturbed copy is made again. */
const COPY_TRIES_MAX = 20;
const COPY_PAUSE_MS = 250;

/** The source is in use and does not come to rest. */
export class SourceBusy extends Error {
  override readonly name = 'SourceBusy';
  readonly category = 'source-busy';
}

export async function withCopy<T>(
  path: string,
  read: (database: SqliteDatabase) => AsyncIterable<T>,
): Promise<AsyncIterable<T>> {
  for (let attempt = 0; attempt < COPY_TRIES_MAX; attempt += 1) {
    const opened = await tryCopy(path);
    if (opened !== undefined) return readAndClose(opened, read);
    await realKernel().timers.sleep(COPY_PAUSE_MS);
  }
  throw new SourceBusy('the database does not come to rest');
}

async function* readAndClose<T>(
  opened: Opened,
  read: (database: SqliteDatabase) => AsyncIterable<T>,
): AsyncIterable<T> {
  try {
    yield* read(opened.database);
  } finally {
    opened.database.close();
    await rm(opened.folder, { recursive: true, force: true });
  }
}

type Opened = { readonly database: SqliteDatabase; readonly folder: string };

async function tryCopy(path: string): Promise<Opened | undefined> {
  const folder = await mkdtemp(join(tmpdir(), 'quipu-read-'));
  const copy = join(folder, 'copy.db');
  const before = await marks(path);
  await copyFile(path, copy);
  if (before.log !== '') await copyFile(`${path}-wal`, `${copy}-wal`);
  const after = await marks(path);
  if (before.file !== after.file || before.log !== after.log) {
    await rm(folder, { recursive: true, force: true });
    return undefined;
  }
  const database = openSqlite(copy, { busyMs: 0 });
  // Exclusive: no shared memory file is needed, so nothing is opened by name later on.
  database.exec('PRAGMA locking_mode = EXCLUSIVE');
  if (isSound(database)) {
    if (process.platform !== 'win32') await rm(folder, { recursive: true, force: true });
    return { database, folder };
  }
  database.close();
  await rm(folder, { recursive: true, force: true });
  return undefined;
}

function isSound(database: SqliteDatabase): boolean {
  try {
    database.exec('BEGIN IMMEDIATE; COMMIT');
    const row = database.prepare('PRAGMA quick_check(1)').get() as Record<string, unknown>;
    return Object.values(row)[0] === 'ok';
  } catch (failure) {
    if (failure instanceof Error) return false;
    throw failure;
  }
}

/** Size and times of the database and of its log; the log's are empty when there is none. */
async function marks(path: string): Promise<{ file: string; log: string }> {
  const file = await stat(path);
  const log = await stat(`${path}-wal`).catch((failure: NodeJS.ErrnoException) => {
    if (failure.code === 'ENOENT') return undefined;
    throw failure;
  });
  return {
    file: `${file.size} ${file.mtimeMs}`,
    log: log === undefined ? '' : `${log.size} ${log.mtimeMs}`,
  };
}
