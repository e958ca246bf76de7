/** Notes after forgetting, and sub-agents after a move. */
import { assert } from '@quipu/base';
import type { SessionEvent } from '@quipu/store';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { said, type TestMemory, testMemory } from '../testing/world.ts';

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

function remembered(text: string, project?: string) {
  const note = world.memory.remember({ text, project });
  assert(note.ok, 'the note is taken');
  return note.value;
}

async function found(query: string): Promise<string[]> {
  const answer = await world.memory.recall({ query });
  return answer.ok ? answer.value.hits.map((hit) => `${hit.kind}: ${hit.text}`) : [];
}

test('a note that is asked for again after it was forgotten is kept', async () => {
  for (let turn = 0; turn < 3; turn += 1) {
    const note = remembered('staging listens on 7443');
    expect(note.parts).toEqual([{ type: 'text', text: 'staging listens on 7443' }]);
    expect(await found('staging')).toEqual(['memory: staging listens on 7443']);
    expect(world.memory.forget(note.id).ok).toBe(true);
    expect(await found('staging')).toEqual([]);
  }
});

test('notes are taken after all notes of the project were forgotten', async () => {
  world.admit([session('a'), said('a', 'user', 'x')], { project: 'harbor' });
  const first = remembered('the crane is blue', 'harbor');
  expect(world.memory.forget(first.sessionId).ok).toBe(true);
  const second = remembered('the crane is red', 'harbor');
  expect(second.sessionId).not.toBe(first.sessionId);
  expect(await found('crane')).toEqual(['memory: the crane is red']);
});

test('a sub-agent that comes after its session was moved goes where that was put', () => {
  world.admit([session('a'), said('a', 'user', 'x')], { project: 'one' });
  world.admit([session('b'), said('b', 'user', 'y')], { project: 'two' });
  const id = String(world.store.get("SELECT id FROM sessions WHERE external_id = 'a'")?.['id']);
  expect(world.memory.moveSession(id, 'two').ok).toBe(true);
  const child = session('c', { parent: { externalId: 'a', kind: 'subagent' } });
  world.admit([child, said('c', 'user', 'z')], { project: 'one' });
  const listed = world.memory.sessions({ project: 'two' });
  expect(listed.ok ? listed.value.map((each) => each.externalId).sort() : []).toEqual([
    'a',
    'b',
    'c',
  ]);
});

test('a session that was moved out of every project stays out', () => {
  world.admit([session('a'), said('a', 'user', 'x')], { project: 'one' });
  const id = String(world.store.get("SELECT id FROM sessions WHERE external_id = 'a'")?.['id']);
  expect(world.memory.moveSession(id, '-').ok).toBe(true);
  world.admit([session('a'), said('a', 'user', 'x')], { project: 'one' });
  expect(world.store.get('SELECT project_id FROM sessions')?.['project_id']).toBe(null);
});

test('a session stays with the project that it was first seen in', () => {
  world.admit([session('a'), said('a', 'user', 'x')], { project: 'one' });
  world.admit([session('a'), said('a', 'user', 'x')], { project: 'two' });
  const listed = world.memory.sessions({ project: 'one' });
  expect(listed.ok ? listed.value.length : undefined).toBe(1);
});

/** A source whose parser holds a message of this session back. */
function heldBack(name: string): void {
  const { admission } = world.memory;
  const parser = { open: [{ session: name, text: 'half a sentence' }] };
  const numbers = { position: 1, prefixDigest: 'd', size: 1, mtimeMs: 1, readerVersion: 1 };
  admission.admit({
    pass: admission.begin({ agent: 'codex', path: `/${name}`, part: '' }),
    events: [session(name), said(name, 'user', `of ${name}`)],
    projects: new Map(),
    cursor: { ...numbers, parser },
  });
}
const sources = (): unknown[] =>
  world.store.all('SELECT path FROM sources ORDER BY path').map((row) => row['path']);

test('forgetting a message drops the cursors that know of its session, and no others', () => {
  heldBack('a');
  heldBack('b');
  const id = world.store.get("SELECT message_id AS id FROM parts WHERE text = 'of a'")?.['id'];
  expect(world.memory.forget(String(id)).ok).toBe(true);
  expect(sources()).toEqual(['/b']);
});

test('a scrub leaves no cursor, and one that is cancelled leaves them all', async () => {
  heldBack('a');
  const stop = new AbortController();
  stop.abort();
  expect(await world.memory.scrub({ signal: stop.signal })).toMatchObject({ complete: false });
  expect(sources()).toEqual(['/a']);
  expect(await world.memory.scrub()).toMatchObject({ complete: true, messages: 1 });
  expect(sources()).toEqual([]);
});
