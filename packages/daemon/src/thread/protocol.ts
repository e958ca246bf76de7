/**
 * The daemon's store lives on a thread of its own: whatever a statement takes (a search over a
 * hundred thousand passages, the purge after a forget), the thread that answers HTTP stays free.
 *
 *   daemon ── call {id, method, args} ──▶ thread      thread ── ready | failed ──▶ daemon
 *          ── close ──────────────────▶                      ── answer {id, …} ─▶
 *                                                            ── log ───────────▶
 *
 * Decides: the messages. Calls are answered in any order, each once. A defect's text stays in the
 * thread; the daemon learns that there was one.
 */
import type { Result } from '@quipu/base';
import type { EmbedderState } from '@quipu/embed';
import type { LogEvent } from '@quipu/kernel';
import type { MemoryCounts } from '@quipu/memory';
import type { Backend, BackendError } from '../backend.ts';
import type { LocalError } from '../local.ts';

/** What the daemon says of its store and model in `status`. */
export type Overview = {
  readonly counts: MemoryCounts;
  readonly model: string | null;
  readonly embedder: EmbedderState | null;
};

export type ThreadMethods = Omit<Backend, 'kind'> & {
  readonly overview: () => Promise<Result<Overview, BackendError>>;
  /** Starts the model's process, so that the first question finds it. */
  readonly warm: () => Promise<Result<null, BackendError>>;
};

export const METHODS = [
  'recall',
  'show',
  'sessions',
  'projects',
  'remember',
  'forget',
  'move',
  'context',
  'printed',
  'overview',
  'warm',
] as const satisfies readonly (keyof ThreadMethods)[];
export type Method = (typeof METHODS)[number];

/** What the thread is started with. */
export type ThreadData = { readonly directory: string };

export type ToThread =
  | {
      readonly type: 'call';
      readonly id: number;
      readonly method: Method;
      readonly args: readonly unknown[];
    }
  | { readonly type: 'close' };

export type FromThread =
  | { readonly type: 'ready' }
  | { readonly type: 'failed'; readonly error: LocalError }
  | { readonly type: 'log'; readonly event: LogEvent }
  | {
      readonly type: 'answer';
      readonly id: number;
      /** Undefined when the call failed for a defect. */
      readonly result?: Result<unknown, BackendError>;
    };
