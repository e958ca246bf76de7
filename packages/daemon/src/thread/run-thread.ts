/**
 * The thread's side: opens the store, answers calls, and closes when told.
 *
 * Decides: a store that fails while it is asked (busy, damaged) is an answer; anything else that is
 * thrown is a defect of that call alone. Closing waits for the calls that are under way.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { assert, err, ok, type Result } from '@quipu/base';
import { realKernel } from '@quipu/kernel';
import { StoreFailure } from '@quipu/store';
import { type BackendError, localBackend } from '../backend.ts';
import { type Local, openLocal } from '../local.ts';
import type { FromThread, ThreadData, ThreadMethods, ToThread } from './protocol.ts';

/** Runs in a thread started by `startMemoryThread`; resolves when the store is closed. */
export async function runMemoryThread(): Promise<void> {
  const port = parentPort;
  assert(port !== null, 'the thread has a parent');
  const tell = (message: FromThread): void => port.postMessage(message);
  const kernel = realKernel({ write: (event) => tell({ type: 'log', event }) });
  const { directory } = workerData as ThreadData;
  const opened = await openLocal({ directory, embeddings: 'query', kernel });
  if (!opened.ok) {
    tell({ type: 'failed', error: opened.error });
    return;
  }
  const local = opened.value;
  const methods = methodsOf(local);
  const open = new Set<Promise<void>>();
  const closed = new Promise<void>((resolve) => {
    port.on('message', (message: ToThread) => {
      if (message.type === 'close') {
        resolve();
        return;
      }
      const answered = answer(methods, message).then(tell);
      open.add(answered);
      void answered.finally(() => open.delete(answered));
    });
  });
  tell({ type: 'ready' });
  await closed;
  await Promise.all(open);
  await local.close();
  port.close();
}

function methodsOf(local: Local): ThreadMethods {
  const { memory, embedder } = local;
  const { kind: _local, ...backend } = localBackend(memory);
  return {
    ...backend,
    overview: async () =>
      ok({
        counts: memory.counts(),
        model: embedder?.model.id ?? null,
        embedder: embedder?.state() ?? null,
      }),
    warm: async () => {
      void embedder?.warm();
      return ok(null);
    },
  };
}

type Call = Extract<ToThread, { type: 'call' }>;

async function answer(methods: ThreadMethods, { id, method, args }: Call): Promise<FromThread> {
  try {
    // The daemon's side of this channel has the same types; what follows is the one place where
    // they are lost on the way.
    const run = methods[method] as (...all: readonly unknown[]) => Promise<Result<unknown, never>>;
    return { type: 'answer', id, result: await run(...args) };
  } catch (failure) {
    if (!(failure instanceof StoreFailure)) return { type: 'answer', id };
    const error: BackendError = { kind: 'unavailable', message: failure.message };
    return { type: 'answer', id, result: err(error) };
  }
}
