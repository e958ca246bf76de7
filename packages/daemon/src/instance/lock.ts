/**
 * One daemon a data directory.
 *
 * Decides: an operating system's lock, held for the daemon's life and gone with its process,
 * however it dies. It is SQLite's own file lock on a file of its own (`BEGIN EXCLUSIVE`): the one
 * lock that works alike on every platform Quipu runs on, without a stale state to guess about.
 * Process ids and port files say where the daemon is, never whether there is one.
 *
 * Invariant: DAEMON-3 (of any number of starts at once, at most one holds the lock).
 */

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { err, ok, type Result } from '@quipu/base';
import { openLockFile } from '@quipu/store';

const LOCK_FILE = 'daemon.lock';

export type InstanceLock = { readonly release: () => void };

export function acquireInstanceLock(directory: string): Result<InstanceLock, { kind: 'held' }> {
  const lock = openLockFile(join(directory, LOCK_FILE));
  return lock === undefined ? err({ kind: 'held' }) : ok({ release: () => lock.close() });
}

/** Whether a daemon has the directory, answering or not. */
export function isInstanceLockHeld(directory: string): boolean {
  if (!existsSync(join(directory, LOCK_FILE))) return false;
  const lock = acquireInstanceLock(directory);
  if (lock.ok) lock.value.release();
  return !lock.ok;
}
