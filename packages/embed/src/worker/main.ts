/**
 * The embedding process: entry file of the child that the host forks.
 *
 * Decides: the process lives as long as its channel to the host (a host that is killed ends it),
 * offers itself to the kernel's out-of-memory killer before its host, leaves Ctrl-C to the host,
 * and ends with a code of its own when an allocation fails or a message is not understood. Queries
 * go before background work, also in the middle of it.
 */
import { writeFileSync } from 'node:fs';
import { constants, setPriority } from 'node:os';
import { AssertionFailure } from '@quipu/base';
import { realKernel } from '@quipu/kernel';
import { EXIT_ALLOCATION_FAILED, EXIT_PROTOCOL } from '../core/ending.ts';
import {
  type FromWorker,
  type Priority,
  parseToWorker,
  type ToWorker,
  type WorkerInitData,
} from '../core/protocol.ts';
import { isAllocationFailure } from '../core/runtime-choice.ts';
import type { EmbedCategory } from '../errors.ts';
import { openModel } from '../model/cache.ts';
import { createTokenizer, type Tokenizer } from '../tokenizer/unigram.ts';
import { embedTexts } from './pipeline.ts';
import { type Encoder, openEncoder } from './runtime.ts';

type Job = { readonly id: number; readonly texts: readonly string[]; cancelled: boolean };
const { timers } = realKernel();

type Parts = { readonly tokenizer: Tokenizer; readonly encoder: Encoder };

/** 1000 is "first of all"; a user's own choice above this stays. */
const OOM_SCORE_ADJUSTMENT = 600;

class Worker {
  readonly #lanes: Readonly<Record<Priority, Job[]>> = { query: [], background: [] };
  readonly #jobs = new Map<number, Job>();
  #parts: Parts | undefined;
  #state: 'new' | 'starting' | 'settled' = 'new';
  #draining = false;

  receive(message: ToWorker): void {
    switch (message.kind) {
      case 'init':
        if (this.#state !== 'new') process.exit(EXIT_PROTOCOL);
        this.#state = 'starting';
        this.#guard(this.#start(message.data));
        return;
      case 'embed': {
        if (this.#parts === undefined) process.exit(EXIT_PROTOCOL);
        const job = { id: message.id, texts: message.texts, cancelled: false };
        this.#jobs.set(job.id, job);
        this.#lanes[message.priority].push(job);
        this.#guard(this.#drain(this.#parts));
        return;
      }
      case 'cancel': {
        const job = this.#jobs.get(message.id);
        if (job !== undefined) job.cancelled = true;
        return;
      }
      case 'shutdown':
        process.exit(0);
    }
  }

  async #start(init: WorkerInitData): Promise<void> {
    if (init.lowPriority) lowerPriority();
    const place = { ...init, source: init.modelSource };
    const files = openModel(place);
    if (!files.ok) return this.#initFailed('init-error', files.error.category);
    const tokenizer = createTokenizer(files.value.vocabulary);
    if (!tokenizer.ok) return this.#initFailed('init-error', 'model-damaged');
    const encoder = await openEncoder(files.value.model, init);
    if (!encoder.ok) {
      const { kind, category } = encoder.error;
      return this.#initFailed(kind === 'needs-wasm' ? 'init-needs-wasm' : 'init-error', category);
    }
    this.#parts = { tokenizer: tokenizer.value, encoder: encoder.value };
    this.#state = 'settled';
    send({ kind: 'ready', runtime: encoder.value.runtime, cache: files.value.cache });
  }

  #initFailed(kind: 'init-error' | 'init-needs-wasm', category: EmbedCategory): void {
    this.#state = 'settled';
    send({ kind, category });
  }

  async #drain(parts: Parts): Promise<void> {
    if (this.#draining) return;
    this.#draining = true;
    for (;;) {
      const query = this.#lanes.query.shift();
      const job = query ?? this.#lanes.background.shift();
      if (job === undefined) break;
      await this.#run(parts, job, query === undefined);
    }
    this.#draining = false;
  }

  async #run(parts: Parts, job: Job, letsQueriesPass: boolean): Promise<void> {
    send({ kind: 'embed-started', id: job.id });
    const goOn = async (): Promise<boolean> => {
      // Lets in what the host has sent meanwhile.
      await timers.sleep(0);
      if (letsQueriesPass) await this.#runQueries(parts);
      return !job.cancelled;
    };
    const { id } = job;
    try {
      const vectors = job.cancelled ? undefined : await embedTexts(parts, job.texts, goOn);
      if (vectors === undefined) send({ kind: 'embed-error', id, category: 'cancelled' });
      else send({ kind: 'embed-result', id, vectors });
    } catch (error) {
      if (endsTheWorker(error)) throw error;
      send({ kind: 'embed-error', id, category: 'embed-failed' });
    }
    this.#jobs.delete(id);
  }

  async #runQueries(parts: Parts): Promise<void> {
    for (let query = this.#lanes.query.shift(); query; query = this.#lanes.query.shift()) {
      await this.#run(parts, query, false);
    }
  }

  #guard(work: Promise<void>): void {
    work.catch(endWithError);
  }
}

function send(message: FromWorker): void {
  process.send?.(message);
}

/** A defect or a lack of memory is not the text's fault. */
function endsTheWorker(error: unknown): boolean {
  if (error instanceof AssertionFailure || !(error instanceof Error)) return true;
  return isAllocationFailure(error.message);
}

function endWithError(error: unknown): never {
  const message = error instanceof Error ? error.message : '';
  // The host keeps the end of this stream in memory, for a developer; it never logs it.
  process.stderr.write(`${error instanceof Error ? (error.stack ?? message) : 'unknown'}\n`);
  process.exit(isAllocationFailure(message) ? EXIT_ALLOCATION_FAILED : 1);
}

function lowerPriority(): void {
  try {
    setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
  } catch (error) {
    process.stderr.write(`priority unchanged: ${String(error)}\n`);
  }
}

function volunteerForOutOfMemory(): void {
  if (process.platform !== 'linux') return;
  try {
    writeFileSync('/proc/self/oom_score_adj', `${OOM_SCORE_ADJUSTMENT}`);
  } catch (error) {
    process.stderr.write(`oom_score_adj unchanged: ${String(error)}\n`);
  }
}

volunteerForOutOfMemory();
process.on('uncaughtException', endWithError);
process.on('disconnect', () => process.exit(0));
process.on('SIGINT', () => {
  process.stderr.write('interrupt left to the host\n');
});
const worker = new Worker();
process.on('message', (raw) => {
  const message = parseToWorker(raw);
  if (message === undefined) process.exit(EXIT_PROTOCOL);
  worker.receive(message);
});
