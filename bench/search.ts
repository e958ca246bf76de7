/**
 * Search time at 10,000 and 100,000 passages of generated agents' transcripts: words alone, with
 * vectors, with a project filter.
 *
 * Decides: the corpus is seeded; words follow a heavy-tailed distribution, identifiers and paths
 * among them; vectors are random unit vectors (their search costs what real ones cost). Queries are
 * drawn from the corpus' own words. The first query of each kind is reported apart: it reads what
 * the others find in the page cache.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { assert, derivedId, type Random, seededRandom } from '@quipu/base';
import { realKernel } from '@quipu/kernel';
import {
  indexMessage,
  pendingChunks,
  type RecallDeps,
  type RecallRequest,
  recall,
  storeVectors,
} from '@quipu/memory';
import { openStore, type Store } from '@quipu/store';
import { percentile } from './measures.ts';

const SIZES = [10_000, 100_000] as const;
const QUERIES = 60;
const DIMENSIONS = 512;
const SESSION_MESSAGES = 50;
const PROJECTS = 8;
const MODEL = 'bench';

type Figure = { readonly firstMs: number; readonly p50Ms: number; readonly p95Ms: number };

export async function run(options: { readonly json: boolean }): Promise<object> {
  const figures: Record<string, Record<string, Figure>> = {};
  for (const size of SIZES) {
    const folder = mkdtempSync(join(tmpdir(), 'quipu-bench-search-'));
    const opened = await openStore({ directory: join(folder, 'data'), kernel: realKernel() });
    assert(opened.ok, 'a fresh store opens');
    fill(opened.value, size);
    figures[String(size)] = await measureAll(opened.value, size, options.json);
    opened.value.close();
    rmSync(folder, { recursive: true, force: true });
  }
  return { name: 'search', figures };
}

async function measureAll(
  store: Store,
  size: number,
  json: boolean,
): Promise<Record<string, Figure>> {
  const kinds: Record<string, Partial<RecallRequest>> = {
    words: { mode: 'words' },
    'words, project': { mode: 'words', project: projectId(0) },
    vectors: {},
    'vectors, project': { project: projectId(0) },
  };
  const measured: Record<string, Figure> = {};
  for (const [name, request] of Object.entries(kinds)) {
    const figure = await measureKind(store, request);
    measured[name] = figure;
    if (json) continue;
    process.stdout.write(
      `${String(size).padStart(7)} ${name.padEnd(18)} p50 ${figure.p50Ms.toFixed(1)} ms  ` +
        `p95 ${figure.p95Ms.toFixed(1)} ms  first ${figure.firstMs.toFixed(0)} ms\n`,
    );
  }
  return measured;
}

async function measureKind(store: Store, request: Partial<RecallRequest>): Promise<Figure> {
  const random = seededRandom(99);
  const deps: RecallDeps = {
    store,
    kernel: realKernel(),
    embedder: { model: MODEL, embed: async () => unitVector(random) },
  };
  const times: number[] = [];
  for (let at = 0; at < QUERIES; at += 1) {
    const words = Array.from({ length: 3 + random.below(5) }, () => word(random));
    const started = performance.now();
    const answer = await recall(deps, { ...request, query: words.join(' ') });
    times.push(performance.now() - started);
    assert(answer.ok, 'every query is answered');
  }
  const [firstMs = Number.NaN, ...rest] = times;
  return { firstMs, p50Ms: percentile(rest, 0.5), p95Ms: percentile(rest, 0.95) };
}

const projectId = (at: number): string => derivedId('prj', 'bench', String(at));

function fill(store: Store, size: number): void {
  const random = seededRandom(5);
  for (let at = 0; at < PROJECTS; at += 1) {
    store.run('INSERT INTO projects (id, name, created_at) VALUES (?, ?, 0)', [
      projectId(at),
      `project-${at}`,
    ]);
  }
  for (let session = 0; session * SESSION_MESSAGES < size; session += 1) {
    store.transaction(() => writeSession(store, random, session));
  }
  for (;;) {
    const chunks = pendingChunks(store, { model: MODEL, limit: 500 });
    if (chunks.length === 0) return;
    const rows = chunks.map((chunk) => ({
      chunkId: chunk.id,
      text: chunk.text,
      vector: unitVector(random),
    }));
    storeVectors(store, MODEL, rows);
  }
}

function writeSession(store: Store, random: Random, session: number): void {
  const id = derivedId('ses', 'bench', String(session));
  const start = Date.UTC(2026, 0, 1) + session * 3_600_000;
  store.run(
    `INSERT INTO sessions (id, agent, external_id, project_id, started_at, ended_at)
     VALUES (?, 'generic', ?, ?, ?, ?)`,
    [id, String(session), projectId(session % PROJECTS), start, start + 3_000_000],
  );
  for (let position = 0; position < SESSION_MESSAGES; position += 1) {
    const message = derivedId('msg', id, String(position));
    store.run(
      `INSERT INTO messages (id, session_id, external_id, role, author, at, digest)
       VALUES (?, ?, ?, ?, '', ?, ?)`,
      [
        message,
        id,
        String(position),
        position % 2 ? 'assistant' : 'user',
        start + position,
        message,
      ],
    );
    store.run('INSERT INTO session_messages (session_id, position, message_id) VALUES (?, ?, ?)', [
      id,
      position,
      message,
    ]);
    const words = Array.from({ length: 8 + random.below(50) }, () => word(random));
    store.run(
      `INSERT INTO parts (message_id, ordinal, type, text, tool, call_id, is_error, extra)
       VALUES (?, 0, 'text', ?, '', '', 0, '')`,
      [message, `${words.join(' ')}.`],
    );
    indexMessage(store, message);
  }
}

/** Heavy-tailed: low numbers are common; some words are identifiers or paths. */
function word(random: Random): string {
  const rank = Math.floor(Math.exp(random.next() * Math.log(60_000)));
  const kind = random.next();
  if (kind < 0.05) return `src/part${rank % 97}/file${rank}.ts`;
  return kind < 0.12 ? `handleThing${rank}` : `w${rank.toString(36)}x`;
}

function unitVector(random: Random): Float32Array {
  const vector = Float32Array.from({ length: DIMENSIONS }, () => random.next() - 0.5);
  const norm = Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0));
  return vector.map((value) => value / norm);
}
