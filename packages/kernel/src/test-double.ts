/**
 * The kernel's deterministic double: time moves only when a test moves it, dice are seeded, events
 * are kept.
 */
import { epochMs, seededRandom } from '@quipu/base';
import type { Kernel, LogEvent } from './kernel.ts';
import { checkEvent } from './log.ts';

export type TestKernel = Kernel & {
  readonly events: readonly LogEvent[];
  /** Moves time, running timers in order of due time, then of creation. */
  readonly advance: (ms: number) => Promise<void>;
};

type Pending = { readonly dueMs: number; readonly order: number; readonly run: () => void };

export function testKernel(options: { seed?: number; startMs?: number } = {}): TestKernel {
  const start = options.startMs ?? Date.UTC(2026, 0, 1);
  const random = seededRandom(options.seed ?? 1);
  const events: LogEvent[] = [];
  const pending = new Set<Pending>();
  let elapsedMs = 0;
  let order = 0;

  const after = (delayMs: number, run: () => void): { cancel: () => void } => {
    const timer: Pending = { dueMs: elapsedMs + Math.max(0, delayMs), order: order++, run };
    pending.add(timer);
    return { cancel: () => void pending.delete(timer) };
  };
  const sleep = (delayMs: number, signal?: AbortSignal): Promise<void> =>
    new Promise((resolve, reject) => {
      if (signal?.aborted === true) {
        reject(signal.reason);
        return;
      }
      // No time has to pass for a mere turn.
      if (delayMs <= 0) {
        resolve();
        return;
      }
      const timer = after(delayMs, resolve);
      signal?.addEventListener('abort', () => {
        timer.cancel();
        reject(signal.reason);
      });
    });
  const next = (untilMs: number): Pending | undefined =>
    [...pending]
      .filter((timer) => timer.dueMs <= untilMs)
      .sort((a, b) => a.dueMs - b.dueMs || a.order - b.order)[0];

  return {
    clock: { now: () => epochMs(start + elapsedMs), monotonicMs: () => elapsedMs },
    dice: {
      bytes: (count) => Uint8Array.from({ length: count }, () => random.below(256)),
      uniform: random.next,
    },
    timers: { after, sleep },
    log: {
      write: (event) => {
        checkEvent(event);
        events.push(event);
      },
    },
    events,
    advance: async (ms) => {
      const untilMs = elapsedMs + ms;
      for (let timer = next(untilMs); timer !== undefined; timer = next(untilMs)) {
        pending.delete(timer);
        elapsedMs = Math.max(elapsedMs, timer.dueMs);
        timer.run();
        // Lets what waited on the timer run before the next one.
        for (let turn = 0; turn < 10; turn += 1) await Promise.resolve();
      }
      elapsedMs = untilMs;
    },
  };
}
