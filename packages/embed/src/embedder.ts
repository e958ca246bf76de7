/**
 * The embedder: texts in, vectors out, from one local model in a child process.
 *
 * Decides: how a request is cut into slices, which go to the worker, how answers are put together,
 * and that each request is answered exactly once: with its vectors, or with one error when it is
 * cancelled, refused, cut off by the worker's end, or outlived by the embedder. Equal texts of a
 * request are computed once. Vectors have unit length; a text without visible characters has the
 * zero vector.
 *
 * Callers: `close()` before the process should end; it waits until the worker is gone.
 */
import { assert, digestOf, ok, type Result } from '@quipu/base';
import type { Kernel } from '@quipu/kernel';
import type { Priority, Runtime } from './core/protocol.ts';
import { WaitingRoom } from './core/waiting.ts';
import { type EmbedCategory, type EmbedError, failure } from './errors.ts';
import { TEXT_CHARS_MAX } from './limits.ts';
import {
  DIMENSIONS,
  MODEL_DIGEST,
  MODEL_ID,
  MODEL_TOKENS_MAX,
  VOCABULARY_DIGEST,
} from './model/manifest.ts';
import type { WorkerEntry } from './shell/deployment.ts';
import {
  type EmbedderState,
  Supervisor,
  type WorkerAnswer,
  type WorkerPlan,
} from './shell/supervisor.ts';

export type EmbeddingModel = {
  readonly id: string;
  /** Vectors of equal digests may be compared with each other. */
  readonly digest: string;
  readonly dimensions: number;
  /** Tokens that the model sees at once; a longer text is split and its vectors averaged. */
  readonly maxTokens: number;
};

export type EmbedOptions = {
  /** Queries go ahead of background work; `background` unless given. */
  readonly priority?: Priority;
  readonly signal?: AbortSignal | undefined;
};

export type Embedder = {
  readonly model: EmbeddingModel;
  readonly state: () => EmbedderState;
  /** Starts the worker when there is none. Vectors in the order of the texts. Never rejects. */
  readonly embed: (
    texts: readonly string[],
    options?: EmbedOptions,
  ) => Promise<Result<Float32Array[], EmbedError>>;
  /**
   * For a query that must not wait for the model: undefined when the worker is not ready, which
   * this call then starts for the next one. The promise gives undefined when embedding failed.
   */
  readonly embedQueryNow: (text: string) => Promise<Float32Array | undefined> | undefined;
  /** Waits until the worker is ready. */
  readonly warm: () => Promise<Result<{ readonly runtime: Runtime }, EmbedError>>;
  readonly close: () => Promise<void>;
};

/** Bumped when the same model would give other vectors: normalisation, windows, pooling. */
const COMPUTATION_VERSION = '1';

export const BUNDLED_MODEL: EmbeddingModel = Object.freeze({
  id: MODEL_ID,
  digest: digestOf(MODEL_DIGEST, VOCABULARY_DIGEST, COMPUTATION_VERSION),
  dimensions: DIMENSIONS,
  maxTokens: MODEL_TOKENS_MAX,
});

type Embedded = Result<Float32Array[], EmbedError>;
type Warmed = Result<{ readonly runtime: Runtime }, EmbedError>;

type Request = {
  /** For each text of the caller, its place among the different ones. */
  readonly places: readonly number[];
  readonly vectors: (Float32Array | undefined)[];
  missing: number;
  readonly settle: (result: Embedded) => void;
};

export class LocalEmbedder implements Embedder {
  readonly model = BUNDLED_MODEL;
  readonly #room = new WaitingRoom();
  readonly #requests = new Map<number, Request>();
  readonly #supervisor: Supervisor;
  #warming: ((result: Warmed) => void)[] = [];
  #nextRequest = 1;
  #isClosed = false;

  constructor(kernel: Kernel, entry: WorkerEntry, plan: WorkerPlan) {
    this.#supervisor = new Supervisor(kernel, entry, plan, {
      ready: () => this.#whenReady(),
      lost: (category, terminal) => this.#whenLost(category, terminal),
      answer: (answer) => this.#whenAnswered(answer),
    });
  }

  readonly state = (): EmbedderState => this.#supervisor.state;

  /** For measurements and tests. */
  get workerPid(): number | undefined {
    return this.#supervisor.pid;
  }

  readonly embed = async (
    texts: readonly string[],
    options: EmbedOptions = {},
  ): Promise<Embedded> => {
    const { priority = 'background', signal } = options;
    const refusal = this.#refusal(texts, signal);
    if (refusal !== undefined) return refusal;
    if (texts.length === 0) return ok([]);

    const placeOf = new Map<string, number>();
    for (const text of texts) if (!placeOf.has(text)) placeOf.set(text, placeOf.size);
    const id = this.#nextRequest;
    this.#nextRequest += 1;
    if (!this.#room.admit(id, priority, [...placeOf.keys()])) return failure('busy', 'queue-full');

    return new Promise<Embedded>((resolve) => {
      const cancel = (): void => this.#cancel(id);
      signal?.addEventListener('abort', cancel, { once: true });
      this.#requests.set(id, {
        places: texts.map((text) => placeOf.get(text) ?? 0),
        vectors: [],
        missing: placeOf.size,
        settle: (result) => {
          signal?.removeEventListener('abort', cancel);
          this.#requests.delete(id);
          resolve(result);
        },
      });
      this.#supervisor.ensure();
      this.#dispatch();
    });
  };

  readonly embedQueryNow = (text: string): Promise<Float32Array | undefined> | undefined => {
    if (this.#supervisor.state.kind !== 'ready') {
      this.#supervisor.ensure();
      return undefined;
    }
    return this.embed([text], { priority: 'query' }).then((result) =>
      result.ok ? result.value[0] : undefined,
    );
  };

  readonly warm = async (): Promise<Warmed> => {
    if (this.#isClosed) return failure('closed', 'closed');
    const { state } = this.#supervisor;
    if (state.kind === 'ready') return ok({ runtime: state.runtime });
    if (state.kind === 'failed') return failure('unavailable', state.category);
    return new Promise<Warmed>((resolve) => {
      this.#warming.push(resolve);
      this.#supervisor.ensure();
    });
  };

  readonly close = async (): Promise<void> => {
    this.#isClosed = true;
    this.#answerAll(failure('closed', 'closed'));
    await this.#supervisor.close();
  };

  #refusal(texts: readonly string[], signal: AbortSignal | undefined): Embedded | undefined {
    if (this.#isClosed) return failure('closed', 'closed');
    if (signal?.aborted === true) return failure('cancelled', 'cancelled');
    const { state } = this.#supervisor;
    if (state.kind === 'failed') return failure('unavailable', state.category);
    const isTooLong = texts.some((text) => text.length > TEXT_CHARS_MAX);
    return isTooLong ? failure('refused', 'text-too-long') : undefined;
  }

  #dispatch(): void {
    const { state } = this.#supervisor;
    if (state.kind === 'ready') {
      for (let slice = this.#room.next(); slice !== undefined; slice = this.#room.next()) {
        const { id, priority, texts } = slice;
        this.#supervisor.send({ kind: 'embed', id, priority, texts });
      }
    }
    this.#supervisor.setBusy(!this.#room.isEmpty);
  }

  #whenReady(): void {
    const { state } = this.#supervisor;
    assert(state.kind === 'ready', 'ready is told in the state ready');
    const waiting = this.#warming;
    this.#warming = [];
    for (const resolve of waiting) resolve(ok({ runtime: state.runtime }));
    this.#dispatch();
  }

  #whenLost(category: EmbedCategory, terminal: boolean): void {
    this.#answerAll(failure(terminal ? 'unavailable' : 'interrupted', category));
  }

  #whenAnswered(answer: WorkerAnswer): void {
    const slice = this.#room.release(answer.id);
    if (slice === undefined) {
      this.#supervisor.rejectWorker();
      return;
    }
    const request = this.#requests.get(slice.request);
    if (answer.kind === 'embed-error') {
      // A request that was cancelled is gone already.
      this.#room.withdraw(slice.request);
      request?.settle(failure('refused', answer.category));
    } else if (answer.vectors.length !== slice.texts.length * DIMENSIONS) {
      request?.settle(failure('interrupted', 'worker-protocol'));
      this.#supervisor.rejectWorker();
      return;
    } else if (request !== undefined) {
      fill(request, slice.start, answer.vectors);
    }
    this.#dispatch();
  }

  #cancel(id: number): void {
    for (const slice of this.#room.withdraw(id)) {
      this.#supervisor.send({ kind: 'cancel', id: slice });
    }
    this.#requests.get(id)?.settle(failure('cancelled', 'cancelled'));
    this.#dispatch();
  }

  #answerAll(result: Result<never, EmbedError>): void {
    this.#room.clear();
    for (const request of [...this.#requests.values()]) request.settle(result);
    const warming = this.#warming;
    this.#warming = [];
    for (const resolve of warming) resolve(result);
  }
}

function fill(request: Request, start: number, vectors: Float32Array): void {
  const count = vectors.length / DIMENSIONS;
  for (let i = 0; i < count; i += 1) {
    request.vectors[start + i] = vectors.slice(i * DIMENSIONS, (i + 1) * DIMENSIONS);
  }
  request.missing -= count;
  if (request.missing > 0) return;
  const given = new Set<number>();
  const result = request.places.map((place) => {
    const vector = request.vectors[place];
    assert(vector !== undefined, 'an answered request has all its vectors');
    // A caller may change a vector in place: equal texts do not share one.
    const own = given.has(place) ? vector.slice() : vector;
    given.add(place);
    return own;
  });
  request.settle(ok(result));
}
