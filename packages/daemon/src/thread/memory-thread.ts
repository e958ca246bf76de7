/**
 * The daemon's side of the thread that holds the store.
 *
 * Decides: how the thread is started, what its loss means (every open call fails, and the daemon is
 * told once), and its end: told to close, and ended by force when it does not.
 */
import { Worker } from 'node:worker_threads';
import { assert, err, ok, type Result } from '@quipu/base';
import type { Kernel } from '@quipu/kernel';
import type { Backend, BackendError } from '../backend.ts';
import { STOP_MS_MAX } from '../limits.ts';
import type { LocalError } from '../local.ts';
import type { Program } from '../program.ts';
import type { FromThread, Method, ThreadData, ThreadMethods, ToThread } from './protocol.ts';

export type MemoryThread = Pick<ThreadMethods, 'overview' | 'warm'> & {
  readonly backend: Backend;
  /** Resolves when the thread has ended without being told to. */
  readonly lost: Promise<void>;
  readonly close: () => Promise<void>;
};

export type MemoryThreadOptions = {
  readonly program: Program;
  readonly directory: string;
  readonly kernel: Kernel;
};

/** Starts the thread; resolves when its store is open, or cannot be opened. */
export function startMemoryThread(
  options: MemoryThreadOptions,
): Promise<Result<MemoryThread, LocalError>> {
  return new Channel(options).opened;
}

const YOUNG_MIB = 8;

type Waiting = {
  readonly resolve: (result: Result<unknown, BackendError>) => void;
  readonly reject: (failure: Error) => void;
};

class Channel {
  readonly #kernel: Kernel;
  readonly #worker: Worker;
  readonly #waiting = new Map<number, Waiting>();
  readonly #ended: Promise<void>;
  readonly opened: Promise<Result<MemoryThread, LocalError>>;
  #lost: () => void = () => {};
  #lastId = 0;
  #hasEnded = false;
  #isClosing = false;

  constructor({ program, directory, kernel }: MemoryThreadOptions) {
    this.#kernel = kernel;
    const data: ThreadData = { directory };
    this.#worker = new Worker(program.script, {
      argv: ['__memory'],
      workerData: data,
      // As small as in the rest of the program (`docs/decisions/0002-young-generation.md`).
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MIB },
    });
    let settle: (result: Result<MemoryThread, LocalError>) => void = () => {};
    let fail: (failure: Error) => void = () => {};
    this.opened = new Promise((resolve, reject) => {
      settle = resolve;
      fail = reject;
    });
    this.#worker.on('message', (message: FromThread) => {
      if (message.type === 'ready') settle(ok(this.#face()));
      else if (message.type === 'failed') settle(err(message.error));
      else if (message.type === 'log') kernel.log.write(message.event);
      else this.#answered(message);
    });
    // What was thrown is not for the log: it may quote what is stored.
    this.#worker.on('error', () => kernel.log.write({ level: 'error', category: 'memory-defect' }));
    this.#ended = new Promise((resolve) => {
      this.#worker.once('exit', () => {
        fail(new Error('the memory thread ended before it was ready'));
        this.#exited();
        resolve();
      });
    });
  }

  #face(): MemoryThread {
    const call = <M extends Method>(method: M): ThreadMethods[M] =>
      // biome-ignore lint/suspicious/noExplicitAny: the arguments of eleven methods
      ((...args: any[]) => this.#call(method, args)) as ThreadMethods[M];
    return {
      backend: {
        kind: 'local',
        // A signal does not pass between threads; the answer of a call given up is dropped.
        recall: (request) => call('recall')(request),
        show: call('show'),
        sessions: call('sessions'),
        projects: call('projects'),
        remember: call('remember'),
        forget: call('forget'),
        move: call('move'),
        context: call('context'),
        printed: call('printed'),
      },
      overview: call('overview'),
      warm: call('warm'),
      lost: new Promise((resolve) => {
        this.#lost = resolve;
      }),
      close: () => this.#close(),
    };
  }

  #call(method: Method, args: readonly unknown[]): Promise<Result<unknown, BackendError>> {
    if (this.#hasEnded || this.#isClosing) {
      return Promise.resolve(err({ kind: 'unavailable', message: 'The daemon is stopping.' }));
    }
    this.#lastId += 1;
    const id = this.#lastId;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.#send({ type: 'call', id, method, args });
    });
  }

  #send(message: ToThread): void {
    this.#worker.postMessage(message);
  }

  #answered({ id, result }: Extract<FromThread, { type: 'answer' }>): void {
    const waiting = this.#waiting.get(id);
    assert(waiting !== undefined, 'a call is answered once');
    this.#waiting.delete(id);
    if (result === undefined) waiting.reject(new Error('a defect in the memory thread'));
    else waiting.resolve(result);
  }

  #exited(): void {
    this.#hasEnded = true;
    for (const waiting of this.#waiting.values()) {
      waiting.resolve(err({ kind: 'unavailable', message: 'The daemon lost its store.' }));
    }
    this.#waiting.clear();
    if (!this.#isClosing) this.#lost();
  }

  async #close(): Promise<void> {
    this.#isClosing = true;
    if (this.#hasEnded) return;
    this.#send({ type: 'close' });
    const late = this.#kernel.timers.after(STOP_MS_MAX / 2, () => void this.#worker.terminate());
    await this.#ended;
    late.cancel();
  }
}
