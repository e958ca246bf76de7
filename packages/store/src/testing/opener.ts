/**
 * A process that opens a store, migrating it where needed, and may purge it.
 *
 *   node opener.ts DIRECTORY open|purge [POINT]
 *
 * Decides: it says `ready`, waits for the file `go` beside the directory (so that several start at
 * once), and prints the statements of backup and migration that it ran, as a JSON list.
 */
import { existsSync, writeSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { realKernel } from '@quipu/kernel';
import { openStore } from '../open.ts';
import { registerSink } from '../trace.ts';
import { dieAt } from './die-at.ts';

const [, , directory = '', action = 'open', point = ''] = process.argv;

const ran: string[] = [];
registerSink({
  withDbSpan: (span, run) => {
    const value = run();
    if (/^(VACUUM INTO|CREATE INDEX)/.test(span.sql)) ran.push(span.sql);
    return value;
  },
});
writeSync(1, 'ready\n');
while (!existsSync(`${directory}.go`)) await sleep(1);
if (action === 'open') dieAt(point);
const opened = await openStore({ directory, kernel: realKernel() });
if (!opened.ok) {
  writeSync(2, `${opened.error.kind}: ${opened.error.message}\n`);
  process.exit(3);
}
if (action === 'purge') {
  dieAt(point);
  opened.value.purge();
}
opened.value.close();
writeSync(1, `${JSON.stringify(ran)}\n`);
