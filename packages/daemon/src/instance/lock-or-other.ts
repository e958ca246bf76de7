/**
 * What a start does where another daemon has the lock.
 *
 * Decides: to wait until that one answers, and is then left alone, or has gone, and this one takes
 * over; and for how long. Whoever holds it may still be starting, or on its way out and no longer
 * to be found.
 */
import { err, ok, type Result } from '@quipu/base';
import type { Kernel } from '@quipu/kernel';
import { START_MS_MAX, START_POLL_MS } from '../limits.ts';
import { findDaemon } from './find.ts';
import { acquireInstanceLock, type InstanceLock } from './lock.ts';

export type LockHeld = { readonly kind: 'lock-held'; readonly message: string };

export async function lockOrOther(
  directory: string,
  kernel: Pick<Kernel, 'clock' | 'timers'>,
): Promise<Result<InstanceLock | 'already-running', LockHeld>> {
  const deadline = kernel.clock.monotonicMs() + START_MS_MAX;
  do {
    const lock = acquireInstanceLock(directory);
    if (lock.ok) return lock;
    if ((await findDaemon(directory)) !== undefined) return ok('already-running');
    await kernel.timers.sleep(START_POLL_MS);
  } while (kernel.clock.monotonicMs() < deadline);
  return err({
    kind: 'lock-held',
    message: 'Another daemon holds this data directory but does not answer. End that process.',
  });
}
