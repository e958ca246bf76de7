/**
 * Builds what a user runs: `packages/cli/dist`.
 *
 *     quipu.js, chunk-*.js   the program           embed-worker.js   the embedding process
 *     web/                   the page, flat        examples/         sessions to try with
 *     build.json             digest of all inputs, and of each output
 *
 * Decides: our own packages are bundled from their sources, everything else stays an import. When
 * the inputs and the outputs are as `build.json` says, nothing is done, so `npm start` is quick.
 * Outputs are written beside and moved into place: a program that runs never loads half a build.
 */
import { createHash } from 'node:crypto';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const dist = join(root, 'packages/cli/dist');
const staging = `${dist}.new-${process.pid}`;
const STATIC = /\.(html|svg|png|ico|txt|webmanifest)$/;

const force = process.argv.includes('--force');
const inputs = digestOfInputs();
if (!force && isUpToDate(inputs)) {
  process.exit(0);
}
const started = performance.now();
try {
  await build();
} catch (failure) {
  rmSync(staging, { recursive: true, force: true });
  // esbuild has printed what is wrong, with file and line.
  if (!Array.isArray(failure.errors)) throw failure;
  process.exit(1);
}
console.error(`built packages/cli/dist in ${Math.round(performance.now() - started)} ms`);

async function build() {
  const esbuild = await import('esbuild');
  rmSync(staging, { recursive: true, force: true });
  mkdirSync(join(staging, 'web'), { recursive: true });
  const program = {
    quipu: 'packages/cli/src/main.ts',
    'embed-worker': 'packages/embed/src/worker/main.ts',
  };
  await esbuild.build({
    absWorkingDir: root,
    entryPoints: program,
    outdir: staging,
    bundle: true,
    splitting: true,
    chunkNames: 'chunk-[hash]',
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    conditions: ['source'],
    sourcemap: 'linked',
    sourcesContent: false,
    keepNames: true,
    banner: { js: `// source ${inputs}` },
    logLevel: 'warning',
    plugins: [othersStayImports()],
  });
  await buildPage(esbuild);
  cpSync(join(root, 'examples'), join(staging, 'examples'), { recursive: true });
  const outputs = Object.fromEntries(
    filesUnder(staging).map((file) => [relative(staging, file), digest(readFileSync(file))]),
  );
  writeFileSync(join(staging, 'build.json'), `${JSON.stringify({ inputs, outputs }, null, 2)}\n`);
  moveIntoPlace();
}

/** Of two builds at once the first to arrive wins; the other's result is the same. */
function moveIntoPlace() {
  const old = `${dist}.old-${process.pid}`;
  try {
    if (existsSync(dist)) renameSync(dist, old);
    renameSync(staging, dist);
  } catch (failure) {
    rmSync(staging, { recursive: true, force: true });
    if (!isUpToDate(inputs)) throw failure;
  }
  rmSync(old, { recursive: true, force: true });
}

/** No inline script or style: the page's policy allows only its own files. */
async function buildPage(esbuild) {
  const from = join(root, 'packages/web/src');
  const entryPoints = { app: join(from, 'main.tsx') };
  const result = await esbuild.build({
    absWorkingDir: root,
    entryPoints,
    outdir: join(staging, 'web'),
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'browser',
    target: ['chrome120', 'firefox121', 'safari17'],
    conditions: ['source'],
    jsx: 'automatic',
    jsxImportSource: 'preact',
    legalComments: 'none',
    banner: { js: `/* source ${inputs} */`, css: `/* source ${inputs} */` },
    logLevel: 'warning',
    metafile: true,
  });
  const made = Object.keys(result.metafile.outputs);
  if (!made.some((path) => path.endsWith('app.css'))) {
    await esbuild.build({
      absWorkingDir: root,
      entryPoints: { app: join(from, 'app.css') },
      outdir: join(staging, 'web'),
      bundle: true,
      minify: true,
      banner: { css: `/* source ${inputs} */` },
      logLevel: 'warning',
    });
  }
  for (const name of readdirSync(from).filter((entry) => STATIC.test(entry))) {
    cpSync(join(from, name), join(staging, 'web', name));
  }
}

/** Our packages are part of the bundle; what npm installs is not. */
function othersStayImports() {
  return {
    name: 'others-stay-imports',
    setup(build) {
      build.onResolve({ filter: /^[^./]/ }, (found) => {
        if (found.kind === 'entry-point' || /^@quipu\//.test(found.path)) return undefined;
        // What is loaded on demand may be missing; the rest must be there for the bundle.
        if (found.kind !== 'dynamic-import' && !isInstalled(found.path)) {
          const text = `'${found.path}' is not found from packages/cli: run npm ci`;
          return { errors: [{ text }] };
        }
        return { path: found.path, external: true };
      });
    },
  };
}

/** A package must lie above the bundle, wherever in the workspaces it is asked for. */
function isInstalled(path) {
  if (path.startsWith('node:')) return true;
  const name = path.split('/', path.startsWith('@') ? 2 : 1).join('/');
  return [dirname(dist), dirname(dirname(dist)), root].some((folder) =>
    existsSync(join(folder, 'node_modules', name)),
  );
}

function isUpToDate(wanted) {
  const record = join(dist, 'build.json');
  if (!existsSync(record)) return false;
  const { inputs: had, outputs } = JSON.parse(readFileSync(record, 'utf8'));
  if (had !== wanted) return false;
  return Object.entries(outputs).every(([name, expected]) => {
    const file = join(dist, name);
    return existsSync(file) && digest(readFileSync(file)) === expected;
  });
}

function digestOfInputs() {
  const hash = createHash('sha256');
  const packages = readdirSync(join(root, 'packages')).sort();
  const files = [
    fileURLToPath(import.meta.url),
    join(root, 'package-lock.json'),
    ...packages.map((name) => join(root, 'packages', name, 'package.json')),
    ...packages.flatMap((name) => filesUnder(join(root, 'packages', name, 'src'))),
    ...filesUnder(join(root, 'examples')),
  ];
  for (const file of files) {
    if (!existsSync(file) || /\.test\.tsx?$/.test(file)) continue;
    hash
      .update(`${relative(root, file)}\0`)
      .update(readFileSync(file))
      .update('\0');
  }
  return hash.digest('hex');
}

function filesUnder(folder) {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}

function digest(bytes) {
  return createHash('sha256').update(bytes).digest('hex');
}
