/**
 * Why a worker process ended.
 *
 * Decides: an end that the host asked for is no failure, whatever the code; SIGKILL that the host
 * did not send, 137 (the same through a shell) and 75 (the worker's own allocation failed) are
 * exhausted memory; all else is a loss. Death by signal is never success.
 */
import type { EmbedCategory } from '../errors.ts';

/** sysexits.h: EX_TEMPFAIL. */
export const EXIT_ALLOCATION_FAILED = 75;
/** sysexits.h: EX_PROTOCOL. */
export const EXIT_PROTOCOL = 76;
const EXIT_KILLED_THROUGH_SHELL = 137;

export type Ending = { readonly code: number | null; readonly signal: string | null };

/** `blame` is why the host ended it, where it did. */
export function causeOf(ending: Ending, blame: EmbedCategory | undefined): EmbedCategory {
  if (blame !== undefined) return blame;
  const { code, signal } = ending;
  if (signal === 'SIGKILL') return 'memory-exhausted';
  if (code === EXIT_KILLED_THROUGH_SHELL || code === EXIT_ALLOCATION_FAILED) {
    return 'memory-exhausted';
  }
  return code === EXIT_PROTOCOL ? 'worker-protocol' : 'worker-lost';
}
