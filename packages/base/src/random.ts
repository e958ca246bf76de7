/**
 * A seeded generator: the same seed gives the same numbers on every machine.
 * Source: PCG-XSH-RR 32 with 64-bit state (M. E. O'Neill, 2014).
 */
export type Random = {
  /** Uniform in [0, 1), 32 bits of resolution. */
  readonly next: () => number;
  /** Uniform whole number in [0, below). */
  readonly below: (limit: number) => number;
  readonly pick: <T>(items: readonly T[]) => T;
};

const MULTIPLIER = 6364136223846793005n;
const INCREMENT = 1442695040888963407n;
const MASK = (1n << 64n) - 1n;

export function seededRandom(seed: number | bigint): Random {
  let state = (BigInt(seed) * 2n + INCREMENT) & MASK;
  const step = (): number => {
    const old = state;
    state = (old * MULTIPLIER + INCREMENT) & MASK;
    const shifted = Number(((old >> 18n) ^ old) >> 27n) >>> 0;
    const turn = Number(old >> 59n);
    return ((shifted >>> turn) | (shifted << ((32 - turn) & 31))) >>> 0;
  };
  step();
  const next = (): number => step() / 4294967296;
  const below = (limit: number): number => Math.floor(next() * limit);
  const pick = <T>(items: readonly T[]): T => {
    const item = items[below(items.length)];
    if (item === undefined && items.length === 0) throw new RangeError('pick from an empty list');
    return item as T;
  };
  return { next, below, pick };
}
