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
import { stateOf } from './unchanged.ts';
import { dotAt, lengthsAround, meanOf, vectorsAround, windowInto } from './vector-table.ts';
import { codeOf, unit, type VectorModel } from './vectors.ts';

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
  const ones = hamming(new Int32Array(words), 0, wanted, -1);
  const { allowed } = scope;
  // One more than the distance, so that 0 says "no candidate".
  const distances = new Uint16Array(scope.size);
  const histogram = new Uint32Array(model.dimensions + 2);
  for (const { base, places, code } of sessionCodes(store, scope, model)) {
    const filled = Math.min(places, Math.floor(code.length / words));
    for (let place = 0; place < filled; place += 1) {
      const position = base + place;
      if (allowed !== undefined && allowed[position] !== 1) continue;
      const distance = hamming(code, place * words, wanted, ones) + 1;
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
 * Codes of all sessions, by number. Kept while nothing was written; 64 bytes a passage at 512
 * dimensions.
 */
function allCodes(store: Store, model: string): Codes {
  const state = stateOf(store);
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

/**
 * Bits that differ; −1 for an empty code (no vector yet). Counts are added up side by side in the
 * nibbles of a word, then in its halves, so that they are summed once a code, not once a word.
 */
function hamming(codes: Int32Array, offset: number, wanted: Int32Array, ones: number): number {
  let halves = 0;
  for (let i = 0; i < wanted.length; i += 2) {
    let x = (codes[offset + i] as number) ^ (wanted[i] as number);
    let y = (codes[offset + i + 1] as number) ^ (wanted[i + 1] as number);
    x -= (x >>> 1) & 0x55555555;
    y -= (y >>> 1) & 0x55555555;
    const nibbles =
      (x & 0x33333333) + ((x >>> 2) & 0x33333333) + (y & 0x33333333) + ((y >>> 2) & 0x33333333);
    const bytes = (nibbles & 0x0f0f0f0f) + ((nibbles >>> 4) & 0x0f0f0f0f);
    halves += (bytes & 0x00ff00ff) + ((bytes >>> 8) & 0x00ff00ff);
  }
  const distance = (halves & 0xffff) + (halves >>> 16);
  return distance === ones && isEmpty(codes, offset, wanted.length) ? -1 : distance;
}

function isEmpty(codes: Int32Array, offset: number, words: number): boolean {
  for (let i = 0; i < words; i += 1) if (codes[offset + i] !== 0) return false;
  return true;
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

export function denseScores(
  store: Store,
  scope: Scope,
  model: VectorModel,
  query: Float32Array,
  positions: readonly number[],
): DenseScores {
  const table = vectorsAround(store, scope, model, positions);
  const whole = scope.chunks <= POOL_WHOLE_MAX && table.slots.size > 1;
  const mean = whole ? meanOf(table) : Float64Array.from(model.mean);
  const lengths = lengthsAround(table, mean);
  const q = Float64Array.from(unit(query));
  const centred = comparison(q, mean, mean, positions.length);
  const { questionMean } = model;
  const asked =
    questionMean === undefined
      ? undefined
      : comparison(q, Float64Array.from(questionMean), mean, positions.length);
  const comparisons = asked === undefined ? [centred] : [centred, asked];
  const similarity = new Float64Array(positions.length).fill(Number.NaN);
  const sum = new Float64Array(table.dimensions);
  let missing = 0;
  for (const [i, position] of positions.entries()) {
    const slot = table.slots.get(position);
    if (slot === undefined) {
      missing += 1;
      continue;
    }
    similarity[i] = dotAt(table, slot, q);
    windowInto(sum, table, lengths, mean, position);
    const length = Math.sqrt(dotOf(sum, sum)) || 1;
    for (const { vector, ofMean, cosines } of comparisons) {
      cosines.plain[i] = (dotAt(table, slot, vector) - ofMean) / (lengths[slot] as number);
      cosines.window[i] = dotOf(sum, vector) / length;
    }
  }
  return { asked: asked?.cosines, centred: centred.cosines, missing, similarity };
}

type Comparison = {
  /** The query less a mean, a unit vector. */
  readonly vector: Float64Array;
  /** Its product with the passages' mean, which every passage's product holds too much of. */
  readonly ofMean: number;
  readonly cosines: Cosines;
};

function comparison(
  query: Float64Array,
  less: Float64Array,
  mean: Float64Array,
  count: number,
): Comparison {
  const vector = query.map((value, k) => value - (less[k] as number));
  const length = Math.sqrt(dotOf(vector, vector)) || 1;
  for (let k = 0; k < vector.length; k += 1) vector[k] = (vector[k] as number) / length;
  const cosines = {
    plain: new Float64Array(count).fill(Number.NaN),
    window: new Float64Array(count).fill(Number.NaN),
  };
  return { vector, ofMean: dotOf(vector, mean), cosines };
}

function dotOf(a: Float64Array, b: Float64Array): number {
  let sum = 0;
  for (let k = 0; k < a.length; k += 1) sum += (a[k] as number) * (b[k] as number);
  return sum;
}
