/** The built form: code bundled into one file, the worker beside it. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { expect, test } from 'vitest';
import { findNativeRuntime, findWasmRuntime } from './deployment.ts';

const packageRoot = fileURLToPath(new URL('../..', import.meta.url));

test('bundled code finds the worker beside it, and embeds', async () => {
  // Inside the package: the runtimes are looked for from where the code is.
  const directory = mkdtempSync(join(packageRoot, '.bundle-'));
  try {
    await build({
      entryPoints: {
        index: join(packageRoot, 'src/index.ts'),
        'embed-worker': join(packageRoot, 'src/worker/main.ts'),
        kernel: fileURLToPath(import.meta.resolve('@quipu/kernel')),
      },
      outdir: directory,
      bundle: true,
      platform: 'node',
      format: 'esm',
      conditions: ['source'],
      packages: 'bundle',
      external: ['pino'],
    });
    writeFileSync(
      join(directory, 'run.mjs'),
      `import { createEmbedder } from './index.js';
      import { realKernel } from './kernel.js';
      const embedder = createEmbedder({ kernel: realKernel(), directory: import.meta.dirname });
      const result = await embedder.embed(['hello world']);
      console.log(JSON.stringify([result.ok && result.value[0].length, embedder.state()]));
      await embedder.close();`,
    );
    const output = execFileSync(process.execPath, [join(directory, 'run.mjs')], {
      timeout: 25_000,
    });
    expect(JSON.parse(output.toString())).toEqual([512, { kind: 'ready', runtime: 'native' }]);
    expect(existsSync(join(directory, 'models'))).toBe(true);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
});

test('both runtimes of this workspace are found, as files that exist', () => {
  expect(existsSync(findNativeRuntime() ?? '')).toBe(true);
  const wasm = findWasmRuntime();
  expect(wasm).toBeDefined();
  for (const path of Object.values(wasm ?? {})) expect(existsSync(path)).toBe(true);
});
