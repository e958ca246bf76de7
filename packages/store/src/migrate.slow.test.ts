/**
 * Migrating under fire. Allowed: a store of the old version or of the new. Forbidden: anything
 * between, a backup that is none, a step that two processes do.
 */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openSqlite } from './driver.ts';
import { readFileHeader } from './file-header.ts';
import { backupPath, versionOf } from './migrate.ts';
import { MIGRATIONS, SCHEMA_VERSION } from './migrations.ts';
import { STORE_FILE } from './open.ts';
import { start } from './testing/child.ts';
import { placeFixture } from './testing/fixtures.ts';
import { type FreshPlace, freshPlace, mustOpen } from './testing/fresh-store.ts';
import { schemaAt } from './testing/schema-of.ts';

let place: FreshPlace;
let directory: string;
let path: string;
beforeEach(() => {
  place = freshPlace();
  directory = place.directory;
  path = join(directory, STORE_FILE);
  mkdirSync(directory, { mode: 0o700 });
});
afterEach(() => place.remove());

const go = (): void => writeFileSync(`${directory}.go`, '');

/** The schema that a first start at that version would make. */
async function schemaOfVersion(version: number): Promise<Record<string, string>> {
  const other = freshPlace();
  const store = await mustOpen(other.directory, { migrations: MIGRATIONS.slice(0, version) });
  store.close();
  const schema = schemaAt(join(other.directory, STORE_FILE));
  other.remove();
  return schema;
}

async function expectOldOrNew(old: number): Promise<void> {
  const header = readFileHeader(path);
  const version = header.kind === 'sqlite' ? header.version : 0;
  expect([old, SCHEMA_VERSION]).toContain(version);
  if (version > 0) expect(schemaAt(path)).toEqual(await schemaOfVersion(version));
  const backup = backupPath(path, old);
  if (existsSync(backup)) {
    const database = openSqlite(backup, { readOnly: true });
    expect(versionOf(database)).toBe(old);
    expect(database.prepare('PRAGMA integrity_check').all()).toMatchObject([
      { integrity_check: 'ok' },
    ]);
    database.close();
    expect(schemaAt(backup)).toEqual(await schemaOfVersion(old));
  }
}

describe('SIGKILL at every point of a migration (Verifies: STORE-6, STORE-10)', () => {
  const points = [
    'before:VACUUM INTO',
    'after:VACUUM INTO',
    'before:BEGIN',
    'after:BEGIN',
    'before:CREATE INDEX',
    'after:CREATE INDEX',
    'before:PRAGMA user_version =',
    'after:PRAGMA user_version =',
    'before:COMMIT',
    'after:COMMIT',
    'before:PRAGMA wal_checkpoint',
    'after:PRAGMA wal_checkpoint',
  ];
  for (const point of points) {
    test(`${point}: the old version or the new, and the next start gets there`, async () => {
      const old = SCHEMA_VERSION - 1;
      placeFixture(old, directory);
      go();
      const ended = await start('opener.ts', [directory, 'open', point]).ended;
      expect(ended.signal).toBe('SIGKILL');
      await expectOldOrNew(old);
      const store = await mustOpen(directory);
      expect(store.schemaVersion).toBe(SCHEMA_VERSION);
      expect(store.all('SELECT * FROM sessions')).toHaveLength(3);
      expect(store.check()).toEqual([]);
      store.close();
      expect(existsSync(backupPath(path, old))).toBe(true);
      await expectOldOrNew(old);
    });
  }
});

describe('SIGKILL at every point of a first start', () => {
  for (const point of [
    'after:PRAGMA journal_mode',
    'after:CREATE TABLE#5',
    'before:PRAGMA application_id',
    'before:COMMIT',
    'after:COMMIT',
  ]) {
    test(`${point}: the next start makes the store`, async () => {
      go();
      const ended = await start('opener.ts', [directory, 'open', point]).ended;
      expect(ended.signal).toBe('SIGKILL');
      (await mustOpen(directory)).close();
      expect(schemaAt(path)).toEqual(await schemaOfVersion(SCHEMA_VERSION));
    });
  }
});

test('of four processes that find an old store, one backs it up and one migrates', async () => {
  placeFixture(1, directory);
  const children = Array.from({ length: 4 }, () => start('opener.ts', [directory, 'open']));
  await Promise.all(children.map((child) => child.said()));
  go();
  const ended = await Promise.all(children.map((child) => child.ended));
  expect(ended.map(({ code }) => code)).toEqual([0, 0, 0, 0]);
  const ran = ended.flatMap(({ lines }) => JSON.parse(lines.at(-1) ?? '[]') as string[]);
  expect(ran.map((sql) => sql.split(' ', 2).join(' ')).sort()).toEqual([
    'CREATE INDEX',
    'VACUUM INTO',
  ]);
  await expectOldOrNew(1);
  expect(readFileHeader(path)).toMatchObject({ version: SCHEMA_VERSION });
});
