/** Import from files: grown, rewritten, copied, torn, stopped. */
import {
  appendFileSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { assert } from '@quipu/base';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Local, openLocal } from '../local.ts';
import { type ImportResult, importTranscripts } from './import.ts';

let folder: string;
let local: Local;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'quipu-import-'));
  mkdirSync(join(folder, 'in'));
  const opened = await openLocal({ directory: join(folder, 'data'), embeddings: 'none' });
  assert(opened.ok, 'a fresh store opens');
  local = opened.value;
});
afterEach(async () => {
  await local.close();
  rmSync(folder, { recursive: true, force: true });
});

const file = (name: string): string => join(folder, 'in', name);

const at = '2026-01-01T00:00:00Z';
const line = (id: number, text: string, session = 's'): string =>
  `${JSON.stringify({ project: 'p', session, id: `m${id}`, at, role: 'user', text })}\n`;

async function importPath(path: string): Promise<ImportResult> {
  const result = await importTranscripts(local.importDeps, {
    agents: ['generic'],
    paths: [path],
    environment: { home: folder, env: {}, platform: process.platform },
  });
  assert(result.ok, 'the import runs');
  return result.value;
}

describe('what is new is added, exactly', () => {
  test('a file that did not change is not even read', async () => {
    writeFileSync(file('a.jsonl'), line(1, 'one') + line(2, 'two'));
    expect(await importPath(file('a.jsonl'))).toMatchObject({ messages: 2, unchangedSources: 0 });
    expect(await importPath(file('a.jsonl'))).toMatchObject({
      messages: 0,
      duplicates: 0,
      unchangedSources: 1,
    });
  });

  test('a file that grew is read on from where it ended', async () => {
    writeFileSync(file('a.jsonl'), line(1, 'one'));
    await importPath(file('a.jsonl'));
    appendFileSync(file('a.jsonl'), line(2, 'two'));
    expect(await importPath(file('a.jsonl'))).toMatchObject({ messages: 1, duplicates: 0 });
  });

  test('a torn last line waits for its end', async () => {
    const whole = line(2, 'two');
    writeFileSync(file('a.jsonl'), line(1, 'one') + whole.slice(0, 40));
    expect(await importPath(file('a.jsonl'))).toMatchObject({ messages: 1, skipped: 0 });
    appendFileSync(file('a.jsonl'), whole.slice(40));
    expect(await importPath(file('a.jsonl'))).toMatchObject({ messages: 1, skipped: 0 });
  });

  test('a rewrite in the middle is seen though size and time are as before', async () => {
    writeFileSync(file('a.jsonl'), line(1, 'one') + line(2, 'two') + line(3, 'six'));
    await importPath(file('a.jsonl'));
    const { atime, mtime } = statSync(file('a.jsonl'));
    writeFileSync(file('a.jsonl'), line(1, 'one') + line(2, 'ten') + line(3, 'six'));
    utimesSync(file('a.jsonl'), atime, mtime);
    expect(await importPath(file('a.jsonl'))).toMatchObject({
      messages: 0,
      updated: 1,
      duplicates: 2,
    });
  });

  test('a rewrite that also grew is not taken for growth', async () => {
    writeFileSync(file('a.jsonl'), line(1, 'one') + line(2, 'two'));
    await importPath(file('a.jsonl'));
    writeFileSync(file('a.jsonl'), line(1, 'new') + line(2, 'two') + line(3, 'six'));
    expect(await importPath(file('a.jsonl'))).toMatchObject({ messages: 1, updated: 1 });
  });

  test('a copy under another name adds nothing, and what it has more', async () => {
    writeFileSync(file('a.jsonl'), line(1, 'one') + line(2, 'two'));
    await importPath(file('a.jsonl'));
    copyFileSync(file('a.jsonl'), file('b.jsonl'));
    appendFileSync(file('b.jsonl'), line(3, 'six'));
    expect(await importPath(join(folder, 'in'))).toMatchObject({ messages: 1, duplicates: 2 });
  });

  test('an import stopped between batches goes on where it stopped', async () => {
    const many = Array.from({ length: 2_000 }, (_, at) => line(at, `text ${at}`)).join('');
    writeFileSync(file('a.jsonl'), many);
    const stop = new AbortController();
    const first = await importTranscripts(local.importDeps, {
      agents: ['generic'],
      paths: [file('a.jsonl')],
      environment: { home: folder, env: {}, platform: process.platform },
      signal: stop.signal,
      onProgress: () => stop.abort(),
    });
    assert(first.ok, 'the import runs');
    expect(first.value.complete).toBe(false);
    expect(first.value.messages).toBeGreaterThan(0);
    const rest = await importPath(file('a.jsonl'));
    expect(first.value.messages + rest.messages).toBe(2_000);
    expect(rest.duplicates).toBe(0);
  });
});

describe('cursor and content commit together (Verifies: MEMORY-5)', () => {
  const refuse = (table: string, when: string): void =>
    local.store.exec(
      `CREATE TEMP TRIGGER refused BEFORE INSERT ON main.${table} WHEN ${when}
       BEGIN SELECT RAISE(ABORT, 'refused'); END`,
    );
  const count = (table: string): unknown =>
    local.store.get(`SELECT count(*) AS n FROM ${table}`)?.['n'];

  test('where the cursor cannot be written, its messages are not there either', async () => {
    writeFileSync(file('a.jsonl'), Array.from({ length: 500 }, (_, i) => line(i, 'x')).join(''));
    refuse('sources', '1');
    await expect(importPath(file('a.jsonl'))).rejects.toThrow('refused');
    expect(count('messages')).toBe(0);
  });

  test('where a message cannot be written, the cursor stands before its batch', async () => {
    const lines = Array.from({ length: 1_000 }, (_, i) => line(i, 'x'));
    writeFileSync(file('a.jsonl'), lines.join(''));
    refuse('messages', "new.external_id = 'm500'");
    await expect(importPath(file('a.jsonl'))).rejects.toThrow('refused');
    const stored = Number(count('messages'));
    expect(stored).toBeGreaterThan(0);
    expect(local.store.get('SELECT position FROM sources')?.['position']).toBe(
      lines.slice(0, stored).join('').length,
    );
    local.store.exec('DROP TRIGGER temp.refused');
    const rest = await importPath(file('a.jsonl'));
    expect(rest).toMatchObject({ messages: 1_000 - stored, duplicates: 0 });
  });
});

test('CRLF, a BOM and invalid bytes are read; lines that are none are counted', async () => {
  const bytes = Buffer.concat([
    Buffer.from('\ufeff'),
    Buffer.from(line(1, 'café').replace('\n', '\r\n')),
    Buffer.from('not json\n\n[]\n'),
    Buffer.from(line(2, 'bad @ byte').replace('@', '\u0000'), 'latin1'),
    Buffer.from(line(3, 'x').replace('"x"', '"\xff\xfe"'), 'latin1'),
  ]);
  writeFileSync(file('a.jsonl'), bytes);
  const report = await importPath(file('a.jsonl'));
  expect(report.messages + report.skipped).toBe(5);
  expect(report.skippedByReason['invalid']).toBeGreaterThanOrEqual(2);
  const found = await local.memory.recall({ query: 'café' });
  expect(found.ok ? found.value.hits.map((hit) => hit.externalId) : []).toContain('m1');
});

test('what no reader claims is an error that names the agents', async () => {
  writeFileSync(file('x.txt'), 'hello\n');
  const result = await importTranscripts(local.importDeps, {
    paths: [file('x.txt')],
    environment: { home: folder, env: {}, platform: process.platform },
  });
  expect(result).toMatchObject({ ok: false, error: { kind: 'nothing-claimed' } });
});
