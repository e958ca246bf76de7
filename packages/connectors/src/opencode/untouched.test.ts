/** Another program's database: seen whole, live writer or not, and left as it was. */
import { type ChildProcess, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { realKernel } from '@quipu/kernel';
import { openSqlite, type SqliteDatabase } from '@quipu/store';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { UntouchedDatabase } from './untouched.ts';

const { timers } = realKernel();
const STORE = resolve(import.meta.dirname, '../../../store');

let folder = '';
let path = '';
const children: ChildProcess[] = [];
beforeEach(() => {
  folder = join(mkdtempSync(join(tmpdir(), 'quipu-untouched-')), 'data');
  mkdirSync(folder);
  path = join(folder, 'opencode.db');
});
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  chmodSync(folder, 0o755);
  rmSync(join(folder, '..'), { recursive: true, force: true });
});

/** Names, bytes and times of all that lies in the folder, and of the folder. */
function footprint(): string {
  const files = readdirSync(folder).map((name) => {
    const file = join(folder, name);
    const digest = createHash('sha256').update(readFileSync(file)).digest('hex');
    const { mtimeMs, size, mode, uid } = statSync(file);
    return `${name} ${size} ${mode} ${uid} ${mtimeMs} ${digest}`;
  });
  return [...files, String(statSync(folder).mtimeMs)].join('\n');
}

/**
 * A writer in a process of its own, since processes see each other's locks. It runs the statements
 * given on its input, one a line, and answers each.
 */
async function writer(): Promise<(sql: string) => Promise<void>> {
  const program = `
    const { DatabaseSync } = require('@photostructure/sqlite');
    const db = new DatabaseSync(${JSON.stringify(path)});
    require('node:readline').createInterface({ input: process.stdin })
      .on('line', (sql) => { db.exec(sql); process.stdout.write('done\\n'); });`;
  const child = spawn(process.execPath, ['-e', program], {
    cwd: STORE,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  children.push(child);
  return (sql) =>
    new Promise((answered) => {
      child.stdout?.once('data', () => answered());
      child.stdin?.write(`${sql}\n`);
    });
}

const count = (database: SqliteDatabase): unknown =>
  (database.prepare('SELECT count(*) AS n FROM t').get() as { n: number }).n;

async function counted(): Promise<{ way: string; n: unknown }> {
  const database = await UntouchedDatabase.open(path, timers);
  try {
    return { way: database.way, n: await database.read(count) };
  } finally {
    await database.close();
  }
}

const WAL = 'PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0;';

describe('a database in WAL mode', () => {
  test('with a live writer is seen to its last commit, and nothing changes', async () => {
    const run = await writer();
    await run(`${WAL} CREATE TABLE t (x); INSERT INTO t VALUES (1);`);
    for (let n = 2; n < 12; n += 1) {
      // Where the last write has no read mark yet, an ordinary reader would set one.
      await run(`INSERT INTO t VALUES (${n}); ${n % 2 === 0 ? 'SELECT count(*) FROM t;' : ''}`);
      const before = footprint();
      expect(await counted()).toEqual({ way: 'shared', n });
      expect(footprint()).toBe(before);
    }
  });

  test('is read in the middle of a transaction without what is not committed', async () => {
    const run = await writer();
    await run(`${WAL} CREATE TABLE t (x); INSERT INTO t VALUES (1); SELECT * FROM t;`);
    await run('BEGIN IMMEDIATE; INSERT INTO t VALUES (2);');
    const before = footprint();
    expect((await counted()).n).toBe(1);
    expect(footprint()).toBe(before);
    await run('COMMIT;');
    expect((await counted()).n).toBe(2);
  });

  test('that was closed gets no files beside it', async () => {
    const made = openSqlite(path);
    made.exec(`${WAL} CREATE TABLE t (x); INSERT INTO t VALUES (1), (2)`);
    made.close();
    expect(readdirSync(folder)).toEqual(['opencode.db']);
    const before = footprint();
    expect(await counted()).toEqual({ way: 'at-rest', n: 2 });
    expect(footprint()).toBe(before);
  });

  test('that begins to change while it is read at rest is busy, not half old', async () => {
    const made = openSqlite(path);
    made.exec(`${WAL} CREATE TABLE t (x); INSERT INTO t VALUES (1)`);
    made.close();
    const database = await UntouchedDatabase.open(path, timers);
    expect(await database.read(count)).toBe(1);
    const run = await writer();
    await run('INSERT INTO t VALUES (2); PRAGMA wal_checkpoint(TRUNCATE);');
    await expect(database.read(count)).rejects.toMatchObject({ category: 'source-busy' });
    await database.close();
  });

  test('whose writer died is seen with its log, without the log being taken in', async () => {
    const run = await writer();
    await run(`${WAL} CREATE TABLE t (x); INSERT INTO t VALUES (1);`);
    await run('INSERT INTO t VALUES (2);');
    children.pop()?.kill('SIGKILL');
    await new Promise((settled) => setTimeout(settled, 100));
    for (const way of ['shared', 'copy']) {
      if (way === 'copy') rmSync(join(folder, 'opencode.db-shm'));
      const before = footprint();
      expect(await counted()).toEqual({ way, n: 2 });
      expect(footprint()).toBe(before);
    }
    expect(readdirSync(tmpdir()).filter((name) => name.startsWith('quipu-read-'))).toEqual([]);
  });

  test('in a folder that may not be written is read all the same', async () => {
    const run = await writer();
    await run(`${WAL} CREATE TABLE t (x); INSERT INTO t VALUES (1); SELECT * FROM t;`);
    chmodSync(join(folder, '..'), 0o755);
    for (const name of readdirSync(folder)) chmodSync(join(folder, name), 0o444);
    chmodSync(folder, 0o555);
    const isRoot = process.getuid?.() === 0;
    if (isRoot) process.seteuid?.(65_534);
    try {
      expect(() => writeFileSync(join(folder, 'x'), '')).toThrow();
      const before = footprint();
      expect((await counted()).n).toBe(1);
      expect(footprint()).toBe(before);
    } finally {
      if (isRoot) process.seteuid?.(0);
    }
  });
});

describe('a database in rollback mode', () => {
  const ROLLBACK = 'PRAGMA journal_mode = DELETE; CREATE TABLE t (x); INSERT INTO t VALUES (1);';

  test('is read with a lock and left as it was', async () => {
    const run = await writer();
    await run(ROLLBACK);
    const before = footprint();
    expect(await counted()).toEqual({ way: 'locking', n: 1 });
    expect(footprint()).toBe(before);
  });

  test('that is locked is waited for', async () => {
    const run = await writer();
    await run(ROLLBACK);
    await run('BEGIN EXCLUSIVE;');
    const reading = counted();
    await new Promise((later) => setTimeout(later, 700));
    await run('INSERT INTO t VALUES (2); COMMIT;');
    expect((await reading).n).toBe(2);
  });

  test('that stays locked is busy, within a bound', async () => {
    const run = await writer();
    await run(ROLLBACK);
    await run('BEGIN EXCLUSIVE;');
    const begun = Date.now();
    await expect(counted()).rejects.toMatchObject({ category: 'source-busy' });
    expect(Date.now() - begun).toBeLessThan(10_000);
  });

  test('whose writer died half way is seen as before that transaction', async () => {
    const run = await writer();
    await run(`${ROLLBACK} PRAGMA cache_size = 1; PRAGMA cache_spill = 1;`);
    await run(
      'BEGIN; WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c WHERE i < 20000) ' +
        "INSERT INTO t SELECT printf('%0100d', i) FROM c;",
    );
    // As a crash leaves it: the journal is hot only while no process holds its lock.
    const crashed = join(folder, '..', 'crashed.db');
    copyFileSync(path, crashed);
    copyFileSync(`${path}-journal`, `${crashed}-journal`);
    path = crashed;
    expect(existsSync(`${crashed}-journal`)).toBe(true);
    expect(await counted()).toEqual({ way: 'copy', n: 1 });
    expect(existsSync(`${crashed}-journal`)).toBe(true);
  });
});

describe('what is no such database', () => {
  test.each([
    ['text', 'this is text and no database at all', 'source-damaged'],
    ['nothing', '', 'source-unknown-form'],
  ])('%s is told by its category', async (_, content, category) => {
    writeFileSync(path, content);
    await expect(counted()).rejects.toMatchObject({ category });
  });

  test('a file that is gone fails as a file does', async () => {
    await expect(counted()).rejects.toMatchObject({ code: 'ENOENT' });
  });
});
