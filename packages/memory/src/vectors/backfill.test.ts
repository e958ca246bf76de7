/** Filling in vectors: interrupted, cancelled, and while messages change. */
import { err, ok, type Result } from '@quipu/base';
import { BUNDLED_MODEL, type Embedder } from '@quipu/embed';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { BACKFILL_BATCH_CHUNKS } from '../limits.ts';
import { said, type TestMemory, testMemory } from '../testing/world.ts';
import { backfillVectors } from './backfill.ts';

const MESSAGES = 2 * BACKFILL_BATCH_CHUNKS + 1;
let world: TestMemory;
beforeEach(async () => {
  world = await testMemory();
  const texts = Array.from({ length: MESSAGES }, (_, at) => `remark ${at}`);
  world.admit(texts.map((text, at) => said('a', 'user', text, { externalId: `m${at}` })));
});
afterEach(() => world.close());

type Answer = Awaited<ReturnType<Embedder['embed']>>;
const failure = (kind: 'interrupted' | 'unavailable'): Answer =>
  err({ kind, category: 'worker-lost', message: 'The worker ended.' } as const);
const vectorsOf = (texts: readonly string[]): Answer =>
  ok(texts.map((text) => Float32Array.from({ length: 64 }, (_, i) => text.length + i)));

/** A model that answers in turn what `answer` says. */
function model(answer: (texts: readonly string[], call: number) => Answer) {
  const asked: (readonly string[])[] = [];
  const embedder: Embedder = {
    model: BUNDLED_MODEL,
    state: () => ({ kind: 'off' }) as never,
    embed: async (texts) => {
      asked.push(texts);
      return answer(texts, asked.length);
    },
    embedQueryNow: () => undefined,
    warm: async () => failure('unavailable') as Result<never, never>,
    close: async () => {},
  };
  return { embedder, asked };
}

test('a worker that goes away with a batch costs that batch once more, nothing else', async () => {
  const { embedder, asked } = model((texts, call) =>
    call === 2 ? failure('interrupted') : vectorsOf(texts),
  );
  expect(await backfillVectors(world.store, embedder, {})).toEqual({
    stored: MESSAGES,
    pending: 0,
    category: null,
  });
  expect(asked[2]).toEqual(asked[1]);
});

test('workers that always go away end the run, which says so', async () => {
  const { embedder, asked } = model(() => failure('interrupted'));
  const report = await backfillVectors(world.store, embedder, {});
  expect(report).toEqual({ stored: 0, pending: MESSAGES, category: 'worker-lost' });
  expect(asked.length).toBeLessThan(10);
});

test('cancelled after a batch, the next run goes on where that ended', async () => {
  const stop = new AbortController();
  const first = model(vectorsOf);
  const options = { signal: stop.signal, onProgress: () => stop.abort() };
  expect(await backfillVectors(world.store, first.embedder, options)).toEqual({
    stored: BACKFILL_BATCH_CHUNKS,
    pending: MESSAGES - BACKFILL_BATCH_CHUNKS,
    category: 'cancelled',
  });
  const next = model(vectorsOf);
  const rest = await backfillVectors(world.store, next.embedder, {});
  expect(rest).toMatchObject({ stored: MESSAGES - BACKFILL_BATCH_CHUNKS, pending: 0 });
  expect(new Set(next.asked.flat()).has(first.asked[0]?.[0] ?? '')).toBe(false);
});

test('a message replaced while its vector is made stays without one', async () => {
  const { embedder } = model((texts, call) => {
    if (call === 3) {
      const last = said('a', 'user', 'now another text', { externalId: `m${MESSAGES - 1}` });
      world.admit([last]);
    }
    return vectorsOf(texts);
  });
  const report = await backfillVectors(world.store, embedder, {});
  expect(report).toMatchObject({ stored: MESSAGES - 1, pending: 1 });
});

test('passages that the model gives no vector for do not hold up the others', async () => {
  const { embedder, asked } = model((texts, call) => (call === 1 ? ok([]) : vectorsOf(texts)));
  const report = await backfillVectors(world.store, embedder, {});
  expect(report).toMatchObject({ pending: BACKFILL_BATCH_CHUNKS });
  expect(asked.length).toBeLessThan(6);
});
