/** The whole way from text to vector, with the real model in both runtimes. */
import { type ChildProcess, fork } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { getPriority, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { assert } from '@quipu/base';
import { realKernel } from '@quipu/kernel';
import { afterAll, afterEach, expect, test, vi } from 'vitest';
import { createLocalEmbedder, type EmbedderOptions } from './create.ts';
import type { LocalEmbedder } from './embedder.ts';
import { TEXT_CHARS_MAX, WAITING_TEXTS_MAX } from './limits.ts';
import { workerEntry } from './shell/deployment.ts';
import { cosine, referenceEntries } from './testing/reference.ts';

const directory = mkdtempSync(join(tmpdir(), 'quipu-embed-'));
const opened: LocalEmbedder[] = [];
afterEach(async () => {
  for (const embedder of opened.splice(0)) await embedder.close();
});
afterAll(() => {
  rmSync(directory, { recursive: true, force: true });
});

function open(options: Partial<EmbedderOptions> = {}): LocalEmbedder {
  const embedder = createLocalEmbedder({ kernel: realKernel(), directory, ...options });
  opened.push(embedder);
  return embedder;
}

async function vectorsOf(embedder: LocalEmbedder, texts: readonly string[]) {
  const result = await embedder.embed(texts);
  assert(result.ok, 'the texts are embedded');
  return result.value;
}

const lengthOf = (vector: Float32Array): number =>
  Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0));

const longText = 'the lock is held by another process, so we wait. '.repeat(2_000);
const bulk = (count: number): string[] =>
  Array.from(
    { length: count },
    (_, i) => `${i}: ${'the lock is held by another process. '.repeat(20)}`,
  );

test.each(['native', 'wasm'] as const)(
  'the %s worker gives the published vectors',
  async (runtime) => {
    const embedder = open({ forceRuntime: runtime });
    expect(await embedder.warm()).toEqual({ ok: true, value: { runtime } });
    const reference = referenceEntries();
    const vectors = await vectorsOf(
      embedder,
      reference.map(({ text }) => text),
    );
    for (const [index, { text, vector }] of reference.entries()) {
      const own = vectors[index];
      assert(own !== undefined, 'a vector of each text');
      expect(cosine(own, vector), text).toBeGreaterThan(0.998);
      expect(lengthOf(own)).toBeCloseTo(1, 5);
    }
  },
);

test('hostile texts are embedded like others, and harm no neighbour', async () => {
  const embedder = open();
  const plain = 'a plain sentence beside them';
  const hostile = [
    '',
    ' \n\t',
    '\u0000\u0001',
    '\ud800',
    '\udc00\ud800 half pairs',
    '🚀'.repeat(2_000),
    '\u0301'.repeat(5_000),
    'ﷺ'.repeat(2_000),
    '</s><s><unk>',
    'x'.repeat(20_000),
    '数据库'.repeat(500),
  ];
  const [alone] = await vectorsOf(embedder, [plain]);
  const vectors = await vectorsOf(embedder, [...hostile, plain]);
  vectors.forEach((vector, index) => {
    expect(vector).toHaveLength(512);
    expect(vector.every(Number.isFinite), `text ${index}`).toBe(true);
  });
  for (const empty of vectors.slice(0, 3)) expect(lengthOf(empty)).toBe(0);
  for (const visible of vectors.slice(3)) expect(lengthOf(visible)).toBeCloseTo(1, 5);
  const beside = vectors.at(-1);
  assert(alone !== undefined && beside !== undefined, 'both are there');
  expect(cosine(alone, beside)).toBeGreaterThan(0.99999);
});

test('what lies behind the first 128 tokens of a text counts', async () => {
  const embedder = open();
  const start = 'the daemon waits for the lock on the data directory. '.repeat(14);
  const [cats, stocks] = await vectorsOf(embedder, [
    `${start}${'my cat sleeps on the warm windowsill. '.repeat(14)}`,
    `${start}${'stocks fell sharply on inflation fears. '.repeat(14)}`,
  ]);
  assert(cats !== undefined && stocks !== undefined, 'both are there');
  expect(cosine(cats, stocks)).toBeLessThan(0.98);
});

test('a query overtakes background work that is under way', async () => {
  const embedder = open();
  await embedder.warm();
  const finished: string[] = [];
  // One text, thus one slice: the query passes in the middle of it.
  const work = embedder.embed([longText]).then(() => finished.push('background'));
  await new Promise((resolve) => setTimeout(resolve, 100));
  const query = embedder.embedQueryNow('where is the lock?');
  assert(query !== undefined, 'the worker is ready');
  expect(await query.then((vector) => vector?.length)).toBe(512);
  finished.push('query');
  await work;
  expect(finished).toEqual(['query', 'background']);
});

test('a query does not wait for a worker that is not ready, but starts it', async () => {
  const embedder = open();
  expect(embedder.embedQueryNow('too early')).toBeUndefined();
  await vi.waitFor(() => expect(embedder.state().kind).toBe('ready'), { timeout: 20_000 });
  expect(await embedder.embedQueryNow('in time')).toHaveLength(512);
});

test('cancelled work is answered at once, and the worker goes on with the rest', async () => {
  const embedder = open();
  await embedder.warm();
  const pid = embedder.workerPid;
  const controller = new AbortController();
  const work = embedder.embed([longText, `${longText}!`], { signal: controller.signal });
  const next = embedder.embed(['the next']);
  await new Promise((resolve) => setTimeout(resolve, 100));
  controller.abort();
  expect(await work).toMatchObject({ ok: false, error: { kind: 'cancelled' } });
  // The worker drops the long text between two runs: it would take it several seconds.
  const before = performance.now();
  expect(await next).toMatchObject({ ok: true });
  expect(performance.now() - before).toBeLessThan(1_500);
  expect(embedder.workerPid).toBe(pid);
});

test('a request that was cancelled before it came is not started', async () => {
  const embedder = open();
  const signal = AbortSignal.abort();
  expect(await embedder.embed(['x'], { signal })).toMatchObject({ error: { kind: 'cancelled' } });
  expect(embedder.state()).toEqual({ kind: 'cold' });
});

test('a worker killed in the middle of a batch answers once, and another takes over', async () => {
  const embedder = open();
  await embedder.warm();
  const pid = embedder.workerPid;
  assert(pid !== undefined, 'a worker runs');
  const outcomes: unknown[] = [];
  const work = embedder.embed(bulk(2_000)).then((result) => outcomes.push(result));
  await new Promise((resolve) => setTimeout(resolve, 200));
  process.kill(pid, 'SIGKILL');
  await work;
  expect(outcomes).toMatchObject([
    { error: { kind: 'interrupted', category: 'memory-exhausted' } },
  ]);
  expect(await vectorsOf(embedder, ['again'])).toHaveLength(1);
  expect(embedder.workerPid).not.toBe(pid);
});

test('too much at once, or too long a text, is refused without a trace', async () => {
  const embedder = open();
  expect(await embedder.embed(['x'.repeat(TEXT_CHARS_MAX + 1)])).toMatchObject({
    error: { kind: 'refused', category: 'text-too-long' },
  });
  const many = Array.from({ length: WAITING_TEXTS_MAX + 1 }, (_, i) => `${i}`);
  expect(await embedder.embed(many)).toMatchObject({ error: { kind: 'busy' } });
  expect(embedder.state()).toEqual({ kind: 'cold' });
  expect(await embedder.embed([])).toEqual({ ok: true, value: [] });
});

test('a background worker has a low priority and goes first when memory is short', async () => {
  const embedder = open({ purpose: 'background' });
  await embedder.warm();
  const pid = embedder.workerPid ?? 0;
  expect(getPriority(pid)).toBeGreaterThan(getPriority());
  if (process.platform !== 'linux') return;
  const own = Number(readFileSync('/proc/self/oom_score_adj', 'utf8'));
  expect(Number(readFileSync(`/proc/${pid}/oom_score_adj`, 'utf8'))).toBeGreaterThan(own);
});

test('a worker ends when its host is killed', async () => {
  const script = fileURLToPath(new URL('../fixtures/embedding-host.ts', import.meta.url));
  const host: ChildProcess = fork(script, [directory], {
    execArgv: [...workerEntry('source').execArgv],
  });
  const pid = await new Promise<unknown>((resolve) => host.once('message', resolve));
  assert(typeof pid === 'number', 'the host tells its worker');
  expect(process.kill(pid, 0)).toBe(true);
  host.kill('SIGKILL');
  await vi.waitFor(() => expect(() => process.kill(pid, 0)).toThrow('ESRCH'), { timeout: 10_000 });
});
