/** Secrets on their way into the store: in prompts, calls, results, titles, and parser states. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { digestOf } from '@quipu/base';
import type { Part, TranscriptEvent } from '@quipu/store';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type GeneratedSecret, generateSecrets } from '../secrets/generated-secrets.ts';
import { said, type TestMemory, testMemory } from '../testing/world.ts';

let world: TestMemory;
beforeEach(async () => {
  world = await testMemory();
});
afterEach(() => world.close());

const onDisk = (): string =>
  readdirSync(world.directory)
    .map((name) => readFileSync(join(world.directory, name)).toString('latin1'))
    .join('\n');

/** Kinds of which a 12-character piece is found; one pass over the files for all secrets. */
function left(secrets: readonly GeneratedSecret[], haystack: string): string[] {
  const pieces = new Map<string, string>();
  for (const secret of secrets) {
    for (const mark of secret.marks) {
      for (let at = 0; at + PIECE <= mark.length; at += 1) {
        pieces.set(mark.slice(at, at + PIECE), secret.kind);
      }
    }
  }
  const found = new Set<string>();
  for (let at = 0; at + PIECE <= haystack.length; at += 1) {
    const kind = pieces.get(haystack.slice(at, at + PIECE));
    if (kind !== undefined) found.add(kind);
  }
  return [...found];
}

const PIECE = 12;

function placed(secret: GeneratedSecret, at: number): readonly Part[] {
  const callId = `call_${String(at).padStart(12, '0')}`;
  switch (at % 3) {
    case 0:
      return [{ type: 'text', text: secret.text }];
    case 1:
      return [{ type: 'tool_result', callId, tool: 'sh', text: secret.text, isError: false }];
    default:
      return [{ type: 'tool_call', callId, tool: 'sh', input: secret.text }];
  }
}

test('of 980 secrets of 49 kinds no piece is left in any file (Verifies: MEMORY-3)', () => {
  const secrets = generateSecrets(4711, 20);
  expect(secrets.length).toBeGreaterThanOrEqual(500);
  expect(new Set(secrets.map((secret) => secret.kind)).size).toBeGreaterThanOrEqual(25);
  const pass = world.memory.admission.begin({ agent: 'codex', path: '/t', part: '' });
  let redacted = 0;
  secrets.forEach((secret, at) => {
    const events: TranscriptEvent[] = [
      { type: 'session', externalId: `s${at}`, title: secret.text.slice(0, 4_000) },
      said(`s${at}`, 'user', placed(secret, at)),
    ];
    const parser = { held: [{ text: secret.text }] };
    const cursor = {
      position: at,
      prefixDigest: '',
      size: at,
      mtimeMs: 0,
      readerVersion: 1,
      parser,
    };
    const outcome = world.memory.admission.admit({ pass, events, projects: new Map(), cursor });
    redacted += Object.values(outcome.redactedByKind).reduce((sum, n) => sum + n, 0);
  });
  expect(redacted).toBeGreaterThanOrEqual(secrets.length);
  expect(left(secrets, onDisk())).toEqual([]);
}, 120_000);

test('the search for pieces finds what is there: a store without the redactor fails it', () => {
  const secrets = generateSecrets(4711, 1);
  for (const [at, secret] of secrets.entries()) {
    world.store.run('INSERT INTO settings (key, value) VALUES (?, ?)', [`k${at}`, secret.text]);
  }
  expect(left(secrets, onDisk()).length).toBeGreaterThan(secrets.length / 2);
});

test('scrub applies new rules to old text; the old bytes are gone from every file', async () => {
  const [secret] = generateSecrets(99, 1).filter((each) => each.kind.includes('github'));
  if (secret === undefined) throw new Error('the generator makes a GitHub token');
  world.admit([
    { type: 'session', externalId: 'a' },
    said('a', 'user', 'a harmless text about zanzibar'),
  ]);
  // As an older version would have stored it: text, index and title.
  const id = String(world.store.get('SELECT id FROM messages')?.['id']);
  world.store.transaction(() => {
    world.store.run('UPDATE parts SET text = ? WHERE message_id = ?', [secret.text, id]);
    world.store.run('UPDATE sessions SET title = ?', [secret.text]);
  });
  world.store.exec("UPDATE settings SET value = '0' WHERE key = 'redactor_version'");
  expect(world.memory.needsScrub()).toBe(true);
  expect(left([secret], onDisk())).toHaveLength(1);
  const report = await world.memory.scrub();
  expect(report).toMatchObject({ complete: true, changed: 1 });
  expect(world.memory.needsScrub()).toBe(false);
  expect(left([secret], onDisk())).toEqual([]);
});

const tokenOf = (mark: string): string => `ghp_${mark.repeat(3)}`;

test('a secret in a name, an id or a place is in no file (Verifies: MEMORY-3)', () => {
  const marks = Array.from({ length: 17 }, (_, i) => `q${String.fromCharCode(97 + i)}Z7yX6wV5u4`);
  const take = marks.map((mark) => `x ${tokenOf(mark)}`);
  const next = (): string => take.pop() ?? '';
  const session = next();
  const evidence = { name: next(), root: next(), remote: next(), keys: [next(), next()] };
  const call = { callId: next(), tool: next() };
  const events: TranscriptEvent[] = [
    {
      type: 'session',
      externalId: session,
      project: next(),
      gitBranch: next(),
      model: next(),
      agentVersion: next(),
      parent: { externalId: next(), kind: 'subagent' },
    },
    {
      type: 'message',
      sessionExternalId: session,
      externalId: next(),
      idScope: 'session',
      role: 'assistant',
      author: next(),
      at: undefined,
      model: next(),
      parts: [{ type: 'tool_call', ...call, input: 'ls' }],
    },
  ];
  const pass = world.memory.admission.begin({ agent: 'codex', path: '/t', part: '' });
  const projects = new Map([[session, evidence]]);
  const parser = { calls: { [next()]: 1 } };
  const cursor = { ...CURSOR, parser };
  const outcome = world.memory.admission.admit({ pass, events, projects, cursor });
  expect(outcome).toMatchObject({ sessions: 1, messages: 1 });
  expect(take).toEqual([]);
  const disk = onDisk().toLowerCase();
  expect(marks.filter((mark) => disk.includes(mark.toLowerCase()))).toEqual([]);
});

test('two ids whose secrets are of one kind stay two', () => {
  const ids = ['qyZ7yX6wV5u4', 'qzZ7yX6wV5u4'].map(tokenOf);
  const events = ids.flatMap((id): TranscriptEvent[] => [
    { type: 'session', externalId: id },
    said(id, 'user', 'the same words', { externalId: `m ${id}` }),
  ]);
  expect(world.admit(events)).toMatchObject({ sessions: 2, messages: 2 });
  expect(world.admit(events)).toMatchObject({ sessions: 0, messages: 0, duplicates: 2 });
});

test('a value that one text of a state names is in none of its other texts', () => {
  const pass = world.memory.admission.begin({ agent: 'codex', path: '/t', part: '' });
  const parser = {
    open: [{ text: 'set password=hunter2verylong' }, { text: 'I typed hunter2verylong' }],
  };
  world.memory.admission.admit({
    pass,
    events: [],
    projects: new Map(),
    cursor: { ...CURSOR, parser },
  });
  expect(onDisk()).toContain('I typed [redacted');
  expect(onDisk()).not.toContain('hunter2verylong');
});

test('a note is identified by what is kept of it, never by a digest of its secret', () => {
  const text = 'the door: password=hunter2verylong';
  const noted = world.memory.remember({ text });
  if (!noted.ok) throw new Error('a note is kept');
  expect(noted.value.externalId).not.toBe(digestOf(text));
  expect(onDisk()).not.toContain(digestOf(text));
});

test('a note with a NUL in it is kept without', () => {
  const noted = world.memory.remember({ text: 'tea\0time', author: 'a\0b' });
  expect(noted).toMatchObject({ ok: true, value: { parts: [{ text: 'teatime' }], author: 'ab' } });
});

test.each(['session', 'message'])('a forgotten %s is in no state of a reader either', (kind) => {
  const pass = world.memory.admission.begin({ agent: 'codex', path: '/t', part: '' });
  const events: TranscriptEvent[] = [said('s', 'user', [{ type: 'text', text: 'zanzibar tea' }])];
  const cursor = { ...CURSOR, parser: { open: [{ text: 'zanzibar tea' }] } };
  world.memory.admission.admit({ pass, events, projects: new Map(), cursor });
  const id = world.store.get(`SELECT id FROM ${kind}s`)?.['id'];
  expect(onDisk()).toContain('zanzibar');
  expect(world.memory.forget(String(id)).ok).toBe(true);
  expect(onDisk()).not.toContain('zanzibar');
});

const CURSOR = { position: 1, prefixDigest: '', size: 1, mtimeMs: 0, readerVersion: 1 };
