/**
 * Progress of long work on standard error: one line that a terminal rewrites, or a line now and
 * then where nobody watches.
 */
import type { World } from './world.ts';

export type Progress = {
  readonly tell: (text: string) => void;
  /** Removes the line; further calls of `tell` do nothing. */
  readonly end: () => void;
};

const QUIET_INTERVAL_MS = 5_000;
const LIVE_INTERVAL_MS = 100;

export function createProgress(world: World, shown: boolean): Progress {
  const live = process.stderr.isTTY === true;
  const startedMs = world.kernel.clock.monotonicMs();
  let toldMs = live ? Number.NEGATIVE_INFINITY : startedMs;
  let ended = false;
  let dirty = false;
  return {
    tell: (text) => {
      const nowMs = world.kernel.clock.monotonicMs();
      if (!shown || ended || nowMs - toldMs < (live ? LIVE_INTERVAL_MS : QUIET_INTERVAL_MS)) return;
      toldMs = nowMs;
      if (!live) {
        world.note(text);
        return;
      }
      process.stderr.write(`\r\u001b[2K${text.slice(0, world.width - 1)}`);
      dirty = true;
    },
    end: () => {
      if (dirty) process.stderr.write('\r\u001b[2K');
      ended = true;
    },
  };
}
