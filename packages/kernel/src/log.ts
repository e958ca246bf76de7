/**
 * Where events go: nowhere, or a file kept small.
 *
 * Decides: an event is a level, a fixed category, and plain fields; a category that is no such word
 * is a defect, so that text of users or libraries cannot slip in as one. The file is 0600, and
 * rotated once: the older half is kept beside it.
 */
import { chmodSync, renameSync, statSync } from 'node:fs';
import { assert } from '@quipu/base';
import pino from 'pino';
import type { Log, LogEvent } from './kernel.ts';

const CATEGORY = /^[a-z0-9]+(-[a-z0-9]+)*$/;
const CATEGORY_CHARS_MAX = 60;

export function checkEvent(event: LogEvent): void {
  assert(
    event.category.length <= CATEGORY_CHARS_MAX && CATEGORY.test(event.category),
    'a log category is a fixed word',
  );
}

export const discardLog: Log = { write: checkEvent };

/** Appends to the file as JSON lines; a file over `bytesMax` is put aside first. */
export function fileLog(path: string, bytesMax: number): Log {
  rotate(path, bytesMax);
  const target = pino.destination({ dest: path, sync: true, mode: 0o600, append: true });
  const logger = pino(
    { base: { pid: process.pid }, timestamp: pino.stdTimeFunctions.isoTime },
    target,
  );
  if (process.platform !== 'win32') chmodSync(path, 0o600);
  return {
    write: (event) => {
      checkEvent(event);
      logger[event.level]({ ...event.fields }, event.category);
    },
  };
}

function rotate(path: string, bytesMax: number): void {
  const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  if (size > bytesMax) renameSync(path, `${path}.1`);
}
