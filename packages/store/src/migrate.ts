/**
 * Brings a store to the newest version.
 *
 *   version n ─▶ backup of n (once) ─▶ [BEGIN; migration n+1; user_version; COMMIT] … ─▶ newest
 *
 * Decides: one transaction a migration, the version written within it. Of several processes one
 * makes the backup and each step is done once: the backup is made under a lock of its own (a backup
 * cannot be made inside a transaction), and the version is read again under the write lock. The
 * newest version is then folded from the log into the file, where an older Quipu looks for it.
 *
 * Invariants: STORE-6 (a store is of the old version or the new, never between), STORE-10 (the
 * backup of a version is a whole store of that version, or is not there).
 */
import {
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { SqliteDatabase } from './driver.ts';
import { StoreFailure } from './errors.ts';
import { openLockFile } from './lock-file.ts';
import { APPLICATION_ID, type Migration } from './migrations.ts';
import { traced } from './trace.ts';

export type MigrateOptions = {
  readonly path: string;
  readonly migrations: readonly Migration[];
  /** How long to wait for another process that makes the backup. */
  readonly waitMs: number;
};

/** `PRAGMA user_version`: how many migrations the store has behind it. */
export function versionOf(database: SqliteDatabase): number {
  const sql = 'PRAGMA user_version';
  const row = traced({ sql, kind: 'get' }, () => database.prepare(sql).get());
  return (row as { user_version: number }).user_version;
}

/** The caller has made sure that the store is not of a newer version. */
export function migrate(database: SqliteDatabase, options: MigrateOptions): void {
  const from = versionOf(database);
  if (from >= options.migrations.length) return;
  if (from > 0) backUpOnce(database, from, options);
  while (step(database, options.migrations));
  execute(database, 'PRAGMA wal_checkpoint(TRUNCATE)');
}

/** One migration in one transaction; false when there is none left to do. */
function step(database: SqliteDatabase, migrations: readonly Migration[]): boolean {
  execute(database, 'BEGIN IMMEDIATE');
  try {
    // Read again under the lock: another process may have migrated while we waited.
    const version = versionOf(database);
    const migration = migrations[version];
    if (migration !== undefined) {
      migration.up({ exec: (sql) => execute(database, sql) });
      if (version === 0) execute(database, `PRAGMA application_id = ${APPLICATION_ID}`);
      execute(database, `PRAGMA user_version = ${version + 1}`);
    }
    execute(database, 'COMMIT');
    return migration !== undefined;
  } catch (failure) {
    if (database.isTransaction) execute(database, 'ROLLBACK');
    throw failure;
  }
}

const BACKUP = '.backup-v';

/** The store as it was at `version`, beside it. */
export const backupPath = (path: string, version: number): string => `${path}${BACKUP}${version}`;

function backUpOnce(database: SqliteDatabase, version: number, options: MigrateOptions): void {
  const target = backupPath(options.path, version);
  const lock = openLockFile(`${options.path}.backup-lock`, options.waitMs);
  if (lock === undefined) {
    throw new StoreFailure('busy', 'Another process is still bringing it up to date. Try again.');
  }
  try {
    // Whoever had the lock before has made the backup, and may have migrated since.
    if (versionOf(database) === version && !existsSync(target)) backUp(database, target);
  } finally {
    lock.close();
  }
}

function backUp(database: SqliteDatabase, target: string): void {
  const partial = `${target}.partial`;
  // Left by a process that was killed here.
  rmSync(partial, { force: true });
  // SQLite takes an empty file as the target; so it is private from its first byte.
  closeSync(openSync(partial, 'wx', 0o600));
  traced({ sql: 'VACUUM INTO ?', kind: 'run' }, () =>
    database.prepare('VACUUM INTO ?').run(partial),
  );
  sync(partial, 'r+');
  renameSync(partial, target);
  if (process.platform !== 'win32') sync(dirname(target), 'r');
}

function sync(path: string, flags: string): void {
  const file = openSync(path, flags);
  fsyncSync(file);
  closeSync(file);
}

/** Removes the backups, finished or not: they hold what was deleted since. */
export function removeBackups(path: string): void {
  const folder = dirname(path);
  const prefix = `${basename(path)}${BACKUP}`;
  for (const name of readdirSync(folder)) {
    if (name.startsWith(prefix)) rmSync(join(folder, name), { force: true });
  }
}

export function execute(database: SqliteDatabase, sql: string): void {
  traced({ sql, kind: 'exec' }, () => database.exec(sql));
}
