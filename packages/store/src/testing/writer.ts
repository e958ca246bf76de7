/**
 * A process that writes to a store until it is killed: what crash tests start.
 *
 *   node writer.ts DIRECTORY PREFIX COUNT [POINT]
 *
 * Decides: each row is one transaction of two inserts (a pair that must never be seen halved); its
 * key is printed only once the transaction is acknowledged. At POINT (`before:SQL`, `after:SQL`, of
 * the statement that begins so, the third time) the process kills itself with SIGKILL.
 */
import { writeSync } from 'node:fs';
import { realKernel } from '@quipu/kernel';
import { openStore } from '../open.ts';
import { registerSink } from '../trace.ts';

const [, , directory = '', prefix = '', count = '0', point = ''] = process.argv;

const die = (): void => {
  process.kill(process.pid, 'SIGKILL');
};

if (point !== '') {
  const [when, sql = ''] = point.split(':');
  let seen = 0;
  registerSink({
    withDbSpan: (span, run) => {
      const hit = span.sql.startsWith(sql);
      if (hit) seen += 1;
      if (hit && seen === 3 && when === 'before') die();
      const value = run();
      if (hit && seen === 3 && when === 'after') die();
      return value;
    },
  });
}

const opened = await openStore({ directory, kernel: realKernel() });
if (!opened.ok) {
  writeSync(2, `${opened.error.kind}\n`);
  process.exit(3);
}
const store = opened.value;
for (let at = 0; at < Number(count); at += 1) {
  const key = `${prefix}${at}`;
  store.transaction(() => {
    store.run('INSERT INTO settings (key, value) VALUES (?, ?)', [`${key}.a`, 'x'.repeat(900)]);
    store.run('INSERT INTO redactions (kind, count) VALUES (?, ?)', [`${key}.b`, 1]);
  });
  writeSync(1, `${key}\n`);
  if (at % 5 === 4) store.exec('PRAGMA wal_checkpoint(TRUNCATE)');
}
store.close();
