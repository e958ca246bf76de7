/** Contracts of the registries: what an entry of `TABLES` and `MIGRATIONS` owes. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { assert } from '@quipu/base';
import { testKernel } from '@quipu/kernel';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openSqlite, type SqliteDatabase } from './driver.ts';
import { backupPath } from './migrate.ts';
import { MIGRATIONS, type Migration, SCHEMA_VERSION } from './migrations.ts';
import { openStore, STORE_FILE } from './open.ts';
import { ddlOf } from './schema.ts';
import type { Store } from './store.ts';
import { TABLES } from './tables.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'quipu-store-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

async function open(migrations?: readonly Migration[]): Promise<Store> {
  const opened = await openStore({
    directory: folder,
    kernel: testKernel(),
    ...(migrations === undefined ? {} : { migrations }),
  });
  if (!opened.ok) throw new Error(opened.error.message);
  return opened.value;
}

/** Every table and index with its SQL, white space folded; what two schemas are compared by. */
function schemaOf(database: Pick<SqliteDatabase, 'prepare'>): Record<string, string> {
  const rows = database
    .prepare('SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY name')
    .all() as { name: string; sql: string }[];
  return Object.fromEntries(
    rows.map((row) => [
      row.name,
      row.sql.replace(/\s+/g, ' ').replace(/\( | \)/g, (edge) => edge.trim()),
    ]),
  );
}

function schemaAt(path: string): Record<string, string> {
  const database = openSqlite(path, { readOnly: true });
  try {
    return schemaOf(database);
  } finally {
    database.close();
  }
}

describe('TABLES', () => {
  for (const [name, declared] of Object.entries(TABLES)) {
    test(`${name} says how it is keyed, merged and replicated`, () => {
      if (declared.kind === 'fts5') {
        expect(Object.keys(TABLES)).toContain(declared.of);
        return;
      }
      const columns = Object.keys(declared.columns);
      expect(declared.primaryKey.length).toBeGreaterThan(0);
      for (const column of [...declared.primaryKey, ...declared.indexes.flat()]) {
        expect(columns).toContain(column);
      }
      for (const column of declared.primaryKey) {
        expect(declared.columns[column as never]).not.toMatchObject({ nullable: true });
      }
      if (declared.tier !== 'source') expect(declared.replication).toBe('none');
    });
  }

  test('the registry is frozen', () => {
    expect(Object.isFrozen(TABLES)).toBe(true);
  });

  test('the migrated schema is the one that the registry makes (Verifies: STORE-1)', async () => {
    (await open()).close();
    const fresh = openSqlite(':memory:');
    for (const [name, declared] of Object.entries(TABLES)) {
      for (const sql of ddlOf(name, declared)) fresh.exec(sql);
    }
    expect(schemaAt(join(folder, STORE_FILE))).toEqual(schemaOf(fresh));
    fresh.close();
  });
});

describe('MIGRATIONS', () => {
  test('the version of a migrated store is the number of entries (Verifies: STORE-5)', async () => {
    const store = await open();
    expect(store.schemaVersion).toBe(MIGRATIONS.length);
    expect(SCHEMA_VERSION).toBe(MIGRATIONS.length);
    store.close();
  });

  for (const [at, migration] of MIGRATIONS.entries()) {
    test(`entry ${at + 1} (${migration.name}) does something that no other does`, async () => {
      (await open()).close();
      const full = schemaAt(join(folder, STORE_FILE));
      const other = mkdtempSync(join(tmpdir(), 'quipu-store-'));
      const emptied = MIGRATIONS.map((entry, i) => (i === at ? { ...entry, up: () => {} } : entry));
      const opened = await openStore({
        directory: other,
        kernel: testKernel(),
        migrations: emptied,
      }).catch(() => undefined);
      const path = join(other, STORE_FILE);
      if (opened?.ok === true) opened.value.close();
      expect(schemaAt(path)).not.toEqual(full);
      rmSync(other, { recursive: true, force: true });
    });

    test(`a store of version ${at} with rows becomes one of this version, rows kept`, async () => {
      if (at > 0) {
        const old = await open(MIGRATIONS.slice(0, at));
        expect(old.schemaVersion).toBe(at);
        old.run("INSERT INTO settings (key, value) VALUES ('kept', 'yes')");
        old.close();
      }
      const store = await open();
      expect(store.schemaVersion).toBe(MIGRATIONS.length);
      if (at > 0) {
        expect(store.get("SELECT value FROM settings WHERE key = 'kept'")?.['value']).toBe('yes');
        const backup = openSqlite(backupPath(join(folder, STORE_FILE), at), { readOnly: true });
        const row = backup.prepare('PRAGMA user_version').get() as { user_version: number };
        expect(row.user_version).toBe(at);
        backup.close();
      }
      store.close();
    });
  }

  test('a migration that fails leaves the old version whole (Verifies: STORE-6)', async () => {
    (await open()).close();
    const failing: Migration = {
      name: 'fails half way',
      up: (database) => {
        database.exec('CREATE TABLE half (a TEXT)');
        throw new Error('power is gone');
      },
    };
    await expect(open([...MIGRATIONS, failing])).rejects.toThrow('power is gone');
    const schema = schemaAt(join(folder, STORE_FILE));
    expect(schema['half']).toBeUndefined();
    const store = await open();
    expect(store.schemaVersion).toBe(MIGRATIONS.length);
    store.close();
  });
});

test('encrypted columns are those that hold what people and agents wrote', () => {
  const encrypted = Object.entries(TABLES).flatMap(([name, declared]) =>
    declared.kind === 'table'
      ? Object.entries(declared.columns as Record<string, { encrypted?: boolean }>)
          .filter(([, column]) => column.encrypted === true)
          .map(([column]) => `${name}.${column}`)
      : [],
  );
  for (const wanted of ['parts.text', 'chunks.text', 'sessions.title', 'messages.author']) {
    expect(encrypted).toContain(wanted);
  }
  assert(encrypted.length > 5, 'the list is not empty');
});
