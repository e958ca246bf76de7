/**
 * The ambient world as one interface: clock, dice, timers, files, processes, log.
 *
 * Decides: what the rest of Quipu may ask of the machine. Everything above takes a `Kernel` (or the
 * one part that it needs) as an argument; only this package touches `Date.now`, `Math.random`,
 * `setTimeout`. `realKernel()` is the machine; `testKernel()` is its deterministic double.
 *
 * Callers: never keep a reading of the clock across an await and call it "now".
 * Implementers: `monotonicMs` never goes back; timers fire in order of due time, then of creation.
 */
import type { EpochMs } from '@quipu/base';

export type Clock = {
  readonly now: () => EpochMs;
  /** Milliseconds from an arbitrary origin; only differences mean anything. */
  readonly monotonicMs: () => number;
};

export type Dice = {
  readonly bytes: (count: number) => Uint8Array;
  /** Uniform in [0, 1). */
  readonly uniform: () => number;
};

export type Timer = { readonly cancel: () => void };

export type Timers = {
  readonly after: (delayMs: number, run: () => void) => Timer;
  /** Resolves after the delay; rejects with the signal's reason when it is aborted first. */
  readonly sleep: (delayMs: number, signal?: AbortSignal) => Promise<void>;
};

/** Severity, a fixed category (never free text), and plain fields that hold no user data. */
export type LogEvent = {
  readonly level: 'debug' | 'info' | 'warn' | 'error';
  readonly category: string;
  readonly fields?: Readonly<Record<string, string | number | boolean>>;
};

export type Log = { readonly write: (event: LogEvent) => void };

export type Kernel = {
  readonly clock: Clock;
  readonly dice: Dice;
  readonly timers: Timers;
  readonly log: Log;
};
