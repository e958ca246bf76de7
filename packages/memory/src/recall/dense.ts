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
import { codeOf, dot, readVectors, unit, type VectorModel } from './vectors.ts';

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
  const vectors = vectorsAround(store, scope, model, positions);
  const whole = scope.chunks <= POOL_WHOLE_MAX && vectors.size > 1;
  const mean = whole ? meanOf([...vectors.values()], model.dimensions) : model.mean;
  const direct = new Map(
    [...vectors].map(([position, vector]) => [position, unit(less(vector, mean))]),
  );
  const windows = positions.map((position) => windowOf(direct, position));
  const q = unit(query);
  const cosines = (against: Float32Array): Cosines => ({
    plain: Float64Array.from(positions, (position) => cosine(direct.get(position), against)),
    window: Float64Array.from(windows, (window) => cosine(window, against)),
  });
  return {
    asked:
      model.questionMean === undefined ? undefined : cosines(unit(less(q, model.questionMean))),
    centred: cosines(unit(less(q, mean))),
    missing: positions.filter((position) => !vectors.has(position)).length,
    similarity: Float64Array.from(positions, (position) => cosine(vectors.get(position), q)),
  };
}

const cosine = (a: Float32Array | undefined, b: Float32Array): number =>
  a === undefined ? Number.NaN : dot(a, b);

/** Vectors of these positions and of those up to two places away, by position. */
function vectorsAround(
  store: Store,
  scope: Scope,
  model: VectorModel,
  positions: readonly number[],
): Map<number, Float32Array> {
  const wanted = new Set<number>();
  for (const position of positions) {
    for (let offset = -WINDOW.length; offset <= WINDOW.length; offset += 1) {
      wanted.add(position + offset);
    }
  }
  const ids = [...wanted]
    .map((position) => scope.idAt(position))
    .filter((id) => scope.positionOf(id) >= 0)
    .sort((a, b) => a - b);
  const found = readVectors(store, model.model, ids);
  return new Map([...found].map(([id, vector]) => [scope.positionOf(id), vector]));
}

function windowOf(
  direct: ReadonlyMap<number, Float32Array>,
  position: number,
): Float32Array | undefined {
  const own = direct.get(position);
  if (own === undefined) return undefined;
  const sum = own.slice();
  WINDOW.forEach((weight, i) => {
    for (const at of [position - i - 1, position + i + 1]) {
      const near = direct.get(at);
      if (near === undefined) continue;
      for (let k = 0; k < sum.length; k += 1)
        sum[k] = (sum[k] as number) + weight * (near[k] as number);
    }
  });
  return unit(sum);
}

function less(vector: Float32Array, mean: Float32Array): Float32Array {
  const result = new Float32Array(vector.length);
  for (let i = 0; i < result.length; i += 1) {
    result[i] = (vector[i] as number) - (mean[i] as number);
  }
  return result;
}

function meanOf(vectors: readonly Float32Array[], dimensions: number): Float32Array {
  const mean = new Float32Array(dimensions);
  for (const vector of vectors) {
    for (let i = 0; i < dimensions; i += 1) {
      mean[i] = (mean[i] as number) + (vector[i] as number) / vectors.length;
    }
  }
  return mean;
}
