/**
 * Opening the store.
 *
 *   directory ok? ─▶ header: ours? version? ─▶ open ─▶ pragmas ─▶ migrate ─▶ Store
 *
 * Decides: what is refused, and that a refused file is left as it was (`file-header.ts` looks
 * before SQLite does). An acknowledged write is on the disk: `synchronous = FULL` syncs the log at
 * each commit, where NORMAL would lose the last commits with the power. A file that needs migrating
 * is not opened for reading alone. There is never another store to fall back to.
 *
 * Invariants: STORE-7 (a newer or foreign file is untouched), STORE-8 (directory 0700, files 0600).
 */
import { chmodSync, closeSync, lstatSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { err, ok, type Result } from '@quipu/base';
import type { Kernel } from '@quipu/kernel';
import { prepareDirectory } from './directory.ts';
import { openSqlite } from './driver.ts';
import { classify, fileError, fileErrorCode, StoreFailure, type StoreOpenError } from './errors.ts';
import { readFileHeader } from './file-header.ts';
import { type FileSystemOf, fileSystemOf } from './file-system.ts';
import {
  BUSY_MS_MAX,
  CACHE_KIB,
  MIGRATION_WAIT_MS_MAX,
  WAL_BYTES_KEPT,
  WAL_PAGES,
} from './limits.ts';
import { execute, migrate, versionOf } from './migrate.ts';
import { APPLICATION_ID, MIGRATIONS, type Migration } from './migrations.ts';
import { Store } from './store.ts';

export const STORE_FILE = 'quipu.db';

export type OpenOptions = {
  readonly directory: string;
  readonly kernel: Kernel;
  readonly readOnly?: boolean;
  /** Tests give their own. */
  readonly migrations?: readonly Migration[];
  readonly fileSystemOf?: FileSystemOf;
  readonly waitMs?: { readonly busy: number; readonly migration: number };
};

export async function openStore(options: OpenOptions): Promise<Result<Store, StoreOpenError>> {
  const readOnly = options.readOnly ?? false;
  const directory = prepareDirectory(options.directory, {
    make: !readOnly,
    fileSystemOf: options.fileSystemOf ?? fileSystemOf,
  });
  if (!directory.ok) return directory;
  const path = join(options.directory, STORE_FILE);
  const migrations = options.migrations ?? MIGRATIONS;
  try {
    const found = inspect(path, migrations.length);
    if (!found.ok) return found;
    if (readOnly && found.value === 0) {
      return err({ kind: 'missing', message: `There is no memory in ${options.directory} yet.` });
    }
    if (readOnly && found.value < migrations.length) return err(olderSchema(path));
    // `wx` would lose the race of two first starts; SQLite takes an empty file as a new one.
    if (!readOnly) closeSync(openSync(path, 'a', 0o600));
    return connect(path, migrations, options);
  } catch (failure) {
    const known = failure instanceof StoreFailure ? failure : classify(failure);
    if (known !== undefined) return err({ kind: known.kind, message: `${path}: ${known.message}` });
    const code = fileErrorCode(failure);
    if (code === undefined) throw failure;
    return err(fileError(path, code));
  }
}

/** Version of the file at the path; 0 when there is none, or nothing in it yet. */
function inspect(path: string, supported: number): Result<number, StoreOpenError> {
  const entry = lstatSync(path, { throwIfNoEntry: false });
  if (entry === undefined) return ok(0);
  if (!entry.isFile()) {
    return err({ kind: 'not-a-store', message: `${path} is not a plain file.` });
  }
  const header = readFileHeader(path);
  if (header.kind === 'not-sqlite') {
    return err({
      kind: 'not-a-store',
      message: `${path} is not a Quipu memory; it is left alone. Set QUIPU_HOME to another place.`,
    });
  }
  if (header.kind === 'sqlite') {
    const { applicationId, version } = header;
    // A first start that died before its first migration leaves an empty database without a mark.
    if (applicationId !== APPLICATION_ID && !(applicationId === 0 && version === 0)) {
      return err({
        kind: 'not-a-store',
        message: `${path} is a database of another program; it is left alone.`,
      });
    }
    if (version > supported) return err(newerSchema(path, version, supported));
  }
  if (process.platform !== 'win32' && (entry.mode & 0o077) !== 0) chmodSync(path, 0o600);
  return ok(header.kind === 'sqlite' ? header.version : 0);
}

const newerSchema = (path: string, version: number, supported: number): StoreOpenError => ({
  kind: 'newer-schema',
  message:
    `${path} was made by a newer Quipu (schema ${version}; this one knows ${supported}). ` +
    'It is left untouched; install the newer Quipu again.',
});

const olderSchema = (path: string): StoreOpenError => ({
  kind: 'older-schema',
  message: `${path} was made by an older Quipu. Run quipu status once to bring it up to date.`,
});

function connect(
  path: string,
  migrations: readonly Migration[],
  options: OpenOptions,
): Result<Store, StoreOpenError> {
  const readOnly = options.readOnly ?? false;
  const busyMs = options.waitMs?.busy ?? BUSY_MS_MAX;
  const migrationMs = options.waitMs?.migration ?? MIGRATION_WAIT_MS_MAX;
  const database = openSqlite(path, { readOnly, busyMs: migrationMs });
  let keep = false;
  try {
    // Another process may have migrated since we looked.
    const version = versionOf(database);
    if (version > migrations.length) return err(newerSchema(path, version, migrations.length));
    if (!readOnly) {
      for (const pragma of WRITING) execute(database, `PRAGMA ${pragma}`);
      migrate(database, { path, migrations, waitMs: migrationMs });
    }
    for (const pragma of EVERYWHERE) execute(database, `PRAGMA ${pragma}`);
    execute(database, `PRAGMA busy_timeout = ${busyMs}`);
    keep = true;
    return ok(new Store(database, { path, readOnly, schemaVersion: versionOf(database) }));
  } finally {
    if (!keep) database.close();
  }
}

const WRITING = [
  'journal_mode = WAL',
  'synchronous = FULL',
  'secure_delete = ON',
  `wal_autocheckpoint = ${WAL_PAGES}`,
  `journal_size_limit = ${WAL_BYTES_KEPT}`,
];

const EVERYWHERE = [`cache_size = -${CACHE_KIB}`, 'temp_store = MEMORY'];
