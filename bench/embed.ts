/**
 * The local embedder: how fast in each runtime, how soon, how large.
 *
 * Decides: what is measured. Texts are generated, with the lengths of chunks of transcripts (median
 * about 110 tokens). "First" is from an empty process to the first vector, with the model converted
 * and cached already, and, once, with neither. Resident memory is the worker's own high-water mark,
 * read from /proc, and absent where there is none.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { assert, seededRandom } from '@quipu/base';
import { createEmbedder, type Embedder, type Runtime } from '@quipu/embed';
import { realKernel } from '@quipu/kernel';
import { percentile } from './measures.ts';

export type EmbedFigures = {
  readonly runtime: Runtime;
  readonly threads: number;
  readonly firstUncachedMs: number;
  readonly firstMs: number;
  readonly queryP50Ms: number;
  readonly queryP95Ms: number;
  readonly textsPerSecond: number;
  readonly charsPerSecond: number;
  readonly queryUnderLoadP95Ms: number;
  readonly workerPeakMib: number | null;
};

const WARM_UP_TEXTS = 100;
const TEXTS = 600;
const QUERIES = 60;
const THREADS = [1, 2] as const;
const MIB = 1024 * 1024;

const WORDS = (
  'the daemon waits for a lock on data directory when another process holds it and then retries ' +
  'with back-off until timeout error TypeError undefined function returns const await path ' +
  'packages/store/src/open.ts test failed expected received migration schema version we decided ' +
  'user asked why does not work index query session message token project git branch commit'
).split(' ');

/** Prints the figures: a table, or with `json` one JSON object. */
export async function run({ json }: { readonly json: boolean }): Promise<object> {
  const figures: EmbedFigures[] = [];
  for (const runtime of ['native', 'wasm'] as const) {
    for (const threads of THREADS) figures.push(await measureRuntime(runtime, threads));
  }
  if (json) return { name: 'embed', figures };
  process.stdout.write(
    'runtime threads  first(cold) first  query p50/p95  loaded p95  texts/s  peak\n',
  );
  for (const f of figures) {
    const columns = [
      f.runtime.padEnd(7),
      `${f.threads}`.padStart(7),
      `${ms(f.firstUncachedMs)}`.padStart(12),
      `${ms(f.firstMs)}`.padStart(6),
      `${f.queryP50Ms.toFixed(1)}/${f.queryP95Ms.toFixed(1)} ms`.padStart(13),
      `${ms(f.queryUnderLoadP95Ms)}`.padStart(11),
      f.textsPerSecond.toFixed(0).padStart(8),
      f.workerPeakMib === null ? 'unknown' : `${f.workerPeakMib.toFixed(0)} MiB`,
    ];
    process.stdout.write(`${columns.join(' ')}\n`);
  }
  return { name: 'embed', figures };
}

async function measureRuntime(runtime: Runtime, threads: number): Promise<EmbedFigures> {
  const directory = mkdtempSync(join(tmpdir(), 'quipu-bench-embed-'));
  const open = (): Embedder =>
    createEmbedder({
      kernel: realKernel(),
      directory,
      forceRuntime: runtime,
      intraOpThreads: threads,
    });
  try {
    const firstUncachedMs = await firstVectorMs(open);
    const firstMs = await firstVectorMs(open);
    const embedder = open();
    const texts = chunks(TEXTS);
    await embedder.embed(chunks(WARM_UP_TEXTS));
    const alone = await queryTimes(embedder);
    const started = performance.now();
    const result = await embedder.embed(texts);
    const seconds = (performance.now() - started) / 1000;
    assert(result.ok, 'the texts are embedded');
    const load = embedder.embed(chunks(TEXTS));
    const loaded = await queryTimes(embedder);
    await load;
    const workerPeakMib = childPeakMib();
    await embedder.close();
    return {
      runtime,
      threads,
      firstUncachedMs,
      firstMs,
      queryP50Ms: percentile(alone, 0.5),
      queryP95Ms: percentile(alone, 0.95),
      textsPerSecond: TEXTS / seconds,
      charsPerSecond: texts.join('').length / seconds,
      queryUnderLoadP95Ms: percentile(loaded, 0.95),
      workerPeakMib,
    };
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

async function firstVectorMs(open: () => Embedder): Promise<number> {
  const started = performance.now();
  const embedder = open();
  const result = await embedder.embed(['what did we decide about the lock?'], {
    priority: 'query',
  });
  const elapsed = performance.now() - started;
  assert(result.ok, 'the first text is embedded');
  await embedder.close();
  return elapsed;
}

async function queryTimes(embedder: Embedder): Promise<number[]> {
  const times: number[] = [];
  for (let i = 0; i < QUERIES; i += 1) {
    const started = performance.now();
    const vector = await embedder.embedQueryNow(`why does test ${i} fail when the lock is held`);
    assert(vector !== undefined, 'the worker is ready');
    times.push(performance.now() - started);
  }
  return times;
}

/** Passages of 20 to 160 words; the same ones every time. */
function chunks(count: number): string[] {
  const random = seededRandom(count);
  return Array.from({ length: count }, () =>
    Array.from({ length: 20 + random.below(140) }, () => random.pick(WORDS)).join(' '),
  );
}

/** The largest resident size that any child of this process reached. */
function childPeakMib(): number | null {
  if (process.platform !== 'linux') return null;
  const sizes = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((pid) => statusOf(pid))
    .filter((status) => field(status, 'PPid') === process.pid)
    .map((status) => (field(status, 'VmHWM') * 1024) / MIB);
  return sizes.length === 0 ? null : Math.max(...sizes);
}

/** Empty for a process that ended meanwhile. */
function statusOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/status`, 'utf8');
  } catch {
    return '';
  }
}

function field(status: string, name: string): number {
  return Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status)?.[1] ?? 0);
}

function ms(value: number): string {
  return `${value.toFixed(0)} ms`;
}
