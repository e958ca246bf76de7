/**
 * `MIGRATIONS`: how a store of an older version becomes one of this version.
 *
 * Decides: forward only, one transaction each; the version is `PRAGMA user_version`, written in the
 * same transaction. The first entry makes the tables as they were at version 1.
 *
 * History: 1 first schema; 2 sessions are found by the day they ended (index), which lists need.
 *
 * Invariants: STORE-5 (version = number of entries), STORE-6 (a store is of the old version or the
 * new, never between).
 */
import type { SqliteDatabase } from './driver.ts';
import { ddlOf } from './schema.ts';
import { TABLES } from './tables.ts';

export type Migration = {
  /** What it does, for people. */
  readonly name: string;
  readonly up: (database: Pick<SqliteDatabase, 'exec'>) => void;
};

/** Marks the file as Quipu's (`PRAGMA application_id`): "Quip". */
export const APPLICATION_ID = 0x51756970;

export const MIGRATIONS: readonly Migration[] = Object.freeze([
  {
    name: 'first schema',
    up: (database) => {
      for (const [name, declared] of Object.entries(TABLES)) {
        for (const sql of ddlOf(name, declared)) {
          if (!sql.includes('"sessions_by_ended_at"')) database.exec(sql);
        }
      }
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
