/**
 * Puts an embedder together from what this machine has.
 *
 * Decides: which runtime is offered to the worker, how many threads it gets, at which priority it
 * runs. Nothing is started: the first request, or `warm`, does.
 */
import { availableParallelism } from 'node:os';
import type { Kernel } from '@quipu/kernel';
import type { Runtime } from './core/protocol.ts';
import { threadsFor } from './core/runtime-choice.ts';
import { type Embedder, LocalEmbedder } from './embedder.ts';
import {
  type Deployment,
  deploymentHere,
  findModelSource,
  findNativeRuntime,
  findWasmRuntime,
  workerEntry,
} from './shell/deployment.ts';

export type EmbedderOptions = {
  readonly kernel: Kernel;
  /** The data directory; the model is kept in `models/` below it. */
  readonly directory: string;
  /** How the worker is run; as this code itself is, unless given. */
  readonly deployment?: Deployment | undefined;
  /** Offers this runtime alone. */
  readonly forceRuntime?: Runtime | undefined;
  /**
   * Threads within one run of the model. Unless given: every processor up to a limit, or half of
   * them for background work.
   */
  readonly intraOpThreads?: number | undefined;
  /** `background`: the worker runs at a low priority of the operating system, queries included. */
  readonly purpose?: 'query' | 'background' | undefined;
};

export function createEmbedder(options: EmbedderOptions): Embedder {
  return createLocalEmbedder(options);
}

export function createLocalEmbedder(options: EmbedderOptions): LocalEmbedder {
  const { forceRuntime } = options;
  const lowPriority = options.purpose === 'background';
  const threads = options.intraOpThreads ?? availableParallelism() / (lowPriority ? 2 : 1);
  return new LocalEmbedder(options.kernel, workerEntry(options.deployment ?? deploymentHere()), {
    directory: options.directory,
    modelSource: findModelSource(),
    native: forceRuntime === 'wasm' ? undefined : findNativeRuntime(),
    wasm: forceRuntime === 'native' ? undefined : findWasmRuntime(),
    forceWasm: forceRuntime === 'wasm',
    intraOpThreads: threadsFor(threads),
    lowPriority,
  });
}
