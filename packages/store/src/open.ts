/**
 * Opening the store.
 *
 *   directory ok? ─▶ header: ours? version? ─▶ open ─▶ pragmas ─▶ migrate ─▶ Store
 *
 * Decides: what is refused, and that a refused file is left as it was: the header is read with
 * plain reads before SQLite sees the file, so a newer store gets no log file beside it. A backup is
 * made before the first migration of a version. There is never another store to fall back to.
 *
 * Invariants: STORE-7 (a newer or foreign file is untouched), STORE-8 (directory 0700, files 0600).
 */
import {
  chmodSync,
  closeSync,
  existsSync,
  fsyncSync,
  lstatSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { join } from 'node:path';
import { err, ok, type Result } from '@quipu/base';
import type { Kernel } from '@quipu/kernel';
import { type FileSystemType, fileSystemType, prepareDirectory } from './directory.ts';
import { openSqlite, type SqliteDatabase } from './driver.ts';
import { classify, type StoreOpenError } from './errors.ts';
import {
  BUSY_MS_MAX,
  CACHE_KIB,
  MIGRATION_WAIT_MS_MAX,
  WAL_BYTES_KEPT,
  WAL_PAGES,
} from './limits.ts';
import { APPLICATION_ID, MIGRATIONS, type Migration } from './migrations.ts';
import { Store } from './store.ts';

export const STORE_FILE = 'quipu.db';

export type OpenOptions = {
  readonly directory: string;
  readonly kernel: Kernel;
  readonly readOnly?: boolean;
  /** Tests give their own. */
  readonly migrations?: readonly Migration[];
  readonly typeOf?: FileSystemType;
};

export async function openStore(options: OpenOptions): Promise<Result<Store, StoreOpenError>> {
  const directory = prepareDirectory(options.directory, options.typeOf ?? fileSystemType);
  if (!directory.ok) return directory;
  const path = join(options.directory, STORE_FILE);
  const migrations = options.migrations ?? MIGRATIONS;
  const header = inspect(path, migrations.length);
  if (!header.ok) return header;
  if (options.readOnly === true && header.value === 'new') {
    return err({ kind: 'missing', message: `There is no memory in ${options.directory} yet.` });
  }
  try {
    if (header.value === 'new') createPrivate(path);
    return ok(connect(path, migrations, options));
  } catch (failure) {
    const known = classify(failure);
    if (known === undefined) throw failure;
    return err({ kind: known.kind, message: `${path}: ${known.message}` });
  }
}

function createPrivate(path: string): void {
  // `wx` would lose the race of two first starts; SQLite takes an empty file as a new one.
  closeSync(openSync(path, 'a', 0o600));
}

/**
 * Offsets of SQLite's file header (https://www.sqlite.org/fileformat2.html#the_database_header).
 */
const HEADER = { bytes: 100, magic: 'SQLite format 3\0', userVersion: 60, applicationId: 68 };

type Inspected = 'new' | 'ours';

function inspect(path: string, supported: number): Result<Inspected, StoreOpenError> {
  if (!existsSync(path)) return ok('new');
  const found = lstatSync(path);
  if (!found.isFile()) {
    return err({ kind: 'not-a-store', message: `${path} is not a plain file.` });
  }
  const header = readHeader(path);
  if (!header.ok) return header;
  if (process.platform !== 'win32' && (found.mode & 0o077) !== 0) chmodSync(path, 0o600);
  if (header.value.length === 0) return ok('new');
  if (
    header.value.length < HEADER.bytes ||
    header.value.toString('latin1', 0, HEADER.magic.length) !== HEADER.magic
  ) {
    return err({
      kind: 'not-a-store',
      message: `${path} is not a Quipu memory; it is left alone.`,
    });
  }
  const application = header.value.readUInt32BE(HEADER.applicationId);
  const version = header.value.readUInt32BE(HEADER.userVersion);
  // A first start that died before its first migration leaves an empty database without a mark.
  if (application !== APPLICATION_ID && !(application === 0 && version === 0)) {
    return err({
      kind: 'not-a-store',
      message: `${path} is a database of another program; it is left alone.`,
    });
  }
  if (version > supported) {
    return err({
      kind: 'newer-schema',
      message:
        `${path} was made by a newer Quipu (schema ${version}; this one knows ${supported}). ` +
        'It is left untouched; install the newer Quipu again.',
    });
  }
  return ok('ours');
}

function readHeader(path: string): Result<Buffer, StoreOpenError> {
  let file: number | undefined;
  try {
    file = openSync(path, 'r');
    const buffer = Buffer.alloc(HEADER.bytes);
    return ok(buffer.subarray(0, readSync(file, buffer, 0, HEADER.bytes, 0)));
  } catch (failure) {
    const code = (failure as NodeJS.ErrnoException).code;
    if (code === undefined) throw failure;
    return err({ kind: 'unwritable', message: `${path} cannot be read (${code}).` });
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

function connect(path: string, migrations: readonly Migration[], options: OpenOptions): Store {
  const readOnly = options.readOnly ?? false;
  const database = openSqlite(path, { readOnly, busyMs: MIGRATION_WAIT_MS_MAX });
  try {
    if (!readOnly) {
      database.exec('PRAGMA journal_mode = WAL');
      database.exec('PRAGMA synchronous = FULL');
      database.exec('PRAGMA secure_delete = ON');
      database.exec(`PRAGMA wal_autocheckpoint = ${WAL_PAGES}`);
      database.exec(`PRAGMA journal_size_limit = ${WAL_BYTES_KEPT}`);
      migrate(database, path, migrations);
    }
    database.exec(`PRAGMA cache_size = -${CACHE_KIB}`);
    database.exec('PRAGMA temp_store = MEMORY');
    database.exec(`PRAGMA busy_timeout = ${BUSY_MS_MAX}`);
  } catch (failure) {
    database.close();
    throw failure;
  }
  return new Store(database, { path, readOnly, schemaVersion: versionOf(database) });
}

function versionOf(database: SqliteDatabase): number {
  const row = database.prepare('PRAGMA user_version').get() as { user_version: number };
  return row.user_version;
}

/** Brings the file to the newest version. Of several processes one does each step; others wait. */
function migrate(database: SqliteDatabase, path: string, migrations: readonly Migration[]): void {
  const from = versionOf(database);
  if (from === migrations.length) return;
  if (from > 0) backUp(database, path, from);
  for (;;) {
    database.exec('BEGIN IMMEDIATE');
    try {
      // Read again under the lock: another process may have migrated while we waited.
      const version = versionOf(database);
      const migration = migrations[version];
      if (migration === undefined) {
        database.exec('COMMIT');
        return;
      }
      migration.up(database);
      if (version === 0) database.exec(`PRAGMA application_id = ${APPLICATION_ID}`);
      database.exec(`PRAGMA user_version = ${version + 1}`);
      database.exec('COMMIT');
    } catch (failure) {
      if (database.isTransaction) database.exec('ROLLBACK');
      throw failure;
    }
  }
}

/** The file as it was at `version`, beside it; made once a version, whole or not at all. */
export const backupPath = (path: string, version: number): string => `${path}.backup-v${version}`;

function backUp(database: SqliteDatabase, path: string, version: number): void {
  const target = backupPath(path, version);
  if (existsSync(target)) return;
  const partial = `${target}.${process.pid}.partial`;
  rmSync(partial, { force: true });
  closeSync(openSync(partial, 'wx', 0o600));
  rmSync(partial);
  database.prepare('VACUUM INTO ?').run(partial);
  chmodSync(partial, 0o600);
  const file = openSync(partial, 'r+');
  fsyncSync(file);
  closeSync(file);
  renameSync(partial, target);
}
