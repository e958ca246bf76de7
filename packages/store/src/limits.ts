/**
 * The limits of the store, each with its unit.
 */
import { assert } from '@quipu/base';

/** How long a statement waits for another process's transaction. */
export const BUSY_MS_MAX = 10_000;
/** How long opening waits for another process that migrates. */
export const MIGRATION_WAIT_MS_MAX = 60_000;
/** Prepared statements kept by a connection. */
export const STATEMENTS_MAX = 256;
/** Pages in the write-ahead log at which SQLite copies them into the file. */
export const WAL_PAGES = 2_000;
/** Bytes to which the write-ahead log is cut after that. */
export const WAL_BYTES_KEPT = 8 << 20;
/** Page cache of a connection. */
export const CACHE_KIB = 16_384;

assert(BUSY_MS_MAX < MIGRATION_WAIT_MS_MAX, 'a migration may outlast an ordinary wait');
