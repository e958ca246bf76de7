/**
 * A process that writes to a store and reads it, until it is killed: what crash tests start.
 *
 *   node writer.ts DIRECTORY PREFIX COUNT [POINT]
 *
 * Decides: each row is one transaction of two inserts (a pair that must never be seen halved); its
 * key is printed only once the transaction is acknowledged. After each, both halves of all pairs
 * are counted in one statement; a difference ends the process with code 4.
 */
import { writeSync } from 'node:fs';
import { realKernel } from '@quipu/kernel';
import { openStore } from '../open.ts';
import { dieAt } from './die-at.ts';

const [, , directory = '', prefix = '', count = '0', point = ''] = process.argv;

const opened = await openStore({ directory, kernel: realKernel() });
if (!opened.ok) {
  writeSync(2, `${opened.error.kind}\n`);
  process.exit(3);
}
const store = opened.value;
dieAt(point);
for (let at = 0; at < Number(count); at += 1) {
  const key = `${prefix}${at}`;
  store.transaction(() => {
    store.run('INSERT INTO settings (key, value) VALUES (?, ?)', [`${key}.a`, 'x'.repeat(900)]);
    store.run('INSERT INTO redactions (kind, count) VALUES (?, ?)', [`${key}.b`, 1]);
  });
  writeSync(1, `${key}\n`);
  const seen = store.get(`SELECT (SELECT count(*) FROM settings WHERE key LIKE '%.a') AS a,
    (SELECT count(*) FROM redactions WHERE kind LIKE '%.b') AS b`);
  if (seen?.['a'] !== seen?.['b'] || Number(seen?.['a']) <= at) process.exit(4);
  if (at % 5 === 4) store.exec('PRAGMA wal_checkpoint(TRUNCATE)');
}
store.close();
