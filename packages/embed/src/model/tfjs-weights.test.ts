/** The reader of weights, against directories made for each claim. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readWeights } from './tfjs-weights.ts';

let directory = '';
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'quipu-weights-'));
});
afterEach(() => {
  rmSync(directory, { recursive: true, force: true });
});

function write(weights: unknown, shards: Readonly<Record<string, Buffer>>): void {
  const weightsManifest = [{ paths: Object.keys(shards), weights }];
  writeFileSync(join(directory, 'model.json'), JSON.stringify({ weightsManifest }));
  for (const [name, bytes] of Object.entries(shards)) writeFileSync(join(directory, name), bytes);
}

const floats = (...values: number[]): Buffer => Buffer.from(Float32Array.from(values).buffer);

test('a tensor that lies across two shards is put together', () => {
  const all = floats(1, 2, 3, 4);
  write(
    [
      { name: 'first', dtype: 'int32', shape: [] },
      { name: 'second', dtype: 'float32', shape: [3, 1] },
    ],
    { shard1: all.subarray(0, 6), shard2: all.subarray(6) },
  );
  const weights = readWeights(directory);
  expect(weights.ok && weights.value.get('second')).toEqual({
    shape: [3, 1],
    values: Float32Array.of(2, 3, 4),
  });
  expect(weights.ok && weights.value.has('first')).toBe(false);
});

test.each([
  ['too short', floats(1)],
  ['too long', floats(1, 2, 3)],
])('shards that are %s are refused', (_, bytes) => {
  write([{ name: 'x', dtype: 'float32', shape: [2] }], { shard: bytes });
  const error = { kind: 'weights-unreadable', reason: 'wrong-length' };
  expect(readWeights(directory)).toEqual({ ok: false, error });
});

test.each([
  ['a quantised tensor', [{ name: 'x', dtype: 'float32', shape: [1], quantization: {} }]],
  ['an unknown type', [{ name: 'x', dtype: 'complex64', shape: [1] }]],
  ['a negative size', [{ name: 'x', dtype: 'float32', shape: [-1] }]],
])('%s is an unknown layout', (_, weights) => {
  write(weights, { shard: floats(1) });
  const error = { kind: 'weights-unreadable', reason: 'unknown-layout' };
  expect(readWeights(directory)).toEqual({ ok: false, error });
});

test('a listing cannot lead out of its directory', () => {
  const weightsManifest = [{ paths: ['../shard'], weights: [] }];
  writeFileSync(join(directory, 'model.json'), JSON.stringify({ weightsManifest }));
  const error = { kind: 'weights-unreadable', reason: 'unknown-layout' };
  expect(readWeights(directory)).toEqual({ ok: false, error });
});

test('a missing shard is a missing file', () => {
  write([{ name: 'x', dtype: 'float32', shape: [1] }], { shard: floats(1) });
  rmSync(join(directory, 'shard'));
  const error = { kind: 'weights-unreadable', reason: 'missing-file' };
  expect(readWeights(directory)).toEqual({ ok: false, error });
});
