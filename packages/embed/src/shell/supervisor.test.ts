/** The worker's life and death, with real processes that misbehave on demand. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type TestKernel, testKernel } from '@quipu/kernel';
import { afterEach, expect, test, vi } from 'vitest';
import { LocalEmbedder } from '../embedder.ts';
import {
  BACKOFF_FIRST_MS,
  BACKOFF_MAX_MS,
  EXECUTION_MS_MAX,
  HEAL_AFTER_MS,
  IDLE_MS,
  INIT_MS_MAX,
  OUTPUT_TAIL_CHARS_MAX,
  RESTARTS_MAX,
  SHUTDOWN_MS_MAX,
  TERMINATE_MS_MAX,
} from '../limits.ts';
import { WorkerProcess } from './worker-process.ts';

const entry = {
  path: fileURLToPath(new URL('../../fixtures/fake-worker.mjs', import.meta.url)),
  execArgv: [],
};
const opened: LocalEmbedder[] = [];
afterEach(async () => {
  for (const embedder of opened.splice(0)) await embedder.close();
});

function world(behaviour: string): { kernel: TestKernel; embedder: LocalEmbedder } {
  const kernel = testKernel();
  const embedder = new LocalEmbedder(kernel, entry, {
    directory: behaviour,
    modelSource: undefined,
    native: 'native',
    wasm: { entry: 'e', loader: 'l', binary: 'b' },
    forceWasm: false,
    intraOpThreads: 1,
    lowPriority: false,
  });
  opened.push(embedder);
  return { kernel, embedder };
}

const isAlive = (pid: number | undefined): boolean => {
  try {
    return pid !== undefined && process.kill(pid, 0);
  } catch {
    return false;
  }
};
const until = (claim: () => void): Promise<void> => vi.waitFor(claim, { timeout: 10_000 });
const categories = (kernel: TestKernel): string[] => kernel.events.map((event) => event.category);

test('vectors come in the order of the texts, equal texts have vectors of their own', async () => {
  const { embedder } = world('echo');
  const texts = Array.from({ length: 300 }, (_, i) => 'x'.repeat((i * 7) % 50));
  const result = await embedder.embed(texts);
  expect(result.ok && result.value.map((vector) => vector[0])).toEqual(
    texts.map((text) => text.length),
  );
  if (result.ok) expect(new Set(result.value).size).toBe(texts.length);
});

test('a native runtime that does not load gives way to WASM, and requests survive', async () => {
  const { kernel, embedder } = world('needs-wasm');
  const result = await embedder.embed(['kept']);
  expect(result.ok && result.value[0]?.[0]).toBe(4);
  expect(embedder.state()).toEqual({ kind: 'ready', runtime: 'wasm' });
  // The loader's text, with its path and its newline, went nowhere.
  expect(kernel.events).toEqual([{ level: 'warn', category: 'native-load-failed' }]);
});

test('WASM sticks: a later worker does not try native again', async () => {
  const { kernel, embedder } = world('needs-wasm');
  await embedder.warm();
  const first = embedder.workerPid;
  await kernel.advance(IDLE_MS);
  await embedder.warm();
  expect(embedder.workerPid).not.toBe(first);
  expect(categories(kernel)).toEqual(['native-load-failed']);
});

test('a worker that asks for WASM though it has it is ended, and in the end given up', async () => {
  const { kernel, embedder } = world('always-needs-wasm');
  await expect(embedder.warm()).resolves.toMatchObject({
    error: { kind: 'interrupted', category: 'worker-protocol' },
  });
  expect(categories(kernel)).toEqual(['native-load-failed', 'worker-protocol']);
});

test('an error at init is terminal, told at once to all that come later, and heals', async () => {
  const { kernel, embedder } = world('init-error');
  const failed = { kind: 'unavailable', category: 'model-damaged' };
  expect(await embedder.embed(['x'])).toMatchObject({ ok: false, error: failed });
  const pid = embedder.workerPid;
  expect(await embedder.embed(['x'])).toMatchObject({ ok: false, error: failed });
  expect(await embedder.warm()).toMatchObject({ ok: false, error: failed });
  expect(embedder.workerPid).toBe(pid);
  expect(embedder.state()).toEqual({ kind: 'failed', category: 'model-damaged' });
  await kernel.advance(HEAL_AFTER_MS);
  expect(embedder.state()).toEqual({ kind: 'cold' });
});

test('a worker that keeps dying is started less and less often, then given up', async () => {
  const { kernel, embedder } = world('crash');
  const interrupted = { error: { kind: 'interrupted', category: 'worker-lost' } };
  expect(await embedder.embed(['x'])).toMatchObject(interrupted);
  for (let restart = 1; restart <= RESTARTS_MAX; restart += 1) {
    const waitMs = Math.min(BACKOFF_MAX_MS, BACKOFF_FIRST_MS * 2 ** (restart - 1));
    const next = embedder.embed(['x']);
    await kernel.advance(waitMs - 1);
    expect(embedder.workerPid).toBeUndefined();
    await kernel.advance(1);
    expect(embedder.workerPid).toBeDefined();
    const kind = restart < RESTARTS_MAX ? 'interrupted' : 'unavailable';
    expect(await next).toMatchObject({ error: { kind, category: 'worker-lost' } });
  }
  expect(embedder.state()).toEqual({ kind: 'failed', category: 'worker-lost' });
});

test.each([
  ['killed', 'memory-exhausted'],
  ['out-of-memory', 'memory-exhausted'],
  ['short-vectors', 'worker-protocol'],
])('a worker that ends by %s answers every request once, as %s', async (behaviour, category) => {
  const { embedder } = world(behaviour);
  const answers: string[] = [];
  const requests = Array.from({ length: 10 }, (_, i) =>
    embedder.embed([`text ${i}`], { priority: i % 2 ? 'query' : 'background' }).then((result) => {
      answers.push(result.ok ? 'ok' : result.error.category);
    }),
  );
  await Promise.all(requests);
  expect(answers).toEqual(Array(10).fill(category));
  await until(() => expect(embedder.state()).toEqual({ kind: 'cold' }));
});

test('a text that the model refuses fails alone', async () => {
  const { embedder } = world('refuses');
  const error = { kind: 'refused', category: 'embed-failed' };
  expect(await embedder.embed(['x'])).toMatchObject({ ok: false, error });
  expect(embedder.state().kind).toBe('ready');
});

test('an answer that nobody asked for ends the worker', async () => {
  const { kernel, embedder } = world('twice');
  expect((await embedder.embed(['x'])).ok).toBe(true);
  await until(() => expect(categories(kernel)).toEqual(['worker-protocol']));
});

test('what fails the guard ends the worker, and its text is not logged', async () => {
  const { kernel, embedder } = world('garbage');
  expect(await embedder.warm()).toMatchObject({ error: { category: 'worker-protocol' } });
  expect(JSON.stringify(kernel.events)).not.toContain('someone');
});

test('a worker that does not get ready is ended after its time', async () => {
  const { kernel, embedder } = world('silent');
  const warming = embedder.warm();
  await kernel.advance(INIT_MS_MAX);
  expect(await warming).toMatchObject({ error: { category: 'init-stuck' } });
});

test('a worker that does not answer is ended after its time', async () => {
  const { kernel, embedder } = world('stuck');
  await embedder.warm();
  const pid = embedder.workerPid;
  const request = embedder.embed(['x']);
  await new Promise((resolve) => setTimeout(resolve, 300));
  await kernel.advance(EXECUTION_MS_MAX - 1);
  expect(isAlive(pid)).toBe(true);
  await kernel.advance(1);
  expect(await request).toMatchObject({ error: { category: 'worker-stuck' } });
  expect(isAlive(pid)).toBe(false);
});

test('an idle worker is let go, and the next request starts another', async () => {
  const { kernel, embedder } = world('echo');
  await embedder.embed(['x']);
  const pid = embedder.workerPid;
  await kernel.advance(IDLE_MS - 1);
  expect(embedder.state().kind).toBe('ready');
  await kernel.advance(1);
  expect(embedder.state()).toEqual({ kind: 'cold' });
  await until(() => expect(isAlive(pid)).toBe(false));
  expect((await embedder.embed(['x'])).ok).toBe(true);
  expect(kernel.events).toEqual([]);
});

test('closing answers what is outstanding and waits until the worker is gone', async () => {
  const { embedder } = world('stuck');
  await embedder.warm();
  const pid = embedder.workerPid;
  const request = embedder.embed(['x']);
  await embedder.close();
  expect(await request).toMatchObject({ error: { kind: 'closed' } });
  expect(isAlive(pid)).toBe(false);
  expect(await embedder.embed(['x'])).toMatchObject({ error: { kind: 'closed' } });
});

test('closing while the worker starts does not wait for it to get ready', async () => {
  const { embedder } = world('silent');
  const warming = embedder.warm();
  await embedder.close();
  expect(await warming).toMatchObject({ error: { kind: 'closed' } });
});

test('a worker deaf to shutdown and SIGTERM is killed, each step after its time', async () => {
  const { kernel, embedder } = world('deaf');
  await embedder.warm();
  const pid = embedder.workerPid;
  const closing = embedder.close();
  await kernel.advance(SHUTDOWN_MS_MAX);
  await new Promise((resolve) => setTimeout(resolve, 300));
  expect(isAlive(pid)).toBe(true);
  await kernel.advance(TERMINATE_MS_MAX);
  await closing;
  expect(isAlive(pid)).toBe(false);
});

test('a worker that cannot be started counts as lost', async () => {
  const kernel = testKernel();
  const worker = new WorkerProcess({ path: '/nowhere/worker.js', execArgv: [] }, kernel, () => {});
  expect(await worker.exited).toEqual({ kind: 'unexpected', category: 'worker-lost' });
});

test('of what a worker writes the end is kept, in memory only', async () => {
  const kernel = testKernel();
  const worker = new WorkerProcess(entry, kernel, () => {});
  worker.send({
    kind: 'init',
    data: {
      directory: 'chatter',
      modelSource: undefined,
      native: undefined,
      wasm: undefined,
      forceWasm: false,
      intraOpThreads: 1,
      lowPriority: false,
      nowMs: 1,
      nonce: '0',
    },
  });
  await until(() => expect(worker.outputTail).toContain('the end'));
  await until(() => expect(worker.outputTail.length).toBe(OUTPUT_TAIL_CHARS_MAX));
  await worker.stop(true);
  expect(kernel.events).toEqual([]);
});

test('the worker does not inherit what is secret in the environment', async () => {
  vi.stubEnv('QUIPU_TEST_TOKEN', 'secret');
  const { embedder } = world('echo');
  await embedder.warm();
  vi.unstubAllEnvs();
  if (process.platform !== 'linux') return;
  const environment = readFileSync(`/proc/${embedder.workerPid}/environ`, 'utf8');
  expect(environment).toContain('PATH=');
  expect(environment).not.toContain('secret');
});
