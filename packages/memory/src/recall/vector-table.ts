/**
 * The vectors of a pool and of its neighbours, as the signed bytes in which they are kept.
 *
 * Decides: that they are compared without being turned into floats. A passage's direction is
 * d = (v − m) / |v − m| with v = scale · bytes, so that for any x
 *
 *   d · x = (scale · (bytes · x) − m · x) / |v − m|
 *   |v − m|² = scale² · |bytes|² − 2 · scale · (bytes · m) + |m|²
 */
import type { Store } from '@quipu/store';
import type { Scope } from './scope.ts';
import { readVectorsInto, type VectorModel } from './vectors.ts';

/** What a passage's window takes of the passages one and two places away. */
const WINDOW = [0.5, 0.25] as const;

export type VectorTable = {
  readonly dimensions: number;
  /** One after the other: the vector of a slot begins at slot · dimensions. */
  readonly bytes: Int8Array;
  readonly scales: Float64Array;
  /** Slot by position; none where a passage has no vector. */
  readonly slots: ReadonlyMap<number, number>;
};

/** Vectors of these positions and of those up to two places away. */
export function vectorsAround(
  store: Store,
  scope: Scope,
  model: VectorModel,
  positions: readonly number[],
): VectorTable {
  const wanted = new Set<number>();
  for (const position of positions) {
    for (let offset = -WINDOW.length; offset <= WINDOW.length; offset += 1) {
      wanted.add(position + offset);
    }
  }
  const ids: number[] = [];
  for (const position of wanted) {
    const id = scope.idAt(position);
    if (scope.positionOf(id) >= 0) ids.push(id);
  }
  ids.sort((x, y) => x - y);
  const { dimensions } = model;
  const bytes = new Int8Array(ids.length * dimensions);
  const scales = new Float64Array(ids.length);
  const slots = new Map<number, number>();
  readVectorsInto(store, model.model, ids, (id, codes, scale) => {
    const slot = slots.size;
    slots.set(scope.positionOf(id), slot);
    bytes.set(codes, slot * dimensions);
    scales[slot] = scale;
  });
  return { dimensions, bytes, scales, slots };
}

export function meanOf({ dimensions, bytes, scales, slots }: VectorTable): Float64Array {
  const sum = new Float64Array(dimensions);
  for (let slot = 0; slot < slots.size; slot += 1) {
    const start = slot * dimensions;
    const scale = scales[slot] as number;
    for (let k = 0; k < dimensions; k += 1) {
      sum[k] = (sum[k] as number) + scale * (bytes[start + k] as number);
    }
  }
  return sum.map((value) => value / slots.size);
}

/** Product of a slot's vector with another. */
export function dotAt(table: VectorTable, slot: number, vector: Float64Array): number {
  const { dimensions, bytes, scales } = table;
  const start = slot * dimensions;
  let even = 0;
  let odd = 0;
  for (let k = 0; k < dimensions; k += 2) {
    even += (bytes[start + k] as number) * (vector[k] as number);
    odd += (bytes[start + k + 1] as number) * (vector[k + 1] as number);
  }
  return (scales[slot] as number) * (even + odd);
}

/** |v − mean| by slot; 1 where that is zero. */
export function lengthsAround(table: VectorTable, mean: Float64Array): Float64Array {
  const { dimensions, bytes, scales, slots } = table;
  const ofMean = mean.reduce((sum, value) => sum + value * value, 0);
  return Float64Array.from({ length: slots.size }, (_, slot) => {
    const start = slot * dimensions;
    let squares = 0;
    for (let k = 0; k < dimensions; k += 1) {
      const byte = bytes[start + k] as number;
      squares += byte * byte;
    }
    const own = squares * (scales[slot] as number) ** 2;
    const square = own - 2 * dotAt(table, slot, mean) + ofMean;
    return square > 0 ? Math.sqrt(square) : 1;
  });
}

/** The directions of a passage and of its neighbours, by their weights, added up into `sum`. */
export function windowInto(
  sum: Float64Array,
  table: VectorTable,
  lengths: Float64Array,
  mean: Float64Array,
  position: number,
): void {
  const { dimensions, bytes, scales, slots } = table;
  sum.fill(0);
  let ofMean = 0;
  for (let offset = -WINDOW.length; offset <= WINDOW.length; offset += 1) {
    const slot = slots.get(position + offset);
    if (slot === undefined) continue;
    const weight = offset === 0 ? 1 : (WINDOW[Math.abs(offset) - 1] as number);
    const share = weight / (lengths[slot] as number);
    const factor = share * (scales[slot] as number);
    const start = slot * dimensions;
    ofMean += share;
    for (let k = 0; k < dimensions; k += 1) {
      sum[k] = (sum[k] as number) + factor * (bytes[start + k] as number);
    }
  }
  for (let k = 0; k < dimensions; k += 1) {
    sum[k] = (sum[k] as number) - ofMean * (mean[k] as number);
  }
}
