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
  const { allowed } = scope;
  // One more than the distance, so that 0 says "no candidate".
  const distances = new Uint16Array(scope.size);
  const histogram = new Uint32Array(model.dimensions + 2);
  for (const { base, places, code } of sessionCodes(store, scope, model)) {
    const filled = Math.min(places, Math.floor(code.length / words));
    for (let place = 0; place < filled; place += 1) {
      const position = base + place;
      if (allowed !== undefined && allowed[position] !== 1) continue;
      const distance = hamming(code, place * words, wanted) + 1;
      distances[position] = distance;
      histogram[distance] = (histogram[distance] as number) + 1;
    }
  }
  return smallest(distances, histogram, count);
}

type SessionCodes = { readonly base: number; readonly places: number; readonly code: Int32Array };

function sessionCodes(store: Store, scope: Scope, model: VectorModel): SessionCodes[] {
  const all = allCodes(store, model.model);
  return scope.sessions.flatMap(({ number, base, places }) => {
    const code = all.get(number);
    return code === undefined ? [] : [{ base, places, code }];
  });
}

type Codes = ReadonlyMap<number, Int32Array>;
type KeptCodes = { readonly state: string; readonly model: string; readonly codes: Codes };

/** The codes of a connection's last query: a long-lived process reads them once. */
const kept = new WeakMap<Store, KeptCodes>();

/**
 * Codes of all sessions, by number. Kept while nothing was written, by this connection
 * (`total_changes`) or another (`data_version`); 64 bytes a passage at 512 dimensions.
 */
function allCodes(store: Store, model: string): Codes {
  const changes = store.get('SELECT total_changes() AS own');
  const version = store.get('PRAGMA data_version');
  const state = `${String(changes?.['own'])} ${String(version?.['data_version'])}`;
  const known = kept.get(store);
  if (known?.state === state && known.model === model) return known.codes;
  const rows = store.all('SELECT number, codes FROM vector_codes WHERE model = ?', [model]) as {
    number: number;
    codes: Uint8Array;
  }[];
  const codes = new Map(rows.map((row) => [row.number, wordsOf(row.codes)]));
  kept.set(store, { state, model, codes });
  return codes;
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

/** Positions of the `count` smallest distances above 0, by counting. */
function smallest(distances: Uint16Array, histogram: Uint32Array, count: number): number[] {
  let limit = 1;
  let total = 0;
  while (limit < histogram.length && total + (histogram[limit] as number) <= count) {
    total += histogram[limit] as number;
    limit += 1;
  }
  const below: number[] = [];
  let equal = count - total;
  for (let position = 0; position < distances.length; position += 1) {
    const distance = distances[position] as number;
    if (distance === 0 || distance > limit) continue;
    if (distance < limit) below.push(position);
    else if (equal > 0) {
      below.push(position);
      equal -= 1;
    }
  }
  return below;
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
    restoreInto(values, slot * dimensions, codes, scale);
  });
  return { dimensions, values, slots };
}

function restoreInto(values: Float32Array, start: number, codes: Int8Array, scale: number): void {
  for (let k = 0; k < codes.length; k += 1) values[start + k] = (codes[k] as number) * scale;
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
