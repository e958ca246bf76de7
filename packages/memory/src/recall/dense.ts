/**
 * Dense ranking: which passages mean what the query means.
 *
 * Decides: candidates (by bits, of the scope alone) and cosines of those chosen: of the passage and
 * of its window, each against the query less the mean question and less the store's mean.
 *
 *   d = unit(v − mean)        window = unit(d + ½ · (±1) + ¼ · (±2))
 *
 * A scope that is read whole has its own mean; a larger one uses the store's.
 */
import type { Store } from '@quipu/store';
import { POOL_WHOLE_MAX } from './limits.ts';
import type { Scope } from './scope.ts';
import { codeOf, dot, readVectorsInto, unit, type VectorModel } from './vectors.ts';

/** The positions nearest to the query by the bits of their codes. */
export function nearestPositions(
  store: Store,
  scope: Scope,
  model: VectorModel,
  query: Float32Array,
  count: number,
): number[] {
  const words = model.dimensions / 32;
  const wanted = wordsOf(codeOf(query, model.codeMean));
  const found: number[] = [];
  const distances: number[] = [];
  for (const { base, places, codes } of sessionCodes(store, scope, model)) {
    const code = wordsOf(codes);
    const filled = Math.min(places, Math.floor(code.length / words));
    for (let place = 0; place < filled; place += 1) {
      const position = base + place;
      if (scope.allowed !== undefined && scope.allowed[position] !== 1) continue;
      const distance = hamming(code, place * words, wanted);
      if (distance < 0) continue;
      found.push(position);
      distances.push(distance);
    }
  }
  return smallest(found, distances, model.dimensions, count);
}

type SessionCodes = { readonly base: number; readonly places: number; readonly codes: Uint8Array };

function sessionCodes(store: Store, scope: Scope, model: VectorModel): SessionCodes[] {
  const numbers = JSON.stringify(scope.sessions.map((session) => session.number));
  const rows = store.all(
    `SELECT v.number, v.codes FROM json_each(?) j
     CROSS JOIN vector_codes v ON v.model = ? AND v.number = j.value`,
    [numbers, model.model],
  ) as { number: number; codes: Uint8Array }[];
  const sessions = new Map(scope.sessions.map((session) => [session.number, session]));
  return rows.flatMap((row) => {
    const session = sessions.get(row.number);
    return session === undefined
      ? []
      : [{ base: session.base, places: session.places, codes: row.codes }];
  });
}

function wordsOf(codes: Uint8Array): Int32Array {
  const aligned = codes.byteOffset % 4 === 0 ? codes : new Uint8Array(codes);
  return new Int32Array(aligned.buffer, aligned.byteOffset, aligned.length >> 2);
}

/** Bits that differ; −1 for an empty code (no vector yet). */
function hamming(codes: Int32Array, offset: number, wanted: Int32Array): number {
  let distance = 0;
  let any = 0;
  for (let i = 0; i < wanted.length; i += 1) {
    const code = codes[offset + i] as number;
    any |= code;
    let x = code ^ (wanted[i] as number);
    x -= (x >>> 1) & 0x55555555;
    x = (x & 0x33333333) + ((x >>> 2) & 0x33333333);
    x = (x + (x >>> 4)) & 0x0f0f0f0f;
    distance += Math.imul(x, 0x01010101) >>> 24;
  }
  return any === 0 ? -1 : distance;
}

function smallest(
  positions: readonly number[],
  distances: readonly number[],
  bits: number,
  count: number,
): number[] {
  const histogram = new Uint32Array(bits + 1);
  for (const distance of distances) histogram[distance] = (histogram[distance] ?? 0) + 1;
  let limit = 0;
  let total = 0;
  while (limit <= bits && total + (histogram[limit] ?? 0) <= count) {
    total += histogram[limit] ?? 0;
    limit += 1;
  }
  const below = positions.filter((_, i) => (distances[i] ?? 0) < limit);
  const equal = positions.filter((_, i) => distances[i] === limit);
  return below.concat(equal.slice(0, count - below.length));
}

export type Cosines = {
  /** By index in the pool; NaN where the passage has no vector. */
  readonly plain: Float64Array;
  readonly window: Float64Array;
};

export type DenseScores = {
  /** Query less the mean question; undefined when that is not known. */
  readonly asked: Cosines | undefined;
  /** Query less the mean of the passages. */
  readonly centred: Cosines;
  /** Passages of the pool that have no vector. */
  readonly missing: number;
  /** Cosine of the vectors as they are, by index in the pool. */
  readonly similarity: Float64Array;
};

const WINDOW = [0.5, 0.25] as const;

export function denseScores(
  store: Store,
  scope: Scope,
  model: VectorModel,
  query: Float32Array,
  positions: readonly number[],
): DenseScores {
  const table = vectorsAround(store, scope, model, positions);
  const whole = scope.chunks <= POOL_WHOLE_MAX && table.slots.size > 1;
  const mean = whole ? meanOf(table) : model.mean;
  const q = unit(query);
  const slots = positions.map((position) => table.slots.get(position) ?? -1);
  // Before the vectors are turned around the mean, in place.
  const similarity = Float64Array.from(slots, (slot) =>
    slot < 0 ? Number.NaN : dotAt(table, slot, q),
  );
  centre(table, mean);
  const asked = model.questionMean === undefined ? undefined : unit(less(q, model.questionMean));
  const centred = unit(less(q, mean));
  const against = asked === undefined ? [centred] : [centred, asked];
  const cosines = against.map((): { plain: Float64Array; window: Float64Array } => ({
    plain: new Float64Array(positions.length).fill(Number.NaN),
    window: new Float64Array(positions.length).fill(Number.NaN),
  }));
  const sum = new Float32Array(table.dimensions);
  positions.forEach((position, i) => {
    const slot = slots[i] as number;
    if (slot < 0) return;
    windowInto(sum, table, position, slot);
    const length = Math.sqrt(dot(sum, sum)) || 1;
    against.forEach((vector, which) => {
      const into = cosines[which] as (typeof cosines)[number];
      into.plain[i] = dotAt(table, slot, vector);
      into.window[i] = dot(sum, vector) / length;
    });
  });
  return {
    asked: cosines[1],
    centred: cosines[0] as Cosines,
    missing: slots.filter((slot) => slot < 0).length,
    similarity,
  };
}

/** Vectors one after the other in one piece of memory; where each begins, by position. */
type VectorTable = {
  readonly dimensions: number;
  readonly values: Float32Array;
  /** Slot of the vector of a position: it begins at slot · dimensions. */
  readonly slots: ReadonlyMap<number, number>;
};

/** Vectors of these positions and of those up to two places away. */
function vectorsAround(
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
  const values = new Float32Array(ids.length * dimensions);
  const slots = new Map<number, number>();
  readVectorsInto(store, model.model, ids, (id, codes, scale) => {
    const slot = slots.size;
    slots.set(scope.positionOf(id), slot);
    const start = slot * dimensions;
    for (let k = 0; k < dimensions; k += 1) values[start + k] = (codes[k] as number) * scale;
  });
  return { dimensions, values, slots };
}

function meanOf({ dimensions, values, slots }: VectorTable): Float32Array {
  const sum = new Float64Array(dimensions);
  const end = slots.size * dimensions;
  for (let start = 0; start < end; start += dimensions) {
    for (let k = 0; k < dimensions; k += 1) {
      sum[k] = (sum[k] as number) + (values[start + k] as number);
    }
  }
  return Float32Array.from(sum, (value) => value / slots.size);
}

/** Each vector less the mean, made a unit vector, in place. */
function centre({ dimensions, values, slots }: VectorTable, mean: Float32Array): void {
  const end = slots.size * dimensions;
  for (let start = 0; start < end; start += dimensions) {
    let square = 0;
    for (let k = 0; k < dimensions; k += 1) {
      const value = (values[start + k] as number) - (mean[k] as number);
      values[start + k] = value;
      square += value * value;
    }
    const scale = square === 0 ? 1 : 1 / Math.sqrt(square);
    for (let k = 0; k < dimensions; k += 1) {
      values[start + k] = (values[start + k] as number) * scale;
    }
  }
}

function dotAt({ dimensions, values }: VectorTable, slot: number, vector: Float32Array): number {
  const start = slot * dimensions;
  let sum = 0;
  for (let k = 0; k < dimensions; k += 1) {
    sum += (values[start + k] as number) * (vector[k] as number);
  }
  return sum;
}

/** The passage's vector and its neighbours', by their weights, into `sum`. */
function windowInto(sum: Float32Array, table: VectorTable, position: number, slot: number): void {
  const { dimensions, values, slots } = table;
  const start = slot * dimensions;
  for (let k = 0; k < dimensions; k += 1) sum[k] = values[start + k] as number;
  for (let distance = 1; distance <= WINDOW.length; distance += 1) {
    const weight = WINDOW[distance - 1] as number;
    for (const at of [position - distance, position + distance]) {
      const near = slots.get(at);
      if (near === undefined) continue;
      const from = near * dimensions;
      for (let k = 0; k < dimensions; k += 1) {
        sum[k] = (sum[k] as number) + weight * (values[from + k] as number);
      }
    }
  }
}

function less(vector: Float32Array, mean: Float32Array): Float32Array {
  const result = new Float32Array(vector.length);
  for (let k = 0; k < result.length; k += 1) {
    result[k] = (vector[k] as number) - (mean[k] as number);
  }
  return result;
}
