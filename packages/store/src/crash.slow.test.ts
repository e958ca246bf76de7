/**
 * Crashes, several processes, a full disk. Allowed: what was not acknowledged is there whole or not
 * at all. Forbidden: an acknowledged pair that is missing, a pair that is halved, a damaged file.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { testKernel } from '@quipu/kernel';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { StoreFailure } from './errors.ts';
import { openStore } from './open.ts';
import type { Store } from './store.ts';

const WRITER = join(import.meta.dirname, 'testing', 'writer.ts');
const LOADER = ['--import', 'tsx', '--conditions=source'];

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'quipu-crash-'));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

type Ended = { readonly acknowledged: readonly string[]; readonly signal: string | null };

async function write(prefix: string, count: number, point = ''): Promise<Ended> {
  const child = spawn(
    process.execPath,
    [...LOADER, WRITER, directory, prefix, String(count), point],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  let out = '';
  child.stdout.on('data', (piece) => {
    out += piece;
  });
  const [, signal] = (await once(child, 'close')) as [number | null, string | null];
  return { acknowledged: out.split('\n').filter((line) => line !== ''), signal };
}

async function reopen(): Promise<Store> {
  const opened = await openStore({ directory, kernel: testKernel() });
  if (!opened.ok) throw new Error(opened.error.message);
  return opened.value;
}

function pairsIn(store: Store): string[] {
  const a = store.all("SELECT key FROM settings WHERE key LIKE '%.a'");
  const b = store.all("SELECT kind FROM redactions WHERE kind LIKE '%.b'");
  const first = a.map((row) => String(row['key']).slice(0, -2)).sort();
  const second = b.map((row) => String(row['kind']).slice(0, -2)).sort();
  expect(first).toEqual(second);
  return first;
}

describe('SIGKILL at every point of a write (Verifies: STORE-2, STORE-3)', () => {
  const points = [
    'before:BEGIN',
    'after:BEGIN',
    'before:INSERT INTO settings',
    'after:INSERT INTO settings',
    'after:INSERT INTO redactions',
    'before:COMMIT',
    'after:COMMIT',
    'before:PRAGMA wal_checkpoint',
    'after:PRAGMA wal_checkpoint',
  ];
  for (const point of points) {
    test(`${point}: nothing acknowledged is lost, nothing is halved`, async () => {
      const { acknowledged, signal } = await write('k', 20, point);
      expect(signal).toBe('SIGKILL');
      const store = await reopen();
      const pairs = pairsIn(store);
      for (const key of acknowledged) expect(pairs).toContain(key);
      expect(pairs.length - acknowledged.length).toBeLessThanOrEqual(1);
      expect(store.check()).toEqual([]);
      store.close();
      expect((await write('again', 3)).acknowledged).toHaveLength(3);
    });
  }
});

test('four first starts at once make one store, and all writes of all are there', async () => {
  const ended = await Promise.all(['a', 'b', 'c', 'd'].map((prefix) => write(prefix, 40)));
  const acknowledged = ended.flatMap((each) => each.acknowledged).sort();
  expect(acknowledged).toHaveLength(160);
  const store = await reopen();
  expect(pairsIn(store)).toEqual(acknowledged);
  expect(store.check()).toEqual([]);
  store.close();
});

test('a full disk is an error by its kind; nothing is lost, later it works again', async () => {
  expect((await write('k', 5)).acknowledged).toHaveLength(5);
  const store = await reopen();
  const pages = Number(store.get('PRAGMA page_count')?.['page_count']);
  store.exec(`PRAGMA max_page_count = ${pages + 2}`);
  const fill = (): void =>
    store.transaction(() => {
      for (let at = 0; at < 100; at += 1) {
        store.run('INSERT INTO settings (key, value) VALUES (?, ?)', [`f${at}`, 'y'.repeat(4_000)]);
      }
    });
  let failure: unknown;
  try {
    fill();
  } catch (thrown) {
    failure = thrown;
  }
  expect(failure).toBeInstanceOf(StoreFailure);
  expect((failure as StoreFailure).kind).toBe('disk-full');
  expect(pairsIn(store)).toHaveLength(5);
  store.exec('PRAGMA max_page_count = 1000000');
  fill();
  expect(store.get("SELECT count(*) AS n FROM settings WHERE key LIKE 'f%'")?.['n']).toBe(100);
  expect(store.check()).toEqual([]);
  store.close();
});
