/**
 * What host and worker say to each other, and the guards at both ends.
 *
 *   host ─▶ worker   init · embed · cancel · shutdown
 *   worker ─▶ host   ready · init-error · init-needs-wasm
 *                    embed-started · embed-result · embed-error
 *
 * Decides: the first message to a worker is `init`; it answers once, with `ready`, `init-error` or
 * (native was used, and WASM could be) `init-needs-wasm`. Each `embed` is answered once, with
 * `embed-result` or `embed-error`, after `embed-started`. What fails a guard ends the worker.
 * Errors carry a category and no text.
 */
import { type EmbedCategory, isEmbedCategory } from '../errors.ts';

export type Priority = 'query' | 'background';
export type Runtime = 'native' | 'wasm';

export type WasmFiles = {
  /** `ort.node.min.mjs`. */
  readonly entry: string;
  readonly loader: string;
  readonly binary: string;
};

export type WorkerInitData = {
  /** The data directory. */
  readonly directory: string;
  readonly modelSource: string | undefined;
  /** The entry file of onnxruntime-node, where it is installed. */
  readonly native: string | undefined;
  readonly wasm: WasmFiles | undefined;
  /** Only for the one worker after `init-needs-wasm`, or when the caller chose WASM. */
  readonly forceWasm: boolean;
  readonly intraOpThreads: number;
  readonly lowPriority: boolean;
  readonly nowMs: number;
  readonly nonce: string;
};

export type ToWorker =
  | { readonly kind: 'init'; readonly data: WorkerInitData }
  | {
      readonly kind: 'embed';
      readonly id: number;
      readonly priority: Priority;
      readonly texts: readonly string[];
    }
  | { readonly kind: 'cancel'; readonly id: number }
  | { readonly kind: 'shutdown' };

export type FromWorker =
  | {
      readonly kind: 'ready';
      readonly runtime: Runtime;
      readonly cache: 'sound' | 'written' | 'unwritable';
    }
  | { readonly kind: 'embed-started'; readonly id: number }
  | { readonly kind: 'embed-result'; readonly id: number; readonly vectors: Float32Array }
  | { readonly kind: 'embed-error'; readonly id: number; readonly category: EmbedCategory }
  | { readonly kind: 'init-error'; readonly category: EmbedCategory }
  | { readonly kind: 'init-needs-wasm'; readonly category: EmbedCategory };

export function parseToWorker(value: unknown): ToWorker | undefined {
  if (!isRecord(value)) return undefined;
  switch (value['kind']) {
    case 'init':
      return isInitData(value['data']) ? { kind: 'init', data: value['data'] } : undefined;
    case 'embed': {
      const { id, priority, texts } = value;
      if (!isId(id) || !isPriority(priority) || !isTexts(texts)) return undefined;
      return { kind: 'embed', id, priority, texts };
    }
    case 'cancel':
      return isId(value['id']) ? { kind: 'cancel', id: value['id'] } : undefined;
    case 'shutdown':
      return { kind: 'shutdown' };
    default:
      return undefined;
  }
}

export function parseFromWorker(value: unknown): FromWorker | undefined {
  if (!isRecord(value)) return undefined;
  const { kind, id, category, runtime, cache, vectors } = value;
  switch (kind) {
    case 'ready':
      return isRuntime(runtime) && isCacheState(cache) ? { kind, runtime, cache } : undefined;
    case 'embed-started':
      return isId(id) ? { kind, id } : undefined;
    case 'embed-result':
      return isId(id) && vectors instanceof Float32Array ? { kind, id, vectors } : undefined;
    case 'embed-error':
      return isId(id) && isEmbedCategory(category) ? { kind, id, category } : undefined;
    case 'init-error':
    case 'init-needs-wasm':
      return isEmbedCategory(category) ? { kind, category } : undefined;
    default:
      return undefined;
  }
}

function isInitData(value: unknown): value is WorkerInitData {
  if (!isRecord(value)) return false;
  const { directory, modelSource, native, wasm, forceWasm, lowPriority, nonce } = value;
  const isPath = (path: unknown): boolean => path === undefined || typeof path === 'string';
  return (
    typeof directory === 'string' &&
    isPath(modelSource) &&
    isPath(native) &&
    (wasm === undefined || isWasmFiles(wasm)) &&
    typeof forceWasm === 'boolean' &&
    typeof lowPriority === 'boolean' &&
    typeof nonce === 'string' &&
    /^[0-9a-f]+$/.test(nonce) &&
    isPositive(value['intraOpThreads']) &&
    isPositive(value['nowMs'])
  );
}

function isWasmFiles(value: unknown): boolean {
  if (!isRecord(value)) return false;
  return ['entry', 'loader', 'binary'].every((name) => typeof value[name] === 'string');
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

function isId(value: unknown): value is number {
  return Number.isSafeInteger(value);
}

function isPositive(value: unknown): boolean {
  return typeof value === 'number' && Number.isFinite(value) && value > 0;
}

function isPriority(value: unknown): value is Priority {
  return value === 'query' || value === 'background';
}

function isRuntime(value: unknown): value is Runtime {
  return value === 'native' || value === 'wasm';
}

function isCacheState(value: unknown): value is 'sound' | 'written' | 'unwritable' {
  return value === 'sound' || value === 'written' || value === 'unwritable';
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((text) => typeof text === 'string');
}
