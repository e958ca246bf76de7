/** The cache of the converted model: damage, absence, several writers. */
import { fork } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { assert } from '@quipu/base';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { STALE_TEMPORARY_MS } from '../limits.ts';
import { findModelSource, workerEntry } from '../shell/deployment.ts';
import { modelDirectory, openModel } from './cache.ts';

const source = findModelSource();
const nowMs = Date.now();
let directory = '';
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'quipu-model-'));
});
afterEach(() => {
  rmSync(directory, { recursive: true, force: true });
});

const open = (from = source): ReturnType<typeof openModel> =>
  openModel({ directory, source: from, nowMs, nonce: 'ab12' });

function cacheState(from = source): string {
  const opened = open(from);
  return opened.ok ? opened.value.cache : opened.error.category;
}

test('the first use writes the cache, the second finds it and needs no package', () => {
  expect(cacheState()).toBe('written');
  expect(openModel({ directory, source: undefined, nowMs, nonce: 'cd' })).toMatchObject({
    ok: true,
    value: { cache: 'sound' },
  });
  expect(readdirSync(modelDirectory(directory)).sort()).toEqual(['model.onnx', 'vocabulary.json']);
});

test.each(['model.onnx', 'vocabulary.json'])('a %s with one byte changed is made again', (name) => {
  cacheState();
  const path = join(modelDirectory(directory), name);
  const sound = readFileSync(path);
  const damaged = Buffer.from(sound);
  damaged[1_000] = (damaged[1_000] ?? 0) ^ 1;
  writeFileSync(path, damaged);
  expect(cacheState()).toBe('written');
  expect(readFileSync(path).equals(sound)).toBe(true);
});

test('a model that was cut short is made again', () => {
  cacheState();
  truncateSync(join(modelDirectory(directory), 'model.onnx'), 5_000_000);
  expect(cacheState()).toBe('written');
  expect(cacheState()).toBe('sound');
});

test('without package and cache the model is missing', () => {
  const opened = openModel({ directory, source: undefined, nowMs, nonce: 'ab' });
  expect(opened).toEqual({ ok: false, error: { category: 'model-missing' } });
});

test('a package whose weights were altered is damaged, and nothing is cached', () => {
  const copy = join(directory, 'package');
  cpSync(source ?? '', copy, { recursive: true });
  const shard = join(copy, 'group1-shard3of7');
  const bytes = readFileSync(shard);
  bytes.writeFloatLE(9, 40_000);
  writeFileSync(shard, bytes);
  expect(cacheState(copy)).toBe('model-damaged');
  expect(existsSync(modelDirectory(directory))).toBe(false);
});

test('a directory that cannot be written costs the cache, not the model', () => {
  // A file where the directory should be: refused for every user, root included.
  writeFileSync(join(directory, 'models'), '');
  const opened = open();
  assert(opened.ok, 'the model is made all the same');
  expect(opened.value.cache).toBe('unwritable');
  expect(opened.value.model.length).toBeGreaterThan(7_000_000);
});

test('what a killed writer left is removed, what a living one writes is not', () => {
  const place = modelDirectory(directory);
  mkdirSync(place, { recursive: true });
  for (const name of ['dead.tmp', 'alive.tmp']) writeFileSync(join(place, name), 'half');
  const longAgo = (nowMs - STALE_TEMPORARY_MS - 60_000) / 1000;
  utimesSync(join(place, 'dead.tmp'), longAgo, longAgo);
  cacheState();
  expect(readdirSync(place).sort()).toEqual(['alive.tmp', 'model.onnx', 'vocabulary.json']);
});

test('processes that build at once all get the model and leave one sound cache', async () => {
  const script = fileURLToPath(new URL('../../fixtures/build-model.ts', import.meta.url));
  const { execArgv } = workerEntry('source');
  const states = await Promise.all(
    ['a1', 'b2', 'c3'].map(
      (nonce) =>
        new Promise<unknown>((resolve, reject) => {
          const child = fork(script, [directory, nonce], { execArgv: [...execArgv] });
          child.once('message', resolve);
          child.once('exit', (code, signal) => reject(new Error(`ended: ${code ?? signal}`)));
        }),
    ),
  );
  expect(states).toHaveLength(3);
  for (const state of states) expect(['written', 'sound']).toContain(state);
  expect(states).toContain('written');
  expect(cacheState()).toBe('sound');
  expect(readdirSync(modelDirectory(directory)).sort()).toEqual(['model.onnx', 'vocabulary.json']);
});
