/** Several sources of one session: whichever is read on, a message has one place and one row. */
import type { SessionEvent, TranscriptEvent } from '@quipu/store';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { said, type TestMemory, testMemory, textsOf } from '../testing/world.ts';

let world: TestMemory;
beforeEach(async () => {
  world = await testMemory();
});
afterEach(() => world.close());

const session = (externalId: string, more: Partial<SessionEvent> = {}): SessionEvent => ({
  type: 'session',
  externalId,
  ...more,
});
const saying = (name: string, ...texts: string[]): TranscriptEvent[] =>
  texts.map((text) => said(name, 'user', text));
const texts = (name: string): string[] => textsOf(world.memory, world.store, name);
const count = (table: string): unknown =>
  world.store.get(`SELECT count(*) AS n FROM ${table}`)?.['n'];

const CURSOR = {
  position: 9,
  prefixDigest: '',
  size: 9,
  mtimeMs: 0,
  readerVersion: 1,
  parser: {},
};

/** Reads a file from its start, or on from where its cursor stands. */
function read(path: string, events: readonly TranscriptEvent[], how: 'anew' | 'on' = 'anew') {
  const { admission } = world.memory;
  const source = { agent: 'codex', path, part: '' };
  const pass = admission.begin(source, how === 'on' ? admission.cursor(source) : undefined);
  return admission.admit({ pass, events, projects: new Map(), cursor: CURSOR });
}

test('what a file gains goes to its end, though another file put messages before it', () => {
  read('/trimmed', [session('a'), ...saying('a', '3', '4')]);
  read('/whole', [session('a'), ...saying('a', '1', '2', '3')]);
  read('/trimmed', saying('a', '5'), 'on');
  expect(texts('a')).toEqual(['1', '2', '3', '4', '5']);
});

test('a repeated answer is not lost when another file put messages before it', () => {
  read('/trimmed', [session('a'), ...saying('a', 'yes', 'no', 'yes')]);
  read('/whole', [session('a'), ...saying('a', 'intro', 'yes', 'no', 'yes')]);
  expect(read('/trimmed', saying('a', 'yes'), 'on').messages).toBe(1);
  expect(texts('a')).toEqual(['intro', 'yes', 'no', 'yes', 'yes']);
});

test('a fork goes on repeating its parent, though the parent gained messages before', () => {
  const parent = { externalId: 'p', kind: 'fork' } as const;
  read('/p', [session('p'), ...saying('p', '1', '2', '3')]);
  read('/f', [session('f', { parent }), ...saying('f', '1')]);
  read('/p-whole', [session('p'), ...saying('p', '0', '1', '2', '3')]);
  expect(read('/f', saying('f', '2', '3'), 'on').messages).toBe(0);
  expect(texts('f')).toEqual(['1', '2', '3']);
});

test('a session that a file read on meets first, brought by another file, is known again', () => {
  read('/a', [session('one'), ...saying('one', 'hello')]);
  read('/b', [session('one'), ...saying('one', 'hello'), session('two'), ...saying('two', 'x')]);
  const again = read('/a', [session('two'), ...saying('two', 'x', 'y')], 'on');
  expect(again).toMatchObject({ messages: 1, duplicates: 1 });
  expect(texts('two')).toEqual(['x', 'y']);
});

test('a fork that gives copies ids of its own has each message once, however often read', () => {
  const named = (name: string, id: string, text: string) =>
    said(name, 'user', text, { externalId: id });
  const fork = [
    session('f', { parent: { externalId: 'p', kind: 'fork' } }),
    named('f', 'b1', 'one'),
    named('f', 'b2', 'two'),
    named('f', 'b3', 'own'),
  ];
  read('/p', [session('p'), named('p', 'a1', 'one'), named('p', 'a2', 'two')]);
  expect(read('/f', fork)).toMatchObject({ messages: 1, duplicates: 2 });
  expect(read('/f', fork)).toMatchObject({ messages: 0, duplicates: 3 });
  expect(texts('f')).toEqual(['one', 'two', 'own']);
  expect(count('session_messages')).toBe(5);
});

test('a forgotten message stays away when its session is gone and a copy of it comes', () => {
  const global = { externalId: 'u-1', idScope: 'global' } as const;
  read('/p', [session('p'), said('p', 'user', 'zanzibar', global)]);
  const ids = world.store.get('SELECT id, session_id FROM messages');
  expect(world.memory.forget(String(ids?.['id'])).ok).toBe(true);
  expect(world.memory.forget(String(ids?.['session_id'])).ok).toBe(true);
  const copy = [session('f'), said('f', 'user', 'zanzibar', global), ...saying('f', 'own')];
  expect(read('/f', copy)).toMatchObject({ messages: 1, skippedByReason: { forgotten: 1 } });
  expect(texts('f')).toEqual(['', 'own']);
});
