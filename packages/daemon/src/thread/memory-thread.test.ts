/** The thread of the store as its daemon sees it, with programs in its place that misbehave. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestKernel, testKernel } from '@quipu/kernel';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { STOP_MS_MAX } from '../limits.ts';
import { type MemoryThread, startMemoryThread } from './memory-thread.ts';

let folder: string;
let kernel: TestKernel;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'quipu-thread-'));
  kernel = testKernel();
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const READY = "parentPort.postMessage({ type: 'ready' });";

function start(body: string): ReturnType<typeof startMemoryThread> {
  const script = join(folder, 'program.mjs');
  writeFileSync(script, `import { parentPort, workerData } from 'node:worker_threads';\n${body}`);
  const program = { execPath: process.execPath, execArgv: [], script };
  return startMemoryThread({ program, directory: folder, kernel });
}

async function started(body: string): Promise<MemoryThread> {
  const thread = await start(`${READY}\n${body}`);
  if (!thread.ok) throw new Error(thread.error.message);
  return thread.value;
}

test('a store that cannot be opened is an answer', async () => {
  const error = { kind: 'newer-schema', message: 'Made by a newer Quipu.' };
  const failed = `parentPort.postMessage({ type: 'failed', error: ${JSON.stringify(error)} });`;
  expect(await start(failed)).toEqual({ ok: false, error });
});

test('a thread that ends before it is ready is a defect', async () => {
  await expect(start('process.exit(0);')).rejects.toThrow('before it was ready');
});

test('answers find their calls in whatever order they come', async () => {
  const thread = await started(`
    const calls = [];
    parentPort.on('message', (message) => {
      if (message.type === 'close') process.exit(0);
      calls.push(message);
      if (calls.length < 2) return;
      for (const { id, method, args } of calls.reverse()) {
        parentPort.postMessage({ type: 'answer', id, result: { ok: true, value: [method, args] } });
      }
    });`);
  const [shown, moved] = await Promise.all([
    thread.backend.show('msg_1', { limit: 3 }),
    thread.backend.move('ses_1', 'shop'),
  ]);
  expect(shown).toEqual({ ok: true, value: ['show', ['msg_1', { limit: 3 }]] });
  expect(moved).toEqual({ ok: true, value: ['move', ['ses_1', 'shop']] });
  await thread.close();
});

test('a recall with a signal is passed on without it', async () => {
  const thread = await started(`
    parentPort.on('message', (message) => {
      if (message.type === 'close') process.exit(0);
      const value = message.args;
      parentPort.postMessage({ type: 'answer', id: message.id, result: { ok: true, value } });
    });`);
  const answer = await thread.backend.recall({ query: 'x' }, new AbortController().signal);
  expect(answer).toEqual({ ok: true, value: [{ query: 'x' }] });
  await thread.close();
});

test('a defect fails its call alone, and says nothing of what was thrown', async () => {
  const thread = await started(`
    let calls = 0;
    parentPort.on('message', (message) => {
      if (message.type === 'close') process.exit(0);
      calls += 1;
      const result = calls === 1 ? {} : { result: { ok: true, value: [] } };
      parentPort.postMessage({ type: 'answer', id: message.id, ...result });
    });`);
  await expect(thread.backend.projects()).rejects.toThrow('a defect in the memory thread');
  expect(await thread.backend.projects()).toEqual({ ok: true, value: [] });
  await thread.close();
});

test('a lost thread fails the open calls and later ones, and is told of once', async () => {
  const thread = await started(`
    parentPort.on('message', () => { throw new Error('text of a transcript'); });`);
  const open = thread.backend.projects();
  await thread.lost;
  expect(await open).toMatchObject({ ok: false, error: { kind: 'unavailable' } });
  expect(await thread.backend.projects()).toMatchObject({ ok: false });
  expect(JSON.stringify(kernel.events)).not.toContain('transcript');
  expect(kernel.events.map((event) => event.category)).toEqual(['memory-defect']);
  await thread.close();
});

test('a thread that closes when told is not lost', async () => {
  const thread = await started("parentPort.on('message', () => process.exit(0));");
  let lost = false;
  void thread.lost.then(() => {
    lost = true;
  });
  await thread.close();
  await Promise.resolve();
  expect(lost).toBe(false);
  expect(await thread.backend.projects()).toMatchObject({ ok: false });
});

test('a thread that does not close is ended', async () => {
  const thread = await started("parentPort.on('message', () => {});");
  const closed = thread.close();
  await kernel.advance(STOP_MS_MAX);
  await closed;
  expect(await thread.backend.projects()).toMatchObject({ ok: false });
});

test("the thread's events are the daemon's", async () => {
  const event = { level: 'info', category: 'model-ready' };
  const thread = await started(`
    parentPort.postMessage({ type: 'log', event: ${JSON.stringify(event)} });
    parentPort.on('message', () => process.exit(0));`);
  await thread.close();
  expect(kernel.events).toEqual([event]);
});
