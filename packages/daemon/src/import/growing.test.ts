/** A recorded session that is read while it grows is stored as when it is read at once. */
import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { assert } from '@quipu/base';
import { afterEach, expect, test } from 'vitest';
import { openLocal } from '../local.ts';
import { importTranscripts } from './import.ts';

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

const FIXTURES = resolve(import.meta.dirname, '../../../connectors/fixtures');
const SESSIONS = ['claude-code-2.1.332', 'codex-0.171.0', 'pi-1.6.0'].flatMap((program) =>
  readdirSync(join(FIXTURES, program, 'basic/home'), { recursive: true })
    .map((name) => join(FIXTURES, program, 'basic/home', String(name)))
    .filter((path) => path.endsWith('.jsonl'))
    .map((path) => [program.replace(/-[\d.]+$/, ''), path] as const),
);

/** What is stored after the pieces have been written and imported one by one. */
async function storedAfter(agent: string, name: string, pieces: readonly string[]) {
  const folder = mkdtempSync(join(tmpdir(), 'quipu-growing-'));
  folders.push(folder);
  mkdirSync(join(folder, 'in'));
  const path = join(folder, 'in', name);
  const opened = await openLocal({ directory: join(folder, 'data'), embeddings: 'none' });
  assert(opened.ok, 'a fresh store opens');
  const { importDeps, store, close } = opened.value;
  writeFileSync(path, '');
  for (const piece of pieces) {
    appendFileSync(path, piece);
    const environment = { home: folder, env: {}, platform: process.platform };
    const result = await importTranscripts(importDeps, {
      agents: [agent],
      paths: [path],
      environment,
    });
    assert(!result.ok || result.value.errors.length === 0, 'the import runs');
  }
  const stored = {
    parts: store.all('SELECT * FROM parts ORDER BY message_id, ordinal'),
    places: store.all('SELECT * FROM session_messages ORDER BY session_id, position'),
    passages: store.all('SELECT message_id, text FROM chunks ORDER BY message_id, id'),
  };
  await close();
  return stored;
}

test.each(SESSIONS)('%s, line by line', async (agent, path) => {
  const lines = readFileSync(path, 'utf8').split(/(?<=\n)/);
  expect(lines.length).toBeGreaterThan(3);
  const whole = await storedAfter(agent, basename(path), [lines.join('')]);
  expect(whole.parts.length).toBeGreaterThan(2);
  expect(await storedAfter(agent, basename(path), lines)).toEqual(whole);
});
