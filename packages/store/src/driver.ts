/**
 * The SQLite driver: one API (`node:sqlite`'s `DatabaseSync`), two sources of it.
 *
 * Decides: Node's built-in from 22.13 on, else the package with the same API and its own SQLite
 * (Node 20 has none). Nothing else imports either.
 */
import { createRequire } from 'node:module';
import type { DatabaseSync as DatabaseClass } from '@photostructure/sqlite';

export type SqliteDatabase = InstanceType<typeof DatabaseClass>;

export type SqliteValue = string | number | bigint | null | Uint8Array;

export type SqliteOptions = {
  readonly readOnly?: boolean;
  /** Lets `loadExtension` be called; off otherwise. */
  readonly extensions?: boolean;
  /** How long a statement waits for another connection's lock. */
  readonly busyMs?: number;
};

type Driver = { readonly name: string; readonly DatabaseSync: typeof DatabaseClass };

const BUILT_IN_SINCE = [22, 13] as const;

let driver: Driver | undefined;

function loadDriver(): Driver {
  if (driver !== undefined) return driver;
  const require = createRequire(import.meta.url);
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const builtIn =
    major > BUILT_IN_SINCE[0] || (major === BUILT_IN_SINCE[0] && minor >= BUILT_IN_SINCE[1]);
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
    allowExtension: options.extensions ?? false,
    timeout: options.busyMs ?? 0,
  });
}
