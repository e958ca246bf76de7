/** A full disk: an error by its kind, nothing lost, and it goes on once there is room. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { testKernel } from '@quipu/kernel';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openStore } from './open.ts';
import type { Store } from './store.ts';
import { freshPlace, mustOpen } from './testing/fresh-store.ts';

const insert = (store: Store, key: string, chars = 4_000): number =>
  store.run('INSERT INTO settings (key, value) VALUES (?, ?)', [key, 'y'.repeat(chars)]);

const keysIn = (store: Store): unknown[] =>
  store.all('SELECT key FROM settings ORDER BY key').map((row) => row['key']);

test('at a limit of pages, a transaction fails whole; with room it is done', async () => {
  const place = freshPlace();
  const store = await mustOpen(place.directory);
  insert(store, 'kept');
  const pages = Number(store.get('PRAGMA page_count')?.['page_count']);
  store.exec(`PRAGMA max_page_count = ${pages + 2}`);
  const fill = (): void =>
    store.transaction(() => {
      for (let at = 0; at < 100; at += 1) insert(store, `f${at}`);
    });
  expect(fill).toThrow(expect.objectContaining({ name: 'StoreFailure', kind: 'disk-full' }));
  expect(keysIn(store)).toEqual(['kept']);
  store.exec('PRAGMA max_page_count = 1000000');
  fill();
  expect(keysIn(store)).toHaveLength(101);
  expect(store.check()).toEqual([]);
  store.close();
  place.remove();
});

const point = mkdtempSync(join(tmpdir(), 'quipu-small-disk-'));
const mounted =
  process.platform === 'linux' &&
  spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=3m', 'tmpfs', point]).status === 0;

describe.skipIf(!mounted)('on a disk of 3 MB (needs the right to mount)', () => {
  const directory = join(point, 'data');
  const ballast = join(point, 'ballast');
  beforeAll(() => mkdirSync(directory, { mode: 0o700 }));

  const takeAllButKib = (kib: number): void => {
    const { bavail, bsize } = statfsSync(point);
    writeFileSync(ballast, Buffer.alloc(Math.max(0, bavail * bsize - kib * 1_024)));
  };

  test('nothing acknowledged is lost, and writing goes on with room', async () => {
    const store = await mustOpen(directory);
    takeAllButKib(200);
    const acknowledged: string[] = [];
    const fill = (): void => {
      for (let at = 0; at < 1_000; at += 1) {
        const key = `k${String(at).padStart(4, '0')}`;
        store.transaction(() => {
          insert(store, key);
          insert(store, `${key}.twin`);
        });
        acknowledged.push(key, `${key}.twin`);
      }
    };
    expect(fill).toThrow(expect.objectContaining({ name: 'StoreFailure', kind: 'disk-full' }));
    expect(acknowledged.length).toBeGreaterThan(4);
    expect(keysIn(store)).toEqual(acknowledged);
    rmSync(ballast);
    store.transaction(() => insert(store, 'later'));
    expect(keysIn(store)).toEqual([...acknowledged, 'later'].sort());
    expect(store.check()).toEqual([]);
    store.close();
    const again = await mustOpen(directory);
    expect(keysIn(again)).toEqual([...acknowledged, 'later'].sort());
    again.close();
    rmSync(directory, { recursive: true });
  });

  test('a first start without room is an error; with room it starts', async () => {
    mkdirSync(directory, { mode: 0o700 });
    takeAllButKib(40);
    const opened = await openStore({ directory, kernel: testKernel() });
    expect(opened).toMatchObject({ ok: false, error: { kind: 'disk-full' } });
    rmSync(ballast);
    const store = await mustOpen(directory);
    insert(store, 'first');
    expect(keysIn(store)).toEqual(['first']);
    store.close();
  });
});

afterAll(() => {
  if (mounted) expect(spawnSync('umount', [point]).status).toBe(0);
  rmSync(point, { recursive: true, force: true });
});
