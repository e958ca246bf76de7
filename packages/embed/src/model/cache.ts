/**
 * The converted model on disk: `models/<digest>/model.onnx` and `vocabulary.json`.
 *
 * Decides: a file counts only if its SHA-256 is the manifest's; anything else (missing, cut short,
 * altered) is made again from the model's package, once, and replaced in one step by renaming. What
 * is written is the same whoever writes it, so any number of processes may build at once and the
 * last rename changes nothing. The bytes that were checked are the bytes handed out.
 */
import { createHash } from 'node:crypto';
import {
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { err, ok, type Result } from '@quipu/base';
import { STALE_TEMPORARY_MS } from '../limits.ts';
import { MODEL_DIGEST, SOURCE_LISTING_DIGEST, VOCABULARY_DIGEST } from './manifest.ts';
import { buildSentenceEncoder } from './sentence-encoder.ts';
import { readWeights } from './tfjs-weights.ts';

export type ModelFiles = {
  readonly model: Uint8Array;
  /** JSON text. */
  readonly vocabulary: string;
  readonly cache: 'sound' | 'written' | 'unwritable';
};

export type ModelError = {
  /** `model-missing`: no package to make it from. `model-damaged`: the package is not the model. */
  readonly category: 'model-missing' | 'model-damaged';
};

export type ModelPlace = {
  /** The data directory. */
  readonly directory: string;
  /** Where the model's package keeps its files; undefined when it is not installed. */
  readonly source: string | undefined;
  /** Now, in milliseconds since 1970, to tell a dead writer's file by its age. */
  readonly nowMs: number;
  /** Names this writer's temporary files; no two writers share it. */
  readonly nonce: string;
};

type Converted = Omit<ModelFiles, 'cache'>;

export function modelDirectory(directory: string): string {
  return join(directory, 'models', MODEL_DIGEST.slice(0, 16));
}

export function openModel(place: ModelPlace): Result<ModelFiles, ModelError> {
  const directory = modelDirectory(place.directory);
  const cached = readCache(directory);
  if (cached !== undefined) return ok({ ...cached, cache: 'sound' });
  if (place.source === undefined) return err({ category: 'model-missing' });
  const made = convert(place.source);
  if (!made.ok) return made;
  return ok({ ...made.value, cache: writeCache(directory, made.value, place) });
}

/** A disk that is full or read-only costs the conversion at each start, not the vectors. */
function writeCache(directory: string, files: Converted, place: ModelPlace): ModelFiles['cache'] {
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    removeStale(directory, place.nowMs);
    replaceFile(join(directory, 'model.onnx'), files.model, place.nonce);
    replaceFile(join(directory, 'vocabulary.json'), Buffer.from(files.vocabulary), place.nonce);
    return 'written';
  } catch (error) {
    if (errorCode(error) !== undefined) return 'unwritable';
    throw error;
  }
}

function readCache(directory: string): Converted | undefined {
  const model = readSound(join(directory, 'model.onnx'), MODEL_DIGEST);
  const vocabulary = readSound(join(directory, 'vocabulary.json'), VOCABULARY_DIGEST);
  if (model === undefined || vocabulary === undefined) return undefined;
  return { model, vocabulary: vocabulary.toString('utf8') };
}

function readSound(path: string, digest: string): Buffer | undefined {
  try {
    const content = readFileSync(path);
    return sha256(content) === digest ? content : undefined;
  } catch (error) {
    // Missing, unreadable or a directory: it is made again, and writing says what is wrong.
    if (errorCode(error) !== undefined) return undefined;
    throw error;
  }
}

function convert(source: string): Result<Converted, ModelError> {
  const listing = readSound(join(source, 'model.json'), SOURCE_LISTING_DIGEST);
  const vocabulary = readSound(join(source, 'vocab.json'), VOCABULARY_DIGEST);
  if (listing === undefined || vocabulary === undefined) return err({ category: 'model-damaged' });
  const weights = readWeights(source);
  if (!weights.ok) return err({ category: 'model-damaged' });
  const model = buildSentenceEncoder(weights.value, 'int8');
  if (sha256(model) !== MODEL_DIGEST) return err({ category: 'model-damaged' });
  return ok({ model, vocabulary: vocabulary.toString('utf8') });
}

function replaceFile(path: string, content: Uint8Array, nonce: string): void {
  const temporary = `${path}.${nonce}.tmp`;
  try {
    const file = openSync(temporary, 'wx', 0o600);
    try {
      let written = 0;
      while (written < content.length) {
        written += writeSync(file, content, written, content.length - written);
      }
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}

/** A killed process leaves its temporary file; a living one is done with its own long before. */
function removeStale(directory: string, nowMs: number): void {
  for (const name of readdirSync(directory)) {
    if (!name.endsWith('.tmp')) continue;
    const path = join(directory, name);
    const changed = statSync(path, { throwIfNoEntry: false })?.mtimeMs;
    if (changed !== undefined && nowMs - changed > STALE_TEMPORARY_MS) {
      rmSync(path, { force: true });
    }
  }
}

function sha256(content: Uint8Array): string {
  return createHash('sha256').update(content).digest('hex');
}

function errorCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string'
    ? error.code
    : undefined;
}
