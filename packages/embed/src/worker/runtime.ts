/**
 * Loads an ONNX runtime by the path that the host found, and opens the model with it.
 *
 * Decides: what a runtime is to the rest (`Encoder`), and the failure's category. The native and
 * the WebAssembly runtime have one interface; only the session's options differ. A loader's message
 * is looked at here and goes no further.
 */
import { pathToFileURL } from 'node:url';
import { assert, err, ok, type Result } from '@quipu/base';
import type { InferenceSession, TensorConstructor } from 'onnxruntime-web';
import type { Runtime, WasmFiles, WorkerInitData } from '../core/protocol.ts';
import { chooseRuntime, shouldRequestWasmRespawn } from '../core/runtime-choice.ts';
import type { EmbedCategory } from '../errors.ts';
import { DIMENSIONS } from '../model/manifest.ts';

export type Encoder = {
  readonly runtime: Runtime;
  /** One run: token ids of texts, each at most the model's maximum; a vector of each. */
  readonly encode: (batch: readonly Int32Array[]) => Promise<Float32Array[]>;
};

export type OpenFailure = {
  readonly kind: 'failed' | 'needs-wasm';
  readonly category: EmbedCategory;
};

type Ort = {
  readonly InferenceSession: {
    readonly create: (
      model: Uint8Array,
      options: InferenceSession.SessionOptions,
    ) => Promise<InferenceSession>;
  };
  readonly Tensor: TensorConstructor;
  readonly env: { readonly wasm: { numThreads?: number; wasmPaths?: unknown } };
};

export async function openEncoder(
  model: Uint8Array,
  init: WorkerInitData,
): Promise<Result<Encoder, OpenFailure>> {
  const runtime = chooseRuntime(init);
  if (runtime === undefined) return err({ kind: 'failed', category: 'runtime-missing' });
  const usedNative = runtime === 'native';
  const fallBack = usedNative && init.wasm !== undefined;
  const loaded = usedNative
    ? await load(init.native ?? '', 'native-load-failed')
    : await loadWasm(init.wasm, init.intraOpThreads);
  if (!loaded.ok) return err({ kind: fallBack ? 'needs-wasm' : 'failed', category: loaded.error });
  try {
    const session = await loaded.value.InferenceSession.create(model, optionsFor(runtime, init));
    return ok({ runtime, encode: (batch) => run(loaded.value, session, batch) });
  } catch (error) {
    const message = error instanceof Error ? error.message : '';
    // The cache checked the file's digest: it is intact.
    const wantsWasm = fallBack && shouldRequestWasmRespawn(usedNative, false, message, true);
    return err({ kind: wantsWasm ? 'needs-wasm' : 'failed', category: 'model-unreadable' });
  }
}

function optionsFor(runtime: Runtime, init: WorkerInitData): InferenceSession.SessionOptions {
  const common = { graphOptimizationLevel: 'all', logSeverityLevel: 3 } as const;
  if (runtime === 'wasm') return { ...common, executionProviders: ['wasm'] };
  return {
    ...common,
    executionProviders: ['cpu'],
    intraOpNumThreads: init.intraOpThreads,
    interOpNumThreads: 1,
    // An arena would keep the peak of the largest batch for good.
    enableCpuMemArena: false,
  };
}

async function loadWasm(
  files: WasmFiles | undefined,
  threads: number,
): Promise<Result<Ort, EmbedCategory>> {
  assert(files !== undefined, 'WASM is chosen only where its files are');
  const loaded = await load(files.entry, 'wasm-load-failed');
  if (!loaded.ok) return loaded;
  const { wasm } = loaded.value.env;
  wasm.numThreads = threads;
  wasm.wasmPaths = {
    mjs: pathToFileURL(files.loader).href,
    wasm: pathToFileURL(files.binary).href,
  };
  return loaded;
}

async function load(path: string, category: EmbedCategory): Promise<Result<Ort, EmbedCategory>> {
  try {
    const loaded: unknown = await import(
      /* computed: the host found it */ pathToFileURL(path).href
    );
    // CommonJS arrives as the default export.
    const module = isOrt(loaded) ? loaded : property(loaded, 'default');
    return isOrt(module) ? ok(module) : err(category);
  } catch {
    return err(category);
  }
}

async function run(
  ort: Ort,
  session: InferenceSession,
  batch: readonly Int32Array[],
): Promise<Float32Array[]> {
  const width = Math.max(...batch.map((ids) => ids.length));
  assert(width > 0, 'a batch holds a token');
  const shape = [batch.length, width];
  const ids = new BigInt64Array(batch.length * width);
  const mask = new BigInt64Array(batch.length * width);
  batch.forEach((row, index) => {
    row.forEach((id, position) => {
      ids[index * width + position] = BigInt(id);
      mask[index * width + position] = 1n;
    });
  });
  const output = await session.run({
    input_ids: new ort.Tensor('int64', ids, shape),
    attention_mask: new ort.Tensor('int64', mask, shape),
  });
  const values = output['sentence_embedding']?.data;
  assert(values instanceof Float32Array, 'the model yields floats');
  assert(values.length === batch.length * DIMENSIONS, 'the model yields a vector of each text');
  return batch.map((_, index) => values.slice(index * DIMENSIONS, (index + 1) * DIMENSIONS));
}

function isOrt(value: unknown): value is Ort {
  const create = property(property(value, 'InferenceSession'), 'create');
  const hasEnvironment = property(property(value, 'env'), 'wasm') !== undefined;
  return typeof create === 'function' && hasEnvironment && property(value, 'Tensor') !== undefined;
}

function property(value: unknown, name: string): unknown {
  const isHolder = (typeof value === 'object' && value !== null) || typeof value === 'function';
  return isHolder ? Reflect.get(value, name) : undefined;
}
