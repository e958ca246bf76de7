/**
 * The machine as a kernel. The only file that touches the ambient clock, dice and timers.
 */
import { randomBytes } from 'node:crypto';
import { setTimeout as sleepFor } from 'node:timers/promises';
import { epochMs } from '@quipu/base';
import type { Kernel, Log } from './kernel.ts';
import { discardLog } from './log.ts';

export function realKernel(log: Log = discardLog): Kernel {
  return {
    clock: { now: () => epochMs(Date.now()), monotonicMs: () => performance.now() },
    dice: { bytes: (count) => new Uint8Array(randomBytes(count)), uniform: () => Math.random() },
    timers: {
      after: (delayMs, run) => {
        const timer = setTimeout(run, delayMs);
        return { cancel: () => clearTimeout(timer) };
      },
      sleep: async (delayMs, signal) => {
        await sleepFor(delayMs, undefined, signal === undefined ? {} : { signal });
      },
    },
    log,
  };
}
