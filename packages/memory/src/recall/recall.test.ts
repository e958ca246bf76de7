/** Claims about recall over a real store: sums, filters, edges of the query. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { seededRandom } from '@quipu/base';
import { testKernel } from '@quipu/kernel';
import { openStore, type Store } from '@quipu/store';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Hit, RecallRequest } from '../shapes.ts';
import { indexMessage, unindexMessage } from './indexing.ts';
import { recall } from './recall.ts';
import { pendingChunks, storeVectors } from './vectors.ts';

const NOW = Date.UTC(2026, 10, 20, 12);
const DIMENSIONS = 64;
let directory: string;
let store: Store;
const kernel = testKernel({ seed: 1, startMs: NOW });

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'quipu-recall-'));
  const opened = await openStore({ directory, kernel });
  if (!opened.ok) throw new Error(opened.error.message);
  store = opened.value;
});
afterEach(() => {
  store.close();
  rmSync(directory, { recursive: true, force: true });
});

let count = 0;
function add(project: string, session: string, text: string, at = NOW, type = 'text'): string {
  store.run(
    `INSERT OR IGNORE INTO projects (id, name, root, remote, created_at)
     VALUES (?, ?, NULL, NULL, 0)`,
    [`prj_${project}`, project],
  );
  store.run(
    `INSERT INTO sessions (id, agent, external_id, project_id, started_at, ended_at)
     VALUES (?, 'codex', ?, ?, ?, ?) ON CONFLICT DO UPDATE SET
       started_at = min(started_at, excluded.started_at),
       ended_at = max(ended_at, excluded.ended_at)`,
    [`ses_${session}`, session, `prj_${project}`, at, at],
  );
  count += 1;
  const id = `msg_${count}`;
  store.transaction(() => {
    store.run(
      `INSERT INTO messages (id, session_id, external_id, role, author, at, digest)
       VALUES (?, ?, ?, 'user', '', ?, ?)`,
      [id, `ses_${session}`, id, at, id],
    );
    store.run(
      `INSERT INTO session_messages (session_id, position, message_id)
       VALUES (?, (SELECT count(*) FROM session_messages WHERE session_id = ?), ?)`,
      [`ses_${session}`, `ses_${session}`, id],
    );
    store.run(
      `INSERT INTO parts (message_id, ordinal, type, text, tool, call_id, is_error, extra)
       VALUES (?, 0, ?, ?, '', '', 0, '')`,
      [id, type, text],
    );
    indexMessage(store, id);
  });
  return id;
}

/** A vector that depends on the letters of a text: near texts are near. */
function letters(text: string): Float32Array {
  const vector = new Float32Array(DIMENSIONS);
  for (const c of text.toLowerCase()) {
    const at = c.charCodeAt(0) % DIMENSIONS;
    vector[at] = (vector[at] ?? 0) + 1;
  }
  return vector;
}
const embedder = { model: 'letters', embed: async (text: string) => letters(text) };

function embedAll(): void {
  const rows = pendingChunks(store, { model: 'letters', limit: 1_000 });
  storeVectors(
    store,
    'letters',
    rows.map((row) => ({ chunkId: row.id, text: row.text, vector: letters(row.text) })),
  );
}

async function ask(request: RecallRequest | string, vectors = false) {
  const full = typeof request === 'string' ? { query: request } : request;
  const answer = await recall({ store, kernel, ...(vectors ? { embedder } : {}) }, full);
  if (!answer.ok) throw new Error(answer.error.message);
  return answer.value;
}
const ids = (hits: readonly Hit[]): string[] => hits.map((hit) => hit.id);

const WORDS = 'retry upload cache parser index token queue worker socket schema deploy build'.split(
  ' ',
);

function addRandom(messages: number, projects: number): void {
  const random = seededRandom(7);
  for (let i = 0; i < messages; i += 1) {
    const project = `p${i % projects}`;
    const text = Array.from({ length: 3 + random.below(12) }, () => random.pick(WORDS)).join(' ');
    add(project, `${project}s${random.below(3)}`, `${text} number ${i}`);
  }
}

test('a score is the sum of its terms, raw · scale + offset (Verifies: MEMORY-9)', async () => {
  addRandom(60, 1);
  embedAll();
  for (const vectors of [false, true]) {
    const { hits } = await ask('why did the upload retry the queue?', vectors);
    expect(hits.length).toBe(10);
    for (const hit of hits) {
      const sum = hit.why.terms.reduce((total, term) => total + term.value, 0);
      expect(sum).toBeCloseTo(hit.score, 9);
      for (const term of hit.why.terms) {
        expect(term.value).toBeCloseTo(term.raw * term.scale + term.offset, 9);
      }
      const signals = hit.why.terms.map((term) => term.signal);
      expect(signals).toContain('words');
      expect(signals.includes('vector-centred')).toBe(vectors);
    }
    expect(hits.map((hit) => hit.score)).toEqual(
      hits.map((hit) => hit.score).sort((a, b) => b - a),
    );
  }
});

test('a project filter lets no other project through (Verifies: MEMORY-8)', async () => {
  addRandom(120, 3);
  embedAll();
  for (const vectors of [false, true]) {
    const { hits } = await ask({ query: 'retry upload', project: 'p1', limit: 200 }, vectors);
    expect(hits.length).toBeGreaterThan(0);
    expect(new Set(hits.map((hit) => hit.project))).toEqual(new Set(['p1']));
  }
  const own = add('p1', 'p1s0', 'the heliotrope marker');
  for (let i = 0; i < 50; i += 1) add('p0', 'p0s0', `heliotrope heliotrope ${i}`);
  expect(ids((await ask({ query: 'heliotrope', project: 'p1', limit: 1 })).hits)).toEqual([own]);
});

test('no filter lets through what it names otherwise (Verifies: MEMORY-8)', async () => {
  const said = add('p', 's', 'upload as text');
  add('p', 's', 'upload as output', NOW, 'tool_result');
  const other = add('p', 't', 'upload elsewhere');
  store.run("UPDATE chunks SET role = 'assistant' WHERE message_id = ?", [other]);
  store.run("UPDATE sessions SET agent = 'pi' WHERE id = 'ses_t'");
  const found = async (filter: Partial<RecallRequest>) =>
    ids((await ask({ query: 'upload', ...filter })).hits).sort();
  expect(await found({ kind: 'text' })).toEqual([said, other].sort());
  expect(await found({ role: 'assistant' })).toEqual([other]);
  expect(await found({ agent: 'pi' })).toEqual([other]);
  expect(await found({ session: 't' })).toEqual([other]);
  expect(await found({ session: 's', kind: 'text' })).toEqual([said]);
});

test('a filter within a shared session holds for messages of others too', async () => {
  const shared = add('p', 's', 'upload that both have');
  add('p', 's', 'upload of the parent alone');
  const own = add('p', 'fork', 'upload of the fork');
  store.run("UPDATE session_messages SET position = 1 WHERE session_id = 'ses_fork'");
  store.run('INSERT INTO session_messages (session_id, position, message_id) VALUES (?, 0, ?)', [
    'ses_fork',
    shared,
  ]);
  const { hits } = await ask({ query: 'upload', session: 'fork' });
  expect(ids(hits).sort()).toEqual([shared, own].sort());
});

test('equals stand newest first, then in the order of storing (Verifies: MEMORY-10)', async () => {
  const texts = ['upload ab', 'upload cd', 'upload ef', 'upload gh', 'upload ij', 'upload kl'];
  const stored = texts.map((text, i) => add('p', `s${i}`, text, NOW - (i % 2) * 1_000));
  const [a, b, c, d, e, f] = stored;
  expect(ids((await ask('upload')).hits)).toEqual([a, c, e, b, d, f]);
});

test('a question for a time alone is answered from the project alone', async () => {
  const inMay = Date.UTC(2026, 4, 18);
  for (let i = 0; i < 1_001; i += 1) add('p', 's', `remark ${i}`);
  const own = add('p', 's', 'the quiet decision', inMay);
  for (let i = 0; i < 201; i += 1) add('q', 't', `remark ${i}`, inMay - 1_000);
  expect(ids((await ask({ query: 'in May', project: 'p' })).hits)).toEqual([own]);
});

test('a moved session is found under its new project at once', async () => {
  const id = add('old', 's', 'the heliotrope marker');
  add('new', 't', 'something else');
  store.run("UPDATE sessions SET project_id = 'prj_new' WHERE id = 'ses_s'");
  expect(ids((await ask({ query: 'heliotrope', project: 'new' })).hits)).toEqual([id]);
  expect((await ask({ query: 'heliotrope', project: 'old' })).hits).toEqual([]);
});

test('the same question twice gives the same order (Verifies: MEMORY-10)', async () => {
  addRandom(80, 2);
  embedAll();
  const first = await ask({ query: 'parser token', limit: 50 }, true);
  const second = await ask({ query: 'parser token', limit: 50 }, true);
  expect(ids(second.hits)).toEqual(ids(first.hits));
});

test('what was taken out of the index is not found, by words or by vectors', async () => {
  const id = add('p', 's', 'the heliotrope marker');
  add('p', 's', 'another line about the marker');
  embedAll();
  store.transaction(() => unindexMessage(store, id));
  expect(ids((await ask('heliotrope marker', true)).hits)).not.toContain(id);
  expect(store.get('SELECT count(*) AS n FROM chunk_vectors')).toEqual({ n: 1 });
});

test('a vector is not kept for a passage that says something else by now', () => {
  const id = add('p', 's', 'what was said first');
  const [asked] = pendingChunks(store, { model: 'letters', limit: 1 });
  store.transaction(() => {
    unindexMessage(store, id);
    store.run("UPDATE parts SET text = 'what was said in the end' WHERE message_id = ?", [id]);
    indexMessage(store, id);
  });
  const [now] = pendingChunks(store, { model: 'letters', limit: 1 });
  expect(now?.id).toBe(asked?.id);
  const { id: chunkId, text } = asked ?? { id: 0, text: '' };
  expect(storeVectors(store, 'letters', [{ chunkId, text, vector: letters(text) }])).toBe(0);
  expect(pendingChunks(store, { model: 'letters', limit: 1 })).toEqual([now]);
});

test.each([
  ['parse HTTP header', 'call parseHTTPHeader first'],
  ['parseHTTPHeader', 'call parseHTTPHeader first'],
  ['max_retry_count', 'set max_retry_count to 3'],
  ['src/upload/retry.ts', 'edited src/upload/retry.ts:42'],
  ['retry.ts', 'edited src/upload/retry.ts:42'],
  ['ERR_MODULE_NOT_FOUND', 'it says ERR_MODULE_NOT_FOUND'],
  ['TS2345', 'error TS2345: argument'],
  ['東京', '来週東京に行く予定'],
  ['設定ファイル', '設定ファイルを変更した'],
  ['eliotro', 'the heliotrope marker'],
  ['"the heliotrope marker"', 'see the Heliotrope  marker there'],
])('%s finds what it names', async (query, text) => {
  const id = add('p', 's', text);
  for (let i = 0; i < 5; i += 1) add('p', `o${i}`, `an unrelated remark about lunch ${i}`);
  expect(ids((await ask(query)).hits)[0]).toBe(id);
});

test.each(['', '   ', '?!…', '""', '-'])(
  'a query without a word (%j) is refused',
  async (query) => {
    const answer = await recall({ store, kernel }, { query });
    expect(answer).toMatchObject({ ok: false, error: { kind: 'bad-request' } });
  },
);

test.each([{ limit: -1 }, { limit: 1.5 }, { kind: 'poem' }, { before: 'soonish' }, { tokens: 0 }])(
  'a request that makes no sense (%j) is refused',
  async (bad) => {
    const answer = await recall({ store, kernel }, { query: 'upload', ...bad });
    expect(answer).toMatchObject({ ok: false, error: { kind: 'bad-request' } });
  },
);

test('a filter that matches nothing says which', async () => {
  add('p', 's', 'upload');
  const { hits, notes } = await ask({ query: 'upload', project: 'nowhere' });
  expect(hits).toEqual([]);
  expect(notes.join(' ')).toContain("'nowhere'");
  expect((await ask('upload agent:none')).notes.join(' ')).toContain("'none'");
});

test('dates bound the answer, exclusive before and inclusive after', async () => {
  const old = add('p', 's', 'upload one', Date.UTC(2026, 4, 7));
  const late = add('p', 's', 'upload two', Date.UTC(2026, 4, 8));
  expect(ids((await ask({ query: 'upload', before: '2026-05-08' })).hits)).toEqual([old]);
  expect(ids((await ask({ query: 'upload after:2026-05-08' })).hits)).toEqual([late]);
});

test('a token budget cuts, even where the text looks like a control token', async () => {
  add('p', 's', `upload <|endoftext|> ${'very long text '.repeat(20)}`);
  add('p', 's', 'upload again');
  const { hits, notes } = await ask({ query: 'upload', tokens: 12 });
  expect(hits.length).toBeGreaterThan(0);
  expect(hits.reduce((sum, hit) => sum + hit.text.length, 0)).toBeLessThan(120);
  expect(notes.length).toBeGreaterThan(0);
});

test('a hit beyond the ranked part of a long output is found as a substring', async () => {
  const lines = Array.from({ length: 20_000 }, (_, i) => `line ${i} is quiet`);
  lines[9_000] = 'here stands the zygomorphic clue';
  const id = add('p', 's', lines.join('\n'), NOW, 'tool_result');
  const [hit] = (await ask('zygomorphic')).hits;
  expect(hit?.id).toBe(id);
  expect(
    Number(store.get('SELECT count(*) AS n FROM chunks WHERE ranked = 1')?.['n']),
  ).toBeLessThan(40);
});

test('very long queries and queries of stop words alone are answered', async () => {
  add('p', 's', 'upload');
  expect((await ask(`upload ${'word '.repeat(400)}`)).hits.length).toBe(1);
  expect((await ask('what is it')).hits).toEqual([]);
});

test('what another connection moves, and what is added, is in the very next answer', async () => {
  addRandom(40, 2);
  const of = async (project: string): Promise<string[]> => {
    const { hits } = await ask({ query: 'upload retry cache parser index', project, limit: 50 });
    return hits.map((hit) => hit.sessionExternalId);
  };
  expect(await of('p1')).not.toContain('p0s0');
  const opened = await openStore({ directory, kernel: testKernel() });
  if (!opened.ok) throw new Error(opened.error.message);
  opened.value.run(
    `UPDATE sessions SET project_id = (SELECT id FROM projects WHERE name = 'p1')
     WHERE external_id = 'p0s0'`,
    [],
  );
  opened.value.close();
  expect(await of('p1')).toContain('p0s0');
  add('p1', 'fresh', 'the zeppelin of the upload has landed');
  expect(await of('p1')).toContain('fresh');
});
