/**
 * Crashes and several processes. Allowed: what was not acknowledged is there whole or not at all.
 * Forbidden: an acknowledged pair that is missing, a pair that is halved, a damaged file.
 */
import { writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { seededRandom } from '@quipu/base';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Store } from './store.ts';
import { type Ended, start } from './testing/child.ts';
import { type FreshPlace, freshPlace, mustOpen } from './testing/fresh-store.ts';

let place: FreshPlace;
let directory: string;
beforeEach(() => {
  place = freshPlace();
  directory = place.directory;
});
afterEach(() => place.remove());

const write = (prefix: string, count: number, point = ''): Promise<Ended> =>
  start('writer.ts', [directory, prefix, String(count), point]).ended;

function pairsIn(store: Store): string[] {
  const a = store.all("SELECT key FROM settings WHERE key LIKE '%.a'");
  const b = store.all("SELECT kind FROM redactions WHERE kind LIKE '%.b'");
  const first = a.map((row) => String(row['key']).slice(0, -2)).sort();
  const second = b.map((row) => String(row['kind']).slice(0, -2)).sort();
  expect(first).toEqual(second);
  return first;
}

async function expectNothingLost(ended: Ended): Promise<void> {
  expect(ended.signal).toBe('SIGKILL');
  const store = await mustOpen(directory);
  const pairs = pairsIn(store);
  expect(pairs).toEqual(expect.arrayContaining([...ended.lines]));
  expect(pairs.length - ended.lines.length).toBeLessThanOrEqual(1);
  expect(store.check()).toEqual([]);
  store.close();
}

describe('SIGKILL at every point of a write (Verifies: STORE-2, STORE-3)', () => {
  const points = [
    'before:BEGIN#3',
    'after:BEGIN#3',
    'before:INSERT INTO settings#3',
    'after:INSERT INTO settings#3',
    'after:INSERT INTO redactions#3',
    'before:COMMIT#3',
    'after:COMMIT#3',
    'before:PRAGMA wal_checkpoint#2',
    'after:PRAGMA wal_checkpoint#2',
  ];
  for (const point of points) {
    test(`${point}: nothing acknowledged is lost, nothing is halved`, async () => {
      const ended = await write('k', 20, point);
      expect(ended.lines.length).toBeGreaterThan(1);
      await expectNothingLost(ended);
      expect((await write('again', 3)).lines).toHaveLength(3);
    });
  }

  test('at moments that nobody chose', async () => {
    const seed = Date.now();
    const random = seededRandom(seed);
    const acknowledged: string[] = [];
    for (let run = 0; run < 5; run += 1) {
      const child = start('writer.ts', [directory, `r${run}-`, '100000', '']);
      await child.said();
      await sleep(random.next() * 60);
      child.kill();
      const ended = await child.ended;
      acknowledged.push(...ended.lines);
      const store = await mustOpen(directory);
      const pairs = new Set(pairsIn(store));
      expect(
        acknowledged.filter((key) => !pairs.has(key)),
        `seed ${seed}`,
      ).toEqual([]);
      expect(pairs.size - acknowledged.length, `seed ${seed}`).toBeLessThanOrEqual(run + 1);
      expect(store.check()).toEqual([]);
      store.close();
    }
    expect(acknowledged.length).toBeGreaterThan(5);
  });
});

describe('SIGKILL while the file is purged', () => {
  const points = [
    'after:INSERT INTO chunks_words',
    'before:VACUUM',
    'after:VACUUM',
    'before:PRAGMA wal_checkpoint',
    'after:PRAGMA wal_checkpoint',
  ];
  for (const point of points) {
    test(`${point}: everything that was not deleted is there`, async () => {
      const { lines } = await write('k', 12);
      writeFileSync(`${directory}.go`, '');
      const ended = await start('opener.ts', [directory, 'purge', point]).ended;
      await expectNothingLost({ ...ended, lines });
    });
  }
});

test('four first starts at once make one store; all read whole pairs and lose none', async () => {
  const ended = await Promise.all(['a', 'b', 'c', 'd'].map((prefix) => write(prefix, 40)));
  expect(ended.map(({ code }) => code)).toEqual([0, 0, 0, 0]);
  const acknowledged = ended.flatMap((each) => each.lines).sort();
  expect(acknowledged).toHaveLength(160);
  const store = await mustOpen(directory);
  expect(pairsIn(store)).toEqual(acknowledged);
  expect(store.check()).toEqual([]);
  store.close();
});
