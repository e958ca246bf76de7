/** Contract of `MIGRATIONS`: what an entry owes, and every older store becomes one of today. */
import { existsSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { testKernel } from '@quipu/kernel';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openSqlite, type SqliteDatabase } from './driver.ts';
import { backupPath, removeBackups, versionOf } from './migrate.ts';
import { MIGRATIONS, type Migration, SCHEMA_VERSION } from './migrations.ts';
import { openStore, STORE_FILE } from './open.ts';
import type { Store } from './store.ts';
import { fixturePath, placeFixture } from './testing/fixtures.ts';
import { rowTables } from './testing/sample-rows.ts';
import { schemaAt } from './testing/schema-of.ts';
import { registerSink } from './trace.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'quipu-store-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

async function open(migrations: readonly Migration[] = MIGRATIONS): Promise<Store> {
  const opened = await openStore({ directory: folder, kernel: testKernel(), migrations });
  if (!opened.ok) throw new Error(opened.error.message);
  return opened.value;
}

async function freshSchema(): Promise<Record<string, string>> {
  const other = mkdtempSync(join(tmpdir(), 'quipu-store-'));
  const opened = await openStore({ directory: other, kernel: testKernel() });
  if (opened.ok) opened.value.close();
  const schema = schemaAt(join(other, STORE_FILE));
  rmSync(other, { recursive: true, force: true });
  return schema;
}

type Rows = Readonly<Record<string, Record<string, unknown>[]>>;

function rowsIn(database: Pick<SqliteDatabase, 'prepare'>): Rows {
  const names = database.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").all();
  const known = new Set(names.map((row) => (row as { name: string }).name));
  return Object.fromEntries(
    rowTables()
      .filter((name) => known.has(name))
      .map((name) => [name, database.prepare(`SELECT * FROM ${name} ORDER BY 1, 2`).all()]),
  ) as Rows;
}

function readFile<T>(path: string, use: (database: SqliteDatabase) => T): T {
  const database = openSqlite(path, { readOnly: true });
  try {
    return use(database);
  } finally {
    database.close();
  }
}

const versions = Array.from({ length: SCHEMA_VERSION }, (_, at) => at + 1);

test('the version of a migrated store is the number of entries (Verifies: STORE-5)', async () => {
  const store = await open();
  expect(store.schemaVersion).toBe(MIGRATIONS.length);
  expect(SCHEMA_VERSION).toBe(MIGRATIONS.length);
  store.close();
});

test('every version that was ever made has a fixture', () => {
  expect(versions.filter((version) => !existsSync(fixturePath(version)))).toEqual([]);
});

for (const version of versions) {
  test(`a store of version ${version} has the schema of today and all its rows`, async () => {
    const path = placeFixture(version, folder);
    const before = readFile(path, rowsIn);
    expect(readFile(path, versionOf)).toBe(version);
    expect(Object.values(before).every((rows) => rows.length > 0)).toBe(true);
    const store = await open();
    expect(store.schemaVersion).toBe(SCHEMA_VERSION);
    const found = store.all("SELECT rowid FROM chunks_words WHERE chunks_words MATCH 'harbour'");
    expect(found).toHaveLength(1);
    expect(store.check()).toEqual([]);
    store.close();
    expect(schemaAt(path)).toEqual(await freshSchema());
    expect(readFile(path, rowsIn)).toMatchObject(before);
  });
}

for (const version of versions.slice(0, -1)) {
  test(`the backup of version ${version} is a whole store of it (Verifies: STORE-10)`, async () => {
    const path = placeFixture(version, folder);
    const before = { rows: readFile(path, rowsIn), schema: schemaAt(path) };
    (await open()).close();
    const backup = backupPath(path, version);
    expect(readFile(backup, versionOf)).toBe(version);
    expect(readFile(backup, rowsIn)).toEqual(before.rows);
    expect(schemaAt(backup)).toEqual(before.schema);
    expect(statSync(backup).mode & 0o777).toBe(0o600);
    // The next start has nothing to migrate, and leaves the backup alone.
    const made = statSync(backup).mtimeMs;
    (await open()).close();
    expect(statSync(backup).mtimeMs).toBe(made);
    expect(readdirSync(folder).filter((name) => name.endsWith('.partial'))).toEqual([]);
  });

  test(`a backup of version ${version} left half made is made again, whole`, async () => {
    const path = placeFixture(version, folder);
    rmSync(`${backupPath(path, version)}.partial`, { force: true });
    const torn = openSqlite(`${backupPath(path, version)}.partial`);
    torn.exec('CREATE TABLE half (a)');
    torn.close();
    (await open()).close();
    expect(readFile(backupPath(path, version), versionOf)).toBe(version);
    expect(existsSync(`${backupPath(path, version)}.partial`)).toBe(false);
  });
}

for (const [at, migration] of MIGRATIONS.entries()) {
  test(`entry ${at + 1} (${migration.name}) does something that no other does`, async () => {
    const emptied = MIGRATIONS.map((entry, i) => (i === at ? { ...entry, up: () => {} } : entry));
    const store = await open(emptied).catch(() => undefined);
    store?.close();
    expect(schemaAt(join(folder, STORE_FILE))).not.toEqual(await freshSchema());
  });
}

describe('a migration that fails', () => {
  const failing: Migration = {
    name: 'fails half way',
    up: (database) => {
      database.exec('CREATE TABLE half (a TEXT)');
      throw new Error('power is gone');
    },
  };

  test('leaves the old version whole (Verifies: STORE-6)', async () => {
    const path = placeFixture(1, folder);
    const before = { rows: readFile(path, rowsIn), schema: schemaAt(path) };
    await expect(open([...MIGRATIONS.slice(0, 1), failing])).rejects.toThrow('power is gone');
    expect(readFile(path, versionOf)).toBe(1);
    expect(schemaAt(path)).toEqual(before.schema);
    expect(readFile(path, rowsIn)).toEqual(before.rows);
    const store = await open();
    expect(store.schemaVersion).toBe(MIGRATIONS.length);
    store.close();
  });

  test('keeps what the entries before it did', async () => {
    placeFixture(1, folder);
    await expect(open([...MIGRATIONS, failing])).rejects.toThrow('power is gone');
    expect(readFile(join(folder, STORE_FILE), versionOf)).toBe(MIGRATIONS.length);
  });
});

test('a late process makes no backup of the new version under the old name', async () => {
  const path = placeFixture(1, folder);
  let first: Promise<Store> | undefined;
  let asked = 0;
  const unregister = registerSink({
    withDbSpan: (span, run) => {
      const value = run();
      if (span.sql === 'PRAGMA user_version') asked += 1;
      // Once it has seen an old version and before it takes the lock, another does all the work,
      // and purges.
      if (asked === 2 && first === undefined) {
        first = open();
        removeBackups(path);
      }
      return value;
    },
  });
  const second = open();
  unregister();
  const stores = [await first, await second];
  expect(readdirSync(folder).filter((name) => name.includes('.backup-v'))).toEqual([]);
  for (const store of stores) {
    expect(store?.schemaVersion).toBe(SCHEMA_VERSION);
    store?.close();
  }
});
