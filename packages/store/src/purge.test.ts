/** After a purge, what was deleted is in no file of the directory (Verifies: STORE-4). */

import { mkdirSync } from 'node:fs';
import { seededRandom } from '@quipu/base';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openSqlite } from './driver.ts';
import type { Store } from './store.ts';
import { placeFixture } from './testing/fixtures.ts';
import { bytesIn, type FreshPlace, freshPlace, mustOpen } from './testing/fresh-store.ts';

let place: FreshPlace;
let directory: string;
beforeEach(() => {
  place = freshPlace();
  directory = place.directory;
});
afterEach(() => place.remove());

const SECRET = 'zanzibarsecret';

/** Files that hold any four letters of the secret in a row which stand nowhere else. */
function traces(): string[] {
  const pieces = ['zanz', 'zibar', 'arsecr', 'secret', 'ibarse'];
  return [...bytesIn(directory)].flatMap(([name, bytes]) =>
    pieces.filter((piece) => bytes.includes(piece)).map((piece) => `${name}: ${piece}`),
  );
}

const filler = (seed: number): string => {
  const random = seededRandom(seed);
  return Array.from({ length: 30 }, () =>
    Array.from({ length: 6 }, () => 'bdfghjklmnpq'[random.below(12)]).join(''),
  ).join(' ');
};

function writeChunk(store: Store, id: number, text: string): void {
  store.run(
    `INSERT INTO chunks (id, message_id, part_ordinal, ordinal, kind, role, start, "end", ranked,
       text, terms) VALUES (?, ?, 0, 0, 'text', 'user', 0, 1, 1, ?, ?)`,
    [id, `msg_${id}`, text, text],
  );
  store.run(
    `INSERT INTO parts (message_id, ordinal, type, text, tool, call_id, is_error, extra)
     VALUES (?, 0, 'text', ?, '', '', 0, '')`,
    [`msg_${id}`, text],
  );
  for (const table of ['chunks_words', 'chunks_identifiers']) {
    store.run(`INSERT INTO ${table} (rowid, terms) VALUES (?, ?)`, [id, text]);
  }
  store.run('INSERT INTO chunks_trigram (rowid, text) VALUES (?, ?)', [id, text]);
}

function deleteChunk(store: Store, id: number): void {
  store.run('DELETE FROM chunks WHERE id = ?', [id]);
  store.run('DELETE FROM parts WHERE message_id = ?', [`msg_${id}`]);
  for (const table of ['chunks_words', 'chunks_identifiers', 'chunks_trigram']) {
    store.run(`DELETE FROM ${table} WHERE rowid = ?`, [id]);
  }
}

/** Terms of the secret that the full-text indexes themselves still hold. */
function indexedTerms(store: Store): string[] {
  return ['chunks_words', 'chunks_identifiers', 'chunks_trigram'].flatMap((table) => {
    store.exec(`CREATE VIRTUAL TABLE temp.vocabulary USING fts5vocab('main', '${table}', 'row')`);
    const rows = store.all("SELECT term FROM temp.vocabulary WHERE term IN (?, 'zan')", [SECRET]);
    store.exec('DROP TABLE temp.vocabulary');
    return rows.map((row) => String(row['term']));
  });
}

test('a secret among a thousand passages, in rows and in all indexes', async () => {
  const store = await mustOpen(directory);
  for (let batch = 0; batch < 10; batch += 1) {
    store.transaction(() => {
      for (let at = 0; at < 100; at += 1) {
        const id = batch * 100 + at + 1;
        writeChunk(store, id, id % 97 === 0 ? `${filler(id)} ${SECRET}` : filler(id));
      }
    });
  }
  expect(indexedTerms(store)).toEqual(['zanzibarsecret', 'zanzibarsecret', 'zan']);
  store.exec('PRAGMA wal_checkpoint');
  expect(traces().length).toBeGreaterThan(5);
  store.transaction(() => {
    for (let id = 97; id <= 1_000; id += 97) deleteChunk(store, id);
  });
  expect(traces().length).toBeGreaterThan(0);
  store.purge();
  expect(traces()).toEqual([]);
  expect(indexedTerms(store)).toEqual([]);
  const kept = store.get('SELECT count(*) AS n FROM chunks')?.['n'];
  expect(kept).toBe(990);
  const word = filler(5).split(' ')[0] ?? '';
  const found = store.all('SELECT rowid FROM chunks_words WHERE chunks_words MATCH ?', [word]);
  expect(found.map((row) => row['rowid'])).toContain(5);
  expect(store.check()).toEqual([]);
  store.close();
});

test('a secret that was deleted after a migration is not in the backup either', async () => {
  mkdirSync(directory, { mode: 0o700 });
  const path = placeFixture(1, directory);
  const old = openSqlite(path);
  old.exec(`INSERT INTO settings (key, value) VALUES ('k', '${SECRET}')`);
  old.close();
  const store = await mustOpen(directory);
  expect([...bytesIn(directory).keys()].some((name) => name.includes('.backup-v1'))).toBe(true);
  store.run("DELETE FROM settings WHERE key = 'k'");
  store.purge();
  expect(traces()).toEqual([]);
  store.close();
});

test('while another process reads the old state, purge says that traces remain', async () => {
  const store = await mustOpen(directory, { waitMs: { busy: 20, migration: 20 } });
  store.run("INSERT INTO settings (key, value) VALUES ('k', ?)", [SECRET]);
  const reader = await mustOpen(directory);
  reader.exec('BEGIN');
  expect(reader.all('SELECT value FROM settings')).toHaveLength(1);
  store.run("DELETE FROM settings WHERE key = 'k'");
  expect(() => store.purge()).toThrow(expect.objectContaining({ kind: 'busy' }));
  expect(traces().length).toBeGreaterThan(0);
  reader.exec('COMMIT');
  store.purge();
  expect(traces()).toEqual([]);
  reader.close();
  store.close();
});

test('a purge within a transaction is a defect', async () => {
  const store = await mustOpen(directory);
  expect(() => store.transaction(() => store.purge())).toThrow('outside');
  store.close();
});
