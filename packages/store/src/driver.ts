/**
 * The SQLite driver: one API (`node:sqlite`'s `DatabaseSync`), two sources of it.
 *
 * Decides: Node's built-in from 22.16 and 24 on, else the package with the same API and its own
 * SQLite. Node 20 has no built-in; those before 22.16 know neither `isTransaction` (a failed
 * transaction would stay open) nor `timeout`. Nothing else imports either.
 */
import { createRequire } from 'node:module';
import type { DatabaseSync as DatabaseClass } from '@photostructure/sqlite';

export type SqliteDatabase = InstanceType<typeof DatabaseClass>;

export type SqliteValue = string | number | bigint | null | Uint8Array;

export type SqliteOptions = {
  readonly readOnly?: boolean;
  /** How long a statement waits for another connection's lock. */
  readonly busyMs?: number;
};

type Driver = { readonly name: string; readonly DatabaseSync: typeof DatabaseClass };

/** Whether this Node's own driver has all that is used here. */
export function hasBuiltIn(nodeVersion: string): boolean {
  const [major = 0, minor = 0] = nodeVersion.split('.').map(Number);
  return major >= 24 || (major === 22 && minor >= 16);
}

let driver: Driver | undefined;

function loadDriver(): Driver {
  if (driver !== undefined) return driver;
  const require = createRequire(import.meta.url);
  const builtIn = hasBuiltIn(process.versions.node);
  const name = builtIn ? 'node:sqlite' : '@photostructure/sqlite';
  const loaded = builtIn ? quietly(() => require('node:sqlite')) : require(name);
  driver = { name, DatabaseSync: (loaded as Driver).DatabaseSync };
  return driver;
}

/** Node says once that its module is experimental; a person running a command need not read it. */
function quietly(load: () => unknown): unknown {
  const emit = process.emitWarning;
  process.emitWarning = () => {};
  try {
    return load();
  } finally {
    process.emitWarning = emit;
  }
}

/** Name of the driver in use, for `doctor`. */
export const driverName = (): string => loadDriver().name;

/** Opens a database file. Throws what the driver throws; `classify` in `errors.ts` reads it. */
export function openSqlite(path: string, options: SqliteOptions = {}): SqliteDatabase {
  const { DatabaseSync: Database } = loadDriver();
  return new Database(path, {
    readOnly: options.readOnly ?? false,
    timeout: options.busyMs ?? 0,
  });
}
