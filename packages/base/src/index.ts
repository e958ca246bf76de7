/**
 * What every package may use: results, assertions, brands, digests, a bounded queue, seeded dice.
 */
export { AssertionFailure, assert, maybe, unreachable } from './assert.ts';
export type { Brand, Bytes, DurationMs, EpochMs } from './brand.ts';
export { bytes, durationMs, epochMs } from './brand.ts';
export { derivedId, digestOf } from './digest.ts';
export { BoundedQueue } from './queue.ts';
export type { Random } from './random.ts';
export { seededRandom } from './random.ts';
export type { Result } from './result.ts';
export { err, ok } from './result.ts';
