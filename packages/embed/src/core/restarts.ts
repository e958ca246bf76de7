/**
 * How often a worker may be started again, and how long to wait before.
 *
 * Decides: each unexpected end within the window doubles the wait; too many within it and the
 * embedder has failed. Ends outside the window are forgiven.
 */
import { BACKOFF_FIRST_MS, BACKOFF_MAX_MS, RESTART_WINDOW_MS, RESTARTS_MAX } from '../limits.ts';

export class RestartBudget {
  /** When the recent unexpected ends were, oldest first. */
  #ends: number[] = [];

  /** Returns false when that was one too many. */
  recordEnd(nowMs: number): boolean {
    this.#forgive(nowMs);
    this.#ends.push(nowMs);
    return this.#ends.length <= RESTARTS_MAX;
  }

  /** How long from now until a start is allowed; 0 for at once. */
  waitMs(nowMs: number): number {
    this.#forgive(nowMs);
    const last = this.#ends.at(-1);
    if (last === undefined) return 0;
    const backoff = Math.min(BACKOFF_MAX_MS, BACKOFF_FIRST_MS * 2 ** (this.#ends.length - 1));
    return Math.max(0, last + backoff - nowMs);
  }

  forget(): void {
    this.#ends = [];
  }

  #forgive(nowMs: number): void {
    this.#ends = this.#ends.filter((at) => nowMs - at < RESTART_WINDOW_MS);
  }
}
