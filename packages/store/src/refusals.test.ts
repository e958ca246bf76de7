/** What is refused stays as it was, to the byte; what is only busy says so. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, existsSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { testKernel } from '@quipu/kernel';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openSqlite } from './driver.ts';
import { readFileHeader } from './file-header.ts';
import { APPLICATION_ID, MIGRATIONS } from './migrations.ts';
import { openStore, STORE_FILE } from './open.ts';
import { placeFixture } from './testing/fixtures.ts';
import { bytesIn, type FreshPlace, freshPlace, mustOpen } from './testing/fresh-store.ts';
import { registerSink } from './trace.ts';

let place: FreshPlace;
let directory: string;
beforeEach(() => {
  place = freshPlace();
  directory = place.directory;
});
afterEach(() => place.remove());

const open = (more: object = {}) => openStore({ directory, kernel: testKernel(), ...more });

/** The files as a killed process leaves them: the last commits in the log alone. */
async function leaveInLog(sql: string): Promise<void> {
  const other = freshPlace();
  const store = await mustOpen(other.directory);
  store.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  store.exec(sql);
  mkdirSync(directory, { mode: 0o700 });
  for (const name of bytesIn(other.directory).keys()) {
    if (!name.endsWith('-shm')) copyFileSync(join(other.directory, name), join(directory, name));
  }
  store.close();
  other.remove();
}

test('a newer version in the log alone is refused, untouched (Verifies: STORE-7)', async () => {
  await leaveInLog('PRAGMA user_version = 99');
  const before = bytesIn(directory);
  expect([...before.keys()]).toEqual([STORE_FILE, `${STORE_FILE}-wal`]);
  expect(before.get(STORE_FILE)?.readUInt32BE(60)).toBe(MIGRATIONS.length);
  expect(await open()).toMatchObject({ ok: false, error: { kind: 'newer-schema' } });
  expect(bytesIn(directory)).toEqual(before);
});

test('a newer version that was never committed is not what counts', async () => {
  await leaveInLog('PRAGMA user_version = 99; INSERT INTO settings VALUES (1, 2)');
  const log = join(directory, `${STORE_FILE}-wal`);
  const bytes = bytesIn(directory).get(`${STORE_FILE}-wal`) ?? Buffer.alloc(0);
  const frameBytes = 24 + bytes.readUInt32BE(8);
  for (let at = 32; at < bytes.length; at += frameBytes) bytes.writeUInt32BE(0, at + 4);
  writeFileSync(log, bytes);
  expect(readFileHeader(join(directory, STORE_FILE))).toMatchObject({ version: MIGRATIONS.length });
});

test('frames left from before the log was started over are not read', async () => {
  await leaveInLog('PRAGMA user_version = 99');
  const path = join(directory, STORE_FILE);
  const log = bytesIn(directory).get(`${STORE_FILE}-wal`) ?? Buffer.alloc(0);
  log.writeUInt32BE(log.readUInt32BE(16) + 1, 16);
  writeFileSync(`${path}-wal`, log);
  expect(readFileHeader(path)).toEqual({
    kind: 'sqlite',
    applicationId: APPLICATION_ID,
    version: MIGRATIONS.length,
  });
});

test('a version that becomes newer after the look at the header is refused', async () => {
  const store = await mustOpen(directory);
  const unregister = registerSink({
    withDbSpan: (span, run) => {
      unregister();
      expect(span.sql).toBe('PRAGMA user_version');
      store.exec(`PRAGMA user_version = ${MIGRATIONS.length + 1}`);
      return run();
    },
  });
  expect(await open()).toMatchObject({ ok: false, error: { kind: 'newer-schema' } });
  expect(store.get('PRAGMA user_version')?.['user_version']).toBe(MIGRATIONS.length + 1);
  store.close();
});

test('for reading alone nothing is made, narrowed or migrated', async () => {
  expect(await open({ readOnly: true })).toMatchObject({ ok: false, error: { kind: 'missing' } });
  expect(existsSync(directory)).toBe(false);
  mkdirSync(directory, { mode: 0o755 });
  expect(await open({ readOnly: true })).toMatchObject({ ok: false, error: { kind: 'missing' } });
  placeFixture(1, directory);
  const before = bytesIn(directory);
  const opened = await open({ readOnly: true });
  expect(opened).toMatchObject({ ok: false, error: { kind: 'older-schema' } });
  expect(bytesIn(directory)).toEqual(before);
  expect(statSync(directory).mode & 0o777).toBe(0o755);
});

test('a store that is opened for reading alone cannot be written', async () => {
  (await mustOpen(directory)).close();
  const store = await mustOpen(directory, { readOnly: true });
  expect(store.all('SELECT * FROM settings')).toEqual([]);
  expect(() => store.run("INSERT INTO settings (key, value) VALUES ('a', 'b')")).toThrow(
    expect.objectContaining({ kind: 'unwritable' }),
  );
  store.close();
});

test('a lock that another process does not let go is an error that says so', async () => {
  mkdirSync(directory, { mode: 0o700 });
  const holder = openSqlite(join(directory, STORE_FILE));
  holder.exec('CREATE TABLE x (y); DROP TABLE x; BEGIN EXCLUSIVE');
  const opened = await open({ waitMs: { busy: 10, migration: 10 } });
  expect(opened).toMatchObject({ ok: false, error: { kind: 'busy' } });
  if (!opened.ok) expect(opened.error.message).toContain('Another process');
  holder.exec('ROLLBACK');
  holder.close();
  (await mustOpen(directory)).close();
});

test('a write that waits too long for another writer is an error; later it succeeds', async () => {
  const one = await mustOpen(directory);
  const two = await mustOpen(directory, { waitMs: { busy: 10, migration: 10 } });
  const write = (): number =>
    two.transaction(() => two.run("INSERT INTO settings (key, value) VALUES ('k', 'v')"));
  one.transaction(() => {
    one.run("INSERT INTO settings (key, value) VALUES ('a', 'b')");
    expect(write).toThrow(expect.objectContaining({ name: 'StoreFailure', kind: 'busy' }));
    expect(two.all('SELECT key FROM settings')).toEqual([]);
  });
  expect(write()).toBe(1);
  one.close();
  two.close();
});

test('a directory that another user owns is refused', async () => {
  if (process.getuid?.() !== 0) return;
  mkdirSync(directory, { mode: 0o700 });
  const child = spawn('chown', ['65534', directory]);
  expect(await once(child, 'exit')).toEqual([0, null]);
  expect(await open()).toMatchObject({ ok: false, error: { kind: 'unsafe-directory' } });
  expect(bytesIn(directory).size).toBe(0);
});
