/**
 * Vectors of passages: kept, found, resumed.
 *
 * Decides: the forms in which a vector is kept. A unit vector as one signed byte a dimension is
 * read for the passages that are scored; one bit a dimension (sign of the component less the mean)
 * for all passages of a session in one row is scanned to find them. Rows name their model, so that
 * two models can stand side by side; no state says how far the work is but the rows themselves, so
 * a killed job goes on where it was.
 *
 * The mean is an estimate: what was forgotten stays in it until the codes are made anew, whenever
 * the number of vectors has grown fourfold.
 */
import { assert } from '@quipu/base';
import type { Store } from '@quipu/store';
import { PENDING_CHUNKS_MAX, SESSION_PASSAGES_MAX } from './limits.ts';

export type PendingChunk = { readonly id: number; readonly text: string };
export type ChunkVector = {
  readonly chunkId: number;
  /** What the vector was made of: an id is given anew when its passage has gone. */
  readonly text: string;
  readonly vector: Float32Array;
};
type Coded = Pick<ChunkVector, 'chunkId' | 'vector'>;

/** Passages without a vector by this model, in order of id, from `after` (exclusive) on. */
export function pendingChunks(
  store: Store,
  options: { readonly model: string; readonly limit: number; readonly after?: number },
): PendingChunk[] {
  return store.all(
    `SELECT c.id, c.text FROM chunks c WHERE c.ranked = 1 AND c.id > ? AND NOT EXISTS
       (SELECT 1 FROM chunk_vectors v WHERE v.model = ? AND v.chunk_id = c.id)
     ORDER BY c.id LIMIT ?`,
    [options.after ?? 0, options.model, Math.min(options.limit, PENDING_CHUNKS_MAX)],
  ) as PendingChunk[];
}

type ModelRow = {
  readonly model: string;
  readonly dimensions: number;
  readonly vectors: number;
  readonly sum: Uint8Array;
  readonly code_mean: Uint8Array;
  readonly coded_vectors: number;
  readonly question_mean: Uint8Array;
};

export type VectorModel = {
  readonly model: string;
  readonly dimensions: number;
  readonly vectors: number;
  readonly mean: Float32Array;
  readonly codeMean: Float32Array;
  /** Mean of generic questions; undefined until someone has told it. */
  readonly questionMean: Float32Array | undefined;
};

export function readVectorModel(store: Store, model: string): VectorModel | undefined {
  const row = modelRow(store, model);
  if (row === undefined || row.vectors === 0) return undefined;
  const sum = doubles(row.sum);
  return {
    model,
    dimensions: row.dimensions,
    vectors: row.vectors,
    mean: Float32Array.from(sum, (value) => value / row.vectors),
    codeMean: floats(row.code_mean),
    questionMean: row.question_mean.length === 0 ? undefined : floats(row.question_mean),
  };
}

const modelRow = (store: Store, model: string): ModelRow | undefined =>
  store.get('SELECT * FROM vector_models WHERE model = ?', [model]) as ModelRow | undefined;

/**
 * Adds vectors in one transaction; those whose passage is gone, says something else by now, or has
 * one already are left out.
 */
export function storeVectors(store: Store, model: string, rows: readonly ChunkVector[]): number {
  if (rows.length === 0) return 0;
  return store.inTransaction
    ? writeVectors(store, model, rows)
    : store.transaction(() => writeVectors(store, model, rows));
}

function writeVectors(store: Store, model: string, rows: readonly ChunkVector[]): number {
  const dimensions = rows[0]?.vector.length ?? 0;
  assert(dimensions > 0 && dimensions % 64 === 0, 'dimensions fill whole pairs of words of bits');
  const known = modelRow(store, model);
  assert(known === undefined || known.dimensions === dimensions, 'a model keeps its dimensions');
  const sum = known === undefined ? new Float64Array(dimensions) : doubles(known.sum);
  const added: Coded[] = [];
  for (const row of rows) {
    assert(row.vector.length === dimensions, 'vectors of one model have one length');
    const vector = unit(row.vector);
    const changed = store.run(
      `INSERT OR IGNORE INTO chunk_vectors (chunk_id, model, vector)
       SELECT id, ?, ? FROM chunks WHERE id = ? AND ranked = 1 AND text = ?`,
      [model, quantised(vector), row.chunkId, row.text],
    );
    if (changed === 0) continue;
    for (let i = 0; i < dimensions; i += 1) sum[i] = (sum[i] ?? 0) + (vector[i] ?? 0);
    added.push({ chunkId: row.chunkId, vector });
  }
  if (added.length === 0) return 0;
  const vectors = (known?.vectors ?? 0) + added.length;
  const recode = known === undefined || vectors >= known.coded_vectors * RECODE_GROWTH;
  const codeMean = recode
    ? Float32Array.from(sum, (value) => value / vectors)
    : floats(known.code_mean);
  const codedVectors = recode ? vectors : known.coded_vectors;
  store.run(
    `INSERT INTO vector_models (model, dimensions, vectors, sum, code_mean, coded_vectors,
       question_mean) VALUES (?, ?, ?, ?, ?, ?, x'')
     ON CONFLICT (model) DO UPDATE SET vectors = excluded.vectors, sum = excluded.sum,
       code_mean = excluded.code_mean, coded_vectors = excluded.coded_vectors`,
    [model, dimensions, vectors, bytesOf(sum), bytesOf(codeMean), codedVectors],
  );
  if (recode && known !== undefined) recodeAll(store, model, codeMean);
  else writeCodes(store, model, codeMean, added);
  return added.length;
}

const RECODE_GROWTH = 4;

/** Keeps the mean of generic questions, from which a query's own part is told apart. */
export function storeQuestionMean(
  store: Store,
  model: string,
  vectors: readonly Float32Array[],
): void {
  const first = vectors[0];
  if (first === undefined) return;
  const mean = new Float32Array(first.length);
  for (const vector of vectors) {
    const normal = unit(vector);
    for (let i = 0; i < mean.length; i += 1) {
      mean[i] = (mean[i] ?? 0) + (normal[i] ?? 0) / vectors.length;
    }
  }
  store.run(
    `INSERT INTO vector_models (model, dimensions, vectors, sum, code_mean, coded_vectors,
       question_mean) VALUES (?, ?, 0, ?, ?, 0, ?)
     ON CONFLICT (model) DO UPDATE SET question_mean = excluded.question_mean`,
    [
      model,
      mean.length,
      new Uint8Array(mean.length * 8),
      new Uint8Array(mean.length * 4),
      bytesOf(mean),
    ],
  );
}

function recodeAll(store: Store, model: string, mean: Float32Array): void {
  const numbers = store.all(
    'SELECT number FROM vector_codes WHERE model = ? UNION SELECT number FROM chunk_sessions',
    [model],
  ) as { number: number }[];
  for (const { number } of numbers) {
    const from = number * SESSION_PASSAGES_MAX;
    const rows = store.all(
      `SELECT chunk_id, vector FROM chunk_vectors
       WHERE model = ? AND chunk_id >= ? AND chunk_id < ?`,
      [model, from, from + SESSION_PASSAGES_MAX],
    ) as { chunk_id: number; vector: Uint8Array }[];
    writeCodes(
      store,
      model,
      mean,
      rows.map((row) => ({ chunkId: row.chunk_id, vector: restored(row.vector) })),
    );
  }
}

function writeCodes(store: Store, model: string, mean: Float32Array, rows: readonly Coded[]): void {
  const bySession = new Map<number, Coded[]>();
  for (const row of rows) {
    const number = Math.floor(row.chunkId / SESSION_PASSAGES_MAX);
    const list = bySession.get(number);
    if (list === undefined) bySession.set(number, [row]);
    else list.push(row);
  }
  const codeBytes = mean.length / 8;
  for (const [number, list] of bySession) {
    const places = list.map((row) => row.chunkId - number * SESSION_PASSAGES_MAX);
    const codes = grown(readCodes(store, model, number), (Math.max(...places) + 1) * codeBytes);
    list.forEach((row, i) => {
      codes.set(codeOf(row.vector, mean), (places[i] ?? 0) * codeBytes);
    });
    putCodes(store, model, number, codes);
  }
}

/** Zeroes the codes of passages that go, in every model. */
export function clearCodes(store: Store, chunkIds: readonly number[]): void {
  const numbers = new Set(chunkIds.map((id) => Math.floor(id / SESSION_PASSAGES_MAX)));
  for (const number of numbers) {
    const rows = store.all(
      `SELECT c.model, c.codes, m.dimensions FROM vector_codes c
       JOIN vector_models m ON m.model = c.model WHERE c.number = ?`,
      [number],
    ) as { model: string; codes: Uint8Array; dimensions: number }[];
    for (const row of rows) {
      const codeBytes = row.dimensions / 8;
      const codes = new Uint8Array(row.codes);
      for (const id of chunkIds) {
        const place = id - number * SESSION_PASSAGES_MAX;
        if (place < 0 || place >= SESSION_PASSAGES_MAX) continue;
        codes.fill(0, place * codeBytes, (place + 1) * codeBytes);
      }
      putCodes(store, row.model, number, codes);
    }
  }
}

function readCodes(store: Store, model: string, number: number): Uint8Array {
  const row = store.get('SELECT codes FROM vector_codes WHERE model = ? AND number = ?', [
    model,
    number,
  ]) as { codes: Uint8Array } | undefined;
  return row?.codes ?? new Uint8Array(0);
}

function putCodes(store: Store, model: string, number: number, codes: Uint8Array): void {
  store.run(
    `INSERT INTO vector_codes (model, number, codes) VALUES (?, ?, ?)
     ON CONFLICT (model, number) DO UPDATE SET codes = excluded.codes`,
    [model, number, codes],
  );
}

function grown(codes: Uint8Array, bytes: number): Uint8Array {
  const next = new Uint8Array(Math.max(codes.length, bytes));
  next.set(codes);
  return next;
}

/** One bit a dimension: is the component above the mean's? */
export function codeOf(vector: Float32Array, mean: Float32Array): Uint8Array {
  const code = new Uint8Array(vector.length / 8);
  for (let i = 0; i < vector.length; i += 1) {
    if ((vector[i] ?? 0) > (mean[i] ?? 0)) code[i >> 3] = (code[i >> 3] ?? 0) | (1 << (i & 7));
  }
  return code;
}

/**
 * Gives the vectors of these passages, as signed bytes and their scale, in the order of the ids;
 * those without one are left out.
 */
export function readVectorsInto(
  store: Store,
  model: string,
  ids: readonly number[],
  take: (id: number, codes: Int8Array, scale: number) => void,
): void {
  const rows = store.all(
    `SELECT v.chunk_id, v.vector FROM json_each(?) j
     CROSS JOIN chunk_vectors v ON v.model = ? AND v.chunk_id = j.value`,
    [JSON.stringify(ids), model],
  ) as { chunk_id: number; vector: Uint8Array }[];
  for (const { chunk_id, vector } of rows) {
    const view = new DataView(vector.buffer, vector.byteOffset, SCALE_BYTES);
    const start = vector.byteOffset + SCALE_BYTES;
    const codes = new Int8Array(vector.buffer, start, vector.byteLength - SCALE_BYTES);
    take(chunk_id, codes, view.getFloat32(0, true));
  }
}

const SCALE_BYTES = 4;

function quantised(vector: Float32Array): Uint8Array {
  let largest = 0;
  for (const value of vector) largest = Math.max(largest, Math.abs(value));
  const scale = largest === 0 ? 1 : largest / 127;
  const blob = new Uint8Array(SCALE_BYTES + vector.length);
  new DataView(blob.buffer).setFloat32(0, scale, true);
  const codes = new Int8Array(blob.buffer, SCALE_BYTES);
  for (let i = 0; i < vector.length; i += 1) codes[i] = Math.round((vector[i] ?? 0) / scale);
  return blob;
}

function restored(blob: Uint8Array): Float32Array {
  const view = new DataView(blob.buffer, blob.byteOffset, blob.byteLength);
  const scale = view.getFloat32(0, true);
  const codes = new Int8Array(
    blob.buffer,
    blob.byteOffset + SCALE_BYTES,
    blob.length - SCALE_BYTES,
  );
  const vector = new Float32Array(codes.length);
  for (let i = 0; i < codes.length; i += 1) vector[i] = (codes[i] ?? 0) * scale;
  return vector;
}

export function unit(vector: Float32Array): Float32Array {
  const length = Math.sqrt(dot(vector, vector));
  if (length === 0) return vector;
  const result = new Float32Array(vector.length);
  for (let i = 0; i < result.length; i += 1) result[i] = (vector[i] as number) / length;
  return result;
}

export function dot(a: Float32Array, b: Float32Array): number {
  let sum = 0;
  for (let i = 0; i < a.length; i += 1) sum += (a[i] as number) * (b[i] as number);
  return sum;
}

const bytesOf = (array: Float32Array | Float64Array): Uint8Array =>
  new Uint8Array(array.buffer, array.byteOffset, array.byteLength);

const floats = (blob: Uint8Array): Float32Array => new Float32Array(new Uint8Array(blob).buffer);
const doubles = (blob: Uint8Array): Float64Array => new Float64Array(new Uint8Array(blob).buffer);
