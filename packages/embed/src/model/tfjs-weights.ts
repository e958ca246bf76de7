/**
 * Reads the weights of a TensorFlow.js graph model.
 *
 * Layout: `model.json` lists, in order, the name, type and shape of each tensor; the shard files
 * laid end to end hold their elements, little-endian, 4 bytes each. Only what this model uses is
 * taken: float32 and int32, not quantised. Anything else is refused by name.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { err, ok, type Result } from '@quipu/base';

export type Tensor = {
  readonly shape: readonly number[];
  readonly values: Float32Array;
};

export type WeightsError = {
  readonly kind: 'weights-unreadable';
  readonly reason: 'missing-file' | 'unknown-layout' | 'wrong-length';
};

/** Float tensors by their full name. Integer tensors hold shapes and indices, and are left out. */
export type Weights = ReadonlyMap<string, Tensor>;

const BYTES_PER_ELEMENT = 4;

type Entry = {
  readonly name: string;
  readonly shape: readonly number[];
  readonly dtype: 'float32' | 'int32';
};
type Listing = { readonly shards: readonly string[]; readonly entries: readonly Entry[] };

export function readWeights(directory: string): Result<Weights, WeightsError> {
  try {
    const listing = parseListing(readFileSync(join(directory, 'model.json'), 'utf8'));
    if (listing === undefined) return unreadable('unknown-layout');
    const shards = listing.shards.map((shard) => readFileSync(join(directory, shard)));
    return cutTensors(listing.entries, Buffer.concat(shards));
  } catch (error) {
    if (isFileError(error)) return unreadable('missing-file');
    throw error;
  }
}

function cutTensors(entries: readonly Entry[], bytes: Buffer): Result<Weights, WeightsError> {
  const tensors = new Map<string, Tensor>();
  let offset = 0;
  for (const { name, shape, dtype } of entries) {
    const length = shape.reduce((product, size) => product * size, 1) * BYTES_PER_ELEMENT;
    if (offset + length > bytes.length) return unreadable('wrong-length');
    if (dtype === 'float32') {
      tensors.set(name, { shape, values: floatsOf(bytes.subarray(offset, offset + length)) });
    }
    offset += length;
  }
  return offset === bytes.length ? ok(tensors) : unreadable('wrong-length');
}

function floatsOf(bytes: Buffer): Float32Array {
  const values = new Float32Array(bytes.length / BYTES_PER_ELEMENT);
  for (let i = 0; i < values.length; i += 1) values[i] = bytes.readFloatLE(i * BYTES_PER_ELEMENT);
  return values;
}

function parseListing(text: string): Listing | undefined {
  const parsed = parseJson(text);
  const manifest = isRecord(parsed) ? parsed['weightsManifest'] : undefined;
  const group: unknown = Array.isArray(manifest) && manifest.length === 1 ? manifest[0] : undefined;
  if (!isRecord(group)) return undefined;
  const { paths, weights } = group;
  if (!Array.isArray(paths) || !Array.isArray(weights)) return undefined;
  if (!paths.every(isShardName) || !weights.every(isEntry)) return undefined;
  return { shards: paths, entries: weights };
}

/** A plain file name: a listing cannot lead out of its directory. */
function isShardName(value: unknown): value is string {
  return typeof value === 'string' && /^[A-Za-z0-9][A-Za-z0-9_.-]*$/.test(value);
}

function isEntry(value: unknown): value is Entry {
  if (!isRecord(value) || value['quantization'] !== undefined) return false;
  const { name, shape, dtype } = value;
  const isSize = (size: unknown): boolean => Number.isSafeInteger(size) && Number(size) >= 0;
  const isKnownType = dtype === 'float32' || dtype === 'int32';
  return typeof name === 'string' && isKnownType && Array.isArray(shape) && shape.every(isSize);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isFileError(error: unknown): boolean {
  return error instanceof Error && 'code' in error && typeof error.code === 'string';
}

function unreadable(reason: WeightsError['reason']): Result<never, WeightsError> {
  return err({ kind: 'weights-unreadable', reason });
}
