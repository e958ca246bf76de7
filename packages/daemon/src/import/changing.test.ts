/** Files that change while they are read, and what is left in the store of what was forgotten. */
import {
  appendFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { assert } from '@quipu/base';
import { AGENTS, type FoundSource } from '@quipu/connectors';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Local, openLocal } from '../local.ts';
import { importTranscripts } from './import.ts';
import { importSource } from './import-source.ts';

let folder: string;
let local: Local;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'quipu-changing-'));
  mkdirSync(join(folder, 'in'));
  const opened = await openLocal({ directory: join(folder, 'data'), embeddings: 'none' });
  assert(opened.ok, 'a fresh store opens');
  local = opened.value;
});
afterEach(async () => {
  await local.close();
  rmSync(folder, { recursive: true, force: true });
});

const MESSAGES = 450;
const lines = (text: string, from = 0): string =>
  Array.from({ length: MESSAGES }, (_, at) => {
    const id = `m${from + at}`;
    return `${JSON.stringify({ project: 'p', session: 's', id, role: 'user', text })}\n`;
  }).join('');

async function importAll(agent: string): Promise<void> {
  const result = await importTranscripts(local.importDeps, {
    agents: [agent],
    paths: [join(folder, 'in')],
    environment: { home: folder, env: {}, platform: process.platform },
  });
  assert(result.ok && result.value.errors.length === 0, 'the import runs');
}

/** Imports the file, and does this once its first record has been read. */
async function importWhile(path: string, meanwhile: () => void): Promise<void> {
  const entry = AGENTS.find((each) => each.name === 'generic');
  assert(entry !== undefined, 'there is a generic reader');
  const { feed } = entry.reader;
  const disturbed: typeof feed = async function* (...given) {
    let first = true;
    for await (const record of feed(...given)) {
      if (first) meanwhile();
      first = false;
      yield record;
    }
  };
  const source: FoundSource = { agent: 'generic', path, feed: 'lines', part: '' };
  const reader = { ...entry.reader, feed: disturbed };
  await importSource(local.importDeps, { ...entry, reader }, source, {});
}

const countOf = (text: string): unknown =>
  local.store.get('SELECT count(*) AS n FROM parts WHERE text = ?', [text])?.['n'];

const CHANGES: [name: string, change: (path: string) => void][] = [
  ['written over', (path) => writeFileSync(path, lines('newer'))],
  [
    'replaced by another',
    (path) => {
      writeFileSync(`${path}.tmp`, lines('newer'));
      renameSync(`${path}.tmp`, path);
    },
  ],
];

test.each(CHANGES)(
  'a file %s while it is read is read anew, and nothing is lost',
  async (_, change) => {
    const path = join(folder, 'in', 'a.jsonl');
    writeFileSync(path, lines('old'));
    await importWhile(path, () => change(path));
    await importAll('generic');
    expect(countOf('newer')).toBe(MESSAGES);
  },
);

test('a file that only grows while it is read is read on', async () => {
  const path = join(folder, 'in', 'a.jsonl');
  writeFileSync(path, lines('old'));
  await importWhile(path, () => appendFileSync(path, lines('old', MESSAGES)));
  const cursor = local.store.get('SELECT position FROM sources');
  expect(cursor?.['position']).toBe(readFileSync(path).length);
  expect(countOf('old')).toBe(2 * MESSAGES);
});

test('of a forgotten session no text is left, nor after another import', async () => {
  const fixture = '../../../connectors/fixtures/claude-code-2.1.332/basic/home/.claude/projects';
  cpSync(resolve(import.meta.dirname, fixture), join(folder, 'in'), { recursive: true });
  await importAll('claude-code');
  const last = local.store.get(
    `SELECT sm.session_id, p.text FROM parts p JOIN session_messages sm USING (message_id)
     WHERE p.type = 'text' ORDER BY sm.position DESC LIMIT 1`,
  );
  const words = String(last?.['text']).slice(0, 30);
  const filesWith = (text: string): string[] =>
    readdirSync(local.store.path.replace(/[^/\\]+$/, ''), { withFileTypes: true })
      .filter((entry) => entry.isFile())
      .filter((entry) => readFileSync(join(entry.parentPath, entry.name)).includes(text))
      .map((entry) => entry.name);
  expect(filesWith(words)).not.toEqual([]);
  expect(local.memory.forget(String(last?.['session_id'])).ok).toBe(true);
  expect(filesWith(words)).toEqual([]);
  for (let turn = 0; turn < 2; turn += 1) {
    await importAll('claude-code');
    expect(filesWith(words)).toEqual([]);
  }
});
