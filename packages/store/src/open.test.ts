/** Opening: what is refused, what is repaired, and that a refused file stays as it was. */
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { testKernel } from '@quipu/kernel';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { dataDirectory } from './directory.ts';
import { openSqlite } from './driver.ts';
import { openLockFile } from './lock-file.ts';
import { type OpenOptions, openStore, STORE_FILE } from './open.ts';

let folder: string;
let directory: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'quipu-open-'));
  directory = join(folder, 'data');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const open = (more: Partial<OpenOptions> = {}) =>
  openStore({ directory, kernel: testKernel(), ...more });

async function make(): Promise<void> {
  const opened = await open();
  if (!opened.ok) throw new Error(opened.error.message);
  opened.value.run("INSERT INTO settings (key, value) VALUES ('a', 'b')");
  opened.value.close();
}

const mode = (path: string): number => statSync(path).mode & 0o777;

test('directory 0700 and files 0600, repaired where wider (Verifies: STORE-8)', async () => {
  mkdirSync(directory, { mode: 0o755 });
  await make();
  chmodSync(join(directory, STORE_FILE), 0o644);
  chmodSync(directory, 0o755);
  const opened = await open();
  expect(opened.ok).toBe(true);
  expect(mode(directory)).toBe(0o700);
  for (const name of readdirSync(directory)) expect(mode(join(directory, name))).toBe(0o600);
  if (opened.ok) opened.value.close();
});

test('a newer store is refused and untouched, nothing beside it (Verifies: STORE-7)', async () => {
  await make();
  const path = join(directory, STORE_FILE);
  const database = openSqlite(path);
  database.exec('PRAGMA journal_mode = DELETE; PRAGMA user_version = 99');
  database.close();
  const before = readFileSync(path);
  const names = readdirSync(directory);
  expect(await open()).toMatchObject({ ok: false, error: { kind: 'newer-schema' } });
  expect(readFileSync(path).equals(before)).toBe(true);
  expect(readdirSync(directory)).toEqual(names);
});

test("another program's database and a text file are refused and untouched", async () => {
  mkdirSync(directory);
  const path = join(directory, STORE_FILE);
  writeFileSync(path, 'not a database at all, but longer than a header would be '.repeat(4));
  expect(await open()).toMatchObject({ ok: false, error: { kind: 'not-a-store' } });
  rmSync(path);
  const other = openSqlite(path);
  other.exec('PRAGMA application_id = 7; PRAGMA user_version = 1; CREATE TABLE x (y)');
  other.close();
  const before = readFileSync(path);
  expect(await open()).toMatchObject({ ok: false, error: { kind: 'not-a-store' } });
  expect(readFileSync(path).equals(before)).toBe(true);
});

test('a first start that died before its first table is taken up', async () => {
  mkdirSync(directory);
  writeFileSync(join(directory, STORE_FILE), '');
  const opened = await open();
  expect(opened.ok).toBe(true);
  if (opened.ok) opened.value.close();
});

test('a damaged file is an error with a sentence, not a crash', async () => {
  await make();
  const path = join(directory, STORE_FILE);
  const bytes = readFileSync(path);
  bytes.fill(0xa5, 100, bytes.length);
  writeFileSync(path, bytes);
  const opened = await open();
  expect(opened).toMatchObject({ ok: false, error: { kind: 'damaged' } });
});

test('a link, a file, and a network file system are refused with a reason', async () => {
  mkdirSync(join(folder, 'real'));
  symlinkSync(join(folder, 'real'), directory);
  expect(await open()).toMatchObject({ ok: false, error: { kind: 'unsafe-directory' } });
  rmSync(directory);
  writeFileSync(directory, '');
  expect(await open()).toMatchObject({ ok: false });
  rmSync(directory);
  const refused = await open({ fileSystemOf: () => 'nfs' });
  expect(refused).toMatchObject({ ok: false, error: { kind: 'network-file-system' } });
  expect(existsSync(join(directory, STORE_FILE))).toBe(false);
});

test('reading where there is nothing says so and makes nothing', async () => {
  expect(await open({ readOnly: true })).toMatchObject({ ok: false, error: { kind: 'missing' } });
  expect(existsSync(join(directory, STORE_FILE))).toBe(false);
});

test('a throw in a transaction leaves nothing of it; transactions do not nest', async () => {
  const opened = await open();
  if (!opened.ok) throw new Error(opened.error.message);
  const store = opened.value;
  const add = (key: string): number =>
    store.run('INSERT INTO settings (key, value) VALUES (?, ?)', [key, '']);
  expect(() =>
    store.transaction(() => {
      add('x');
      throw new Error('stop');
    }),
  ).toThrow('stop');
  expect(() => store.transaction(() => store.transaction(() => add('y')))).toThrow('nest');
  expect(store.all('SELECT key FROM settings')).toEqual([]);
  store.transaction(() => add('z'));
  expect(store.all('SELECT key FROM settings')).toHaveLength(1);
  store.close();
});

test('a lock is held once, and free again when it is closed', () => {
  mkdirSync(directory);
  const path = join(directory, 'x.lock');
  const first = openLockFile(path);
  expect(first).toBeDefined();
  expect(openLockFile(path)).toBeUndefined();
  first?.close();
  const again = openLockFile(path);
  expect(again).toBeDefined();
  again?.close();
});

test('the data directory: QUIPU_HOME, XDG, then the place of the platform', () => {
  expect(dataDirectory({ QUIPU_HOME: '/q', HOME: '/h' }, 'linux')).toBe('/q');
  expect(dataDirectory({ XDG_DATA_HOME: '/x', HOME: '/h' }, 'linux')).toBe('/x/quipu');
  expect(dataDirectory({ XDG_DATA_HOME: 'relative', HOME: '/h' }, 'linux')).toBe(
    '/h/.local/share/quipu',
  );
  expect(dataDirectory({ HOME: '/h' }, 'darwin')).toBe('/h/Library/Application Support/quipu');
});
