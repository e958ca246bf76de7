/** The pure decisions: admission, restarts, endings, the choice of a runtime, the guards. */
import { seededRandom } from '@quipu/base';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  BACKGROUND_SLICES_IN_WORKER,
  BACKOFF_FIRST_MS,
  BACKOFF_MAX_MS,
  INTRA_OP_THREADS_MAX,
  QUERY_SLICES_IN_WORKER,
  RESTART_WINDOW_MS,
  RESTARTS_MAX,
  SLICE_CHARS_MAX,
  SLICE_TEXTS_MAX,
  WAITING_CHARS_FOR_QUERIES,
  WAITING_CHARS_MAX,
  WAITING_TEXTS_FOR_QUERIES,
  WAITING_TEXTS_MAX,
} from '../limits.ts';
import { causeOf } from './ending.ts';
import { parseFromWorker, parseToWorker } from './protocol.ts';
import { RestartBudget } from './restarts.ts';
import { chooseRuntime, shouldRequestWasmRespawn, threadsFor } from './runtime-choice.ts';
import { WaitingRoom } from './waiting.ts';

const many = (count: number): string[] => Array.from({ length: count }, (_, i) => `t${i}`);

test('background work cannot take the places that are kept for queries', () => {
  const room = new WaitingRoom();
  const open = WAITING_TEXTS_MAX - WAITING_TEXTS_FOR_QUERIES;
  expect(room.admit(1, 'background', many(open))).toBe(true);
  expect(room.admit(2, 'background', ['one more'])).toBe(false);
  expect(room.admit(3, 'query', many(WAITING_TEXTS_FOR_QUERIES))).toBe(true);
  expect(room.admit(4, 'query', ['one more'])).toBe(false);
});

test('characters are bounded like texts, with a share for queries', () => {
  const room = new WaitingRoom();
  const open = WAITING_CHARS_MAX - WAITING_CHARS_FOR_QUERIES;
  expect(room.admit(1, 'background', ['x'.repeat(open)])).toBe(true);
  expect(room.admit(2, 'background', ['x'])).toBe(false);
  expect(room.admit(3, 'query', ['x'])).toBe(true);
});

test('a refused request leaves nothing behind', () => {
  const room = new WaitingRoom();
  expect(room.admit(1, 'background', many(WAITING_TEXTS_MAX))).toBe(false);
  expect(room.isEmpty).toBe(true);
  expect(room.next()).toBeUndefined();
});

test('a query goes to the worker before background work that came first', () => {
  const room = new WaitingRoom();
  room.admit(1, 'background', ['slow']);
  room.admit(2, 'query', ['now']);
  expect(room.next()?.texts).toEqual(['now']);
  expect(room.next()?.texts).toEqual(['slow']);
});

test('a lane has no more slices in the worker than it may, and an answer frees a place', () => {
  const room = new WaitingRoom();
  room.admit(1, 'background', many(SLICE_TEXTS_MAX * (BACKGROUND_SLICES_IN_WORKER + 1)));
  const taken = Array.from({ length: BACKGROUND_SLICES_IN_WORKER }, () => room.next());
  expect(taken.every((slice) => slice !== undefined)).toBe(true);
  expect(room.next()).toBeUndefined();
  for (let i = 0; i <= QUERY_SLICES_IN_WORKER; i += 1) room.admit(2 + i, 'query', ['q']);
  for (let i = 0; i < QUERY_SLICES_IN_WORKER; i += 1) expect(room.next()?.priority).toBe('query');
  expect(room.next()).toBeUndefined();
  room.release(taken[0]?.id ?? 0);
  expect(room.next()?.priority).toBe('background');
});

test('slices are a request in order, within the limits, and a long text is alone', () => {
  const lengths = fc.array(fc.nat({ max: SLICE_CHARS_MAX * 2 }), { maxLength: 200 });
  fc.assert(
    fc.property(lengths, (sizes) => {
      const texts = sizes.map((size, index) => `${index}:`.padEnd(size, 'x'));
      const room = new WaitingRoom();
      if (!room.admit(1, 'query', texts)) return;
      const seen: string[] = [];
      for (let slice = room.next(); slice !== undefined; slice = room.next()) {
        expect(slice.start).toBe(seen.length);
        const chars = slice.texts.reduce((sum, text) => sum + text.length, 0);
        expect(slice.texts.length).toBeLessThanOrEqual(SLICE_TEXTS_MAX);
        expect(chars <= SLICE_CHARS_MAX || slice.texts.length === 1).toBe(true);
        seen.push(...slice.texts);
        room.release(slice.id);
      }
      expect(seen).toEqual(texts);
      expect(room.isEmpty).toBe(true);
    }),
  );
});

test('whatever happens, the room is empty when all requests are gone', () => {
  fc.assert(
    fc.property(fc.integer(), (seed) => {
      const random = seededRandom(seed);
      const room = new WaitingRoom();
      const inWorker: number[] = [];
      for (let step = 1; step < 120; step += 1) {
        const action = random.below(4);
        const priority = random.pick(['query', 'background'] as const);
        if (action === 0) room.admit(step, priority, many(random.below(150)));
        else if (action === 1) inWorker.push(room.next()?.id ?? -1);
        else if (action === 2) room.withdraw(random.below(step));
        else expect(room.release(inWorker.pop() ?? -1)?.id).not.toBe(-1);
      }
      room.clear();
      expect(room.isEmpty).toBe(true);
      expect(room.next()).toBeUndefined();
    }),
  );
});

test('a slice that was answered cannot be answered again', () => {
  const room = new WaitingRoom();
  room.admit(1, 'query', ['x']);
  const slice = room.next();
  expect(room.release(slice?.id ?? 0)).toEqual(slice);
  expect(room.release(slice?.id ?? 0)).toBeUndefined();
});

test('a request that is withdrawn leaves only what the worker holds', () => {
  const room = new WaitingRoom();
  room.admit(1, 'background', many(SLICE_TEXTS_MAX * 4));
  const held = [room.next()?.id, room.next()?.id];
  expect(room.withdraw(1)).toEqual(held);
  for (const id of held) room.release(id ?? 0);
  expect(room.isEmpty).toBe(true);
});

test('each end doubles the wait, up to a limit, and one too many is told', () => {
  const budget = new RestartBudget();
  expect(budget.waitMs(0)).toBe(0);
  let expected = BACKOFF_FIRST_MS;
  for (let i = 1; i <= RESTARTS_MAX; i += 1) {
    expect(budget.recordEnd(0)).toBe(true);
    expect(budget.waitMs(0)).toBe(expected);
    expected = Math.min(BACKOFF_MAX_MS, expected * 2);
  }
  expect(budget.recordEnd(0)).toBe(false);
});

test('an end is forgiven after the window', () => {
  const budget = new RestartBudget();
  for (let i = 0; i < RESTARTS_MAX; i += 1) budget.recordEnd(0);
  expect(budget.waitMs(RESTART_WINDOW_MS)).toBe(0);
  expect(budget.recordEnd(RESTART_WINDOW_MS)).toBe(true);
  expect(budget.waitMs(RESTART_WINDOW_MS)).toBe(BACKOFF_FIRST_MS);
});

test.each([
  [{ code: null, signal: 'SIGKILL' }, 'memory-exhausted'],
  [{ code: 137, signal: null }, 'memory-exhausted'],
  [{ code: 75, signal: null }, 'memory-exhausted'],
  [{ code: 76, signal: null }, 'worker-protocol'],
  [{ code: 0, signal: null }, 'worker-lost'],
  [{ code: 1, signal: null }, 'worker-lost'],
  [{ code: null, signal: 'SIGSEGV' }, 'worker-lost'],
  [{ code: null, signal: 'SIGTERM' }, 'worker-lost'],
] as const)('the ending %j is %s', (ending, category) => {
  expect(causeOf(ending, undefined)).toBe(category);
  expect(causeOf(ending, 'worker-stuck')).toBe('worker-stuck');
});

const wasm = { entry: 'e', loader: 'l', binary: 'b' };
test.each([
  ['native', wasm, false, 'native'],
  ['native', undefined, false, 'native'],
  ['native', wasm, true, 'wasm'],
  ['native', undefined, true, undefined],
  [undefined, wasm, false, 'wasm'],
  [undefined, undefined, false, undefined],
] as const)('native %s, WASM %j, forced %s: %s runs', (native, files, forceWasm, runtime) => {
  expect(chooseRuntime({ native, wasm: files, forceWasm })).toBe(runtime);
});

test('a new worker with WASM is asked for in exactly one of the sixteen cases', () => {
  const corrupt = 'Load model failed: INVALID_PROTOBUF';
  const asked: unknown[] = [];
  for (const usedNative of [true, false]) {
    for (const isVendored of [true, false]) {
      for (const message of [corrupt, 'no such operator']) {
        for (const intact of [true, false]) {
          if (shouldRequestWasmRespawn(usedNative, isVendored, message, intact)) {
            asked.push([usedNative, isVendored, message, intact]);
          }
        }
      }
    }
  }
  expect(asked).toEqual([[true, false, corrupt, true]]);
});

test.each([
  [2, 2],
  [2.9, 2],
  [0, 1],
  [-4, 1],
  [Number.NaN, 1],
  [Number.POSITIVE_INFINITY, 1],
  [64, INTRA_OP_THREADS_MAX],
])('%s wanted threads are %s', (wanted, threads) => {
  expect(threadsFor(wanted)).toBe(threads);
});

test('no message that fails its guard is taken for one that passes', () => {
  const kinds = [
    'init',
    'embed',
    'cancel',
    'ready',
    'embed-started',
    'embed-result',
    'embed-error',
    'init-error',
    'init-needs-wasm',
    'toString',
  ];
  for (const kind of kinds) {
    expect(parseToWorker({ kind })).toBeUndefined();
    expect(parseFromWorker({ kind })).toBeUndefined();
  }
  fc.assert(
    fc.property(fc.anything(), (value) => {
      expect(parseToWorker(value)).toBeUndefined();
      expect(parseFromWorker(value)).toBeUndefined();
    }),
  );
});

test('an error message carries a known category or is none', () => {
  const error = { kind: 'embed-error', id: 1, category: 'embed-failed' };
  expect(parseFromWorker({ ...error, text: '/home/me' })).toEqual(error);
  expect(parseFromWorker({ ...error, category: 'cannot open /home/me/x.so' })).toBeUndefined();
  expect(parseFromWorker({ ...error, category: 'toString' })).toBeUndefined();
});
