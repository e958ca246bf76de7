/**
 * The machine this process runs on, for what is the same under every clock: names, keys, deadlines
 * of network calls.
 */
import { realKernel } from '@quipu/kernel';

const kernel = realKernel();

/** Unguessable, as hex; two characters a byte. */
export const randomHex = (bytes: number): string =>
  Buffer.from(kernel.dice.bytes(bytes)).toString('hex');

export type Deadline = { readonly signal: AbortSignal; readonly done: () => void };

/** Aborts after the time, unless it is done before. */
export function deadline(delayMs: number): Deadline {
  const controller = new AbortController();
  const timer = kernel.timers.after(delayMs, () => controller.abort());
  return { signal: controller.signal, done: () => timer.cancel() };
}
