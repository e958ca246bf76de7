/**
 * A lock that its process cannot leave behind: SQLite's exclusive lock on a file of its own.
 *
 * Decides: held or not, at once or within a stated wait. The file stays; only its lock means
 * something.
 */
import { chmodSync } from 'node:fs';
import { openSqlite } from './driver.ts';
import { classify } from './errors.ts';

export type LockFile = { readonly close: () => void };

/** The lock, or undefined when another process (or this one) holds it. */
export function openLockFile(path: string, waitMs = 0): LockFile | undefined {
  const database = openSqlite(path, { busyMs: waitMs });
  try {
    database.exec('PRAGMA journal_mode = MEMORY');
    database.exec('BEGIN EXCLUSIVE');
    if (process.platform !== 'win32') chmodSync(path, 0o600);
  } catch (failure) {
    database.close();
    if (classify(failure)?.kind === 'busy') return undefined;
    throw failure;
  }
  return { close: () => database.close() };
}
