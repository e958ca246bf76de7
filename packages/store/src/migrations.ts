/**
 * `MIGRATIONS`: how a store of an older version becomes one of this version.
 *
 * Decides: forward only; entry n leads from version n to n + 1. An entry is history once a store
 * was made with it: it is written out, never derived from `TABLES`, which go on changing. A new
 * entry comes with a fixture of the version before it (`npm run fixture -w packages/store`).
 *
 * History: 1 first schema; 2 sessions are found by the day they ended (index), which lists need.
 *
 * Invariant: STORE-5 (version = number of entries).
 */
import type { SqliteDatabase } from './driver.ts';
import { FIRST_SCHEMA } from './first-schema.ts';
import { deepFreeze } from './schema.ts';

export type Migration = {
  /** What it does, for people. */
  readonly name: string;
  readonly up: (database: Pick<SqliteDatabase, 'exec'>) => void;
};

/** Marks the file as Quipu's (`PRAGMA application_id`): "Quip". */
export const APPLICATION_ID = 0x51756970;

export const MIGRATIONS: readonly Migration[] = deepFreeze([
  {
    name: 'first schema',
    up: (database) => {
      for (const sql of FIRST_SCHEMA) database.exec(sql);
    },
  },
  {
    name: 'sessions by the time they ended',
    up: (database) => {
      database.exec('CREATE INDEX "sessions_by_ended_at" ON "sessions" ("ended_at")');
    },
  },
]);

export const SCHEMA_VERSION: number = MIGRATIONS.length;
