/** A start beside a daemon that leaves, and beside one that neither leaves nor answers. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { assert } from '@quipu/base';
import { testKernel } from '@quipu/kernel';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { acquireInstanceLock, type InstanceLock } from './lock.ts';
import { lockOrOther } from './lock-or-other.ts';

let directory: string;
let leaving: InstanceLock;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'quipu-lock-'));
  const lock = acquireInstanceLock(directory);
  assert(lock.ok, 'the lock is free');
  leaving = lock.value;
});
afterEach(() => {
  rmSync(directory, { recursive: true, force: true });
});

/** Time passes only in pauses, each of which `meanwhile` is told of. */
function pausing(meanwhile: (pause: number) => void) {
  const { timers } = testKernel();
  let ms = 0;
  let pauses = 0;
  const sleep = async (delayMs: number): Promise<void> => {
    ms += delayMs;
    pauses += 1;
    meanwhile(pauses);
  };
  return {
    clock: { now: testKernel().clock.now, monotonicMs: () => ms },
    timers: { ...timers, sleep },
  };
}

test('a daemon that is on its way out is waited for, and then the lock is taken', async () => {
  const lock = await lockOrOther(
    directory,
    pausing((pause) => {
      if (pause === 3) leaving.release();
    }),
  );
  assert(lock.ok && lock.value !== 'already-running', 'the lock was taken');
  expect(acquireInstanceLock(directory).ok).toBe(false);
  lock.value.release();
});

test('one that neither goes nor answers is an error that says so', async () => {
  expect(
    await lockOrOther(
      directory,
      pausing(() => {}),
    ),
  ).toMatchObject({ ok: false, error: { kind: 'lock-held' } });
  leaving.release();
});
