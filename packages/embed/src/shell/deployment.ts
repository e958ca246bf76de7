/**
 * Where things are on this machine: the worker's entry, the ONNX runtimes, the model's package.
 *
 * Decides: `bundle` runs the built `embed-worker.js` that lies beside the file this code was
 * bundled into; `source` runs the TypeScript entry through tsx. Runtimes and model are found as
 * packages that this one declares. WASM counts only when its loader and its binary can both be
 * read. Nothing here throws when a package is absent.
 */
import { accessSync, constants } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { WasmFiles } from '../core/protocol.ts';
import { WORKER_HEAP_MIB_MAX } from '../limits.ts';
import { MODEL_PACKAGE } from '../model/manifest.ts';

export type Deployment = 'bundle' | 'source';

export type WorkerEntry = { readonly path: string; readonly execArgv: readonly string[] };

const requireHere = createRequire(import.meta.url);

/** How this very file is run. */
export function deploymentHere(): Deployment {
  return import.meta.url.endsWith('.ts') ? 'source' : 'bundle';
}

export function workerEntry(deployment: Deployment): WorkerEntry {
  const heap = `--max-old-space-size=${WORKER_HEAP_MIB_MAX}`;
  if (deployment === 'bundle') {
    return {
      path: fileURLToPath(new URL('./embed-worker.js', import.meta.url)),
      execArgv: [heap],
    };
  }
  return {
    path: fileURLToPath(new URL('../worker/main.ts', import.meta.url)),
    execArgv: [
      heap,
      '--conditions=source',
      '--import',
      pathToFileURL(requireHere.resolve('tsx')).href,
    ],
  };
}

/** The entry file of the native runtime, when it is installed with a binding for this machine. */
export function findNativeRuntime(): string | undefined {
  const root = packageRoot('onnxruntime-node');
  if (root === undefined) return undefined;
  const { platform, arch } = process;
  const binding = join(root, 'bin', 'napi-v6', platform, arch, 'onnxruntime_binding.node');
  const entry = join(root, 'dist', 'index.js');
  return isReadable(binding) && isReadable(entry) ? entry : undefined;
}

export function findWasmRuntime(): WasmFiles | undefined {
  // Its package.json is not among its exports; its binary is.
  const binary = resolved('onnxruntime-web/ort-wasm-simd-threaded.wasm');
  if (binary === undefined) return undefined;
  const directory = dirname(binary);
  const files = {
    entry: join(directory, 'ort.node.min.mjs'),
    loader: join(directory, 'ort-wasm-simd-threaded.mjs'),
    binary,
  };
  return Object.values(files).every(isReadable) ? files : undefined;
}

/** Where the model's package keeps its files. */
export function findModelSource(): string | undefined {
  const root = packageRoot(MODEL_PACKAGE);
  return root === undefined ? undefined : join(root, 'dist');
}

function packageRoot(name: string): string | undefined {
  const manifest = resolved(`${name}/package.json`);
  return manifest === undefined ? undefined : dirname(manifest);
}

function resolved(request: string): string | undefined {
  try {
    return requireHere.resolve(request);
  } catch {
    // Absent, or it does not export this: both mean that it cannot be used.
    return undefined;
  }
}

function isReadable(path: string): boolean {
  try {
    accessSync(path, constants.R_OK);
    return true;
  } catch {
    return false;
  }
}
