/** Admission: one event, one message; forks stored once; what is forgotten stays away. */
import { registerSink, type SessionEvent } from '@quipu/store';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
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

const count = (table: string): number =>
  (world.store.get(`SELECT count(*) AS n FROM ${table}`) as { n: number }).n;

const call = (id: string) => ({ type: 'tool_call', callId: id, tool: 'sh', input: '{}' }) as const;

/** The first row of a session, or its last place: the plan names the session, the cost is a row. */
const ONE_ROW = /SELECT 1 AS n FROM session_messages|max\(position\)/;

/** Plans of all statements that `run` makes, but for those that insert or read one row. */
function plansOf(run: () => void): string[] {
  const statements = new Set<string>();
  const unregister = registerSink({
    withDbSpan: (span, next) => {
      if (!/^\s*INSERT|BEGIN|COMMIT/.test(span.sql) && !ONE_ROW.test(span.sql)) {
        statements.add(span.sql);
      }
      return next();
    },
  });
  run();
  unregister();
  return [...statements].flatMap((sql) =>
    world.store.all(`EXPLAIN QUERY PLAN ${sql}`).map((row) => String(row['detail'])),
  );
}

test.each(['with ids of its own', 'without ids'])(
  'no statement of a message looks through its session or a whole table: %s',
  (how) => {
    const event = (at: number) =>
      said('a', 'user', `text ${at}`, how === 'without ids' ? {} : { externalId: `m${at}` });
    world.admit([session('a'), ...Array.from({ length: 20 }, (_, at) => event(at))]);
    const plans = plansOf(() => world.admit([event(3), event(20)]));
    expect(plans.length).toBeGreaterThan(10);
    const slow = plans.filter(
      (plan) =>
        /^SCAN (?!CONSTANT|j |\w+ VIRTUAL)/.test(plan) ||
        /^SEARCH (?:sm|session_messages) .*\(session_id=\?\)/.test(plan),
    );
    expect(slow).toEqual([]);
  },
);

describe('identity (Verifies: MEMORY-1)', () => {
  test('the same source read twice adds nothing the second time', () => {
    const events = [session('a'), said('a', 'user', 'one'), said('a', 'assistant', 'two')];
    expect(world.admit(events)).toMatchObject({ sessions: 1, messages: 2, duplicates: 0 });
    expect(world.admit(events)).toMatchObject({ sessions: 0, messages: 0, duplicates: 2 });
    expect(textsOf(world.memory, world.store, 'a')).toEqual(['one', 'two']);
  });

  test('a person who says the same twice has said two things, however often it is read', () => {
    const events = [session('a'), said('a', 'user', 'yes'), said('a', 'user', 'yes')];
    expect(world.admit(events).messages).toBe(2);
    expect(world.admit(events)).toMatchObject({ messages: 0, duplicates: 2 });
  });

  test('a resumed pass knows which of two equal messages has been read', () => {
    const source = { agent: 'codex', path: '/t.jsonl', part: '' };
    const cursor = {
      position: 9,
      prefixDigest: '',
      size: 9,
      mtimeMs: 0,
      readerVersion: 1,
      parser: {},
    };
    const pass = world.memory.admission.begin(source);
    const first = [session('a'), said('a', 'user', 'yes')];
    world.memory.admission.admit({ pass, events: first, projects: new Map(), cursor });
    const kept = world.memory.admission.cursor(source);
    expect(kept?.position).toBe(9);
    const resumed = world.memory.admission.begin(source, kept);
    expect(world.admit([said('a', 'user', 'yes')], { pass: resumed }).messages).toBe(1);
    expect(textsOf(world.memory, world.store, 'a')).toEqual(['yes', 'yes']);
  });

  test('what a rewritten file gained in the middle is the only new message, in its place', () => {
    world.admit([session('a'), said('a', 'user', '1'), said('a', 'user', '3')]);
    const rewritten = ['1', '2', '3'].map((text) => said('a', 'user', text));
    expect(world.admit([session('a'), ...rewritten])).toMatchObject({ messages: 1, duplicates: 2 });
    expect(textsOf(world.memory, world.store, 'a')).toEqual(['1', '2', '3']);
  });

  test('what a trimmed file no longer holds stays, before what it still holds', () => {
    world.admit([session('a'), ...['1', '2', '3'].map((text) => said('a', 'user', text))]);
    world.admit([session('a'), said('a', 'user', '3'), said('a', 'user', '4')]);
    expect(textsOf(world.memory, world.store, 'a')).toEqual(['1', '2', '3', '4']);
  });

  test('any file, cut anywhere and read on, is stored as when read at once', () => {
    const words = fc.array(fc.constantFrom('yes', 'no', 'go on', 'stop'), { maxLength: 12 });
    fc.assert(
      fc.property(words, fc.nat(12), fc.integer(), (list, cut, salt) => {
        const name = `s${salt}-${cut}-${list.join()}`;
        const events = list.map((text) => said(name, 'user', text));
        const pass = world.memory.admission.begin({ agent: 'codex', path: name, part: '' });
        world.admit([session(name), ...events.slice(0, cut)], { pass });
        world.admit(events.slice(cut), { pass });
        expect(textsOf(world.memory, world.store, name)).toEqual(list);
        expect(world.admit([session(name), ...events]).messages).toBe(0);
      }),
      { numRuns: 60 },
    );
  });
});

describe('growth (Verifies: MEMORY-6)', () => {
  const grown = (text: string) => said('a', 'assistant', text, { externalId: 'm1' });

  test('a later state of a message replaces the earlier one', () => {
    world.admit([session('a'), grown('We decided')]);
    expect(world.admit([grown('We decided to wait')])).toMatchObject({ messages: 0, updated: 1 });
    expect(textsOf(world.memory, world.store, 'a')).toEqual(['We decided to wait']);
  });

  test('an old copy of the file does not take back what a newer one completed', () => {
    world.admit([session('a'), grown('We decided to wait')]);
    expect(world.admit([session('a'), grown('We decided')])).toMatchObject({ updated: 0 });
    expect(textsOf(world.memory, world.store, 'a')).toEqual(['We decided to wait']);
  });
});

describe('forks (Verifies: MEMORY-2)', () => {
  const prefix = (name: string, at: number) => [
    said(name, 'user', 'fix the test', { at }),
    said(name, 'assistant', [call('call_0123456789ab')], { at }),
  ];
  const parent = { externalId: 'p', kind: 'fork' } as const;

  for (const order of ['parent first', 'fork first'] as const) {
    test(`a shared prefix with rewritten times is stored once (${order})`, () => {
      const parentEvents = [session('p'), ...prefix('p', 1_000), said('p', 'user', 'then this')];
      const forkEvents = [
        session('f', { parent }),
        ...prefix('f', 9_000),
        said('f', 'user', 'or that'),
      ];
      const all =
        order === 'parent first' ? [parentEvents, forkEvents] : [forkEvents, parentEvents];
      for (const events of all) world.admit(events);
      expect(count('messages')).toBe(4);
      expect(textsOf(world.memory, world.store, 'p')).toEqual([
        'fix the test',
        'tool_call',
        'then this',
      ]);
      expect(textsOf(world.memory, world.store, 'f')).toEqual([
        'fix the test',
        'tool_call',
        'or that',
      ]);
      for (const events of all) expect(world.admit(events).messages).toBe(0);
      expect(count('messages')).toBe(4);
    });
  }

  test('a declared fork that came first is shared without a tool call to tell it by', () => {
    const events = (name: string) => ['one', 'two'].map((text) => said(name, 'user', text));
    world.admit([session('f', { parent }), ...events('f'), said('f', 'user', 'or that')]);
    expect(world.admit([session('p'), ...events('p')])).toMatchObject({ messages: 0 });
    expect(textsOf(world.memory, world.store, 'p')).toEqual(['one', 'two']);
    const home = 'SELECT DISTINCT s.external_id AS id FROM messages m JOIN sessions s';
    const homes = world.store.all(`${home} ON s.id = m.session_id ORDER BY 1`);
    expect(homes.map((row) => row['id'])).toEqual(['f', 'p']);
  });

  test('what a fork repeats is at home with its parent', async () => {
    const texts = (name: string) => ['zanzibar', 'two'].map((text) => said(name, 'user', text));
    world.admit([session('p'), ...texts('p')], { project: 'one' });
    world.admit([session('f', { parent }), ...texts('f')], { project: 'two' });
    const found = await world.memory.recall({ query: 'zanzibar' });
    const homes = found.ok ? found.value.hits.map((hit) => hit.sessionExternalId) : [];
    expect(new Set(homes)).toEqual(new Set(['p']));
  });

  test('a fork that no one declared is known by a tool call id that it shares', () => {
    world.admit([session('p'), ...prefix('p', 1_000), said('p', 'user', 'then this')]);
    world.admit([session('f'), ...prefix('f', 9_000), said('f', 'user', 'or that')]);
    expect(count('messages')).toBe(4);
  });

  test('two sessions that merely begin alike stay apart', () => {
    world.admit([session('x'), said('x', 'user', 'hello'), said('x', 'assistant', 'hi')]);
    world.admit([session('y'), said('y', 'user', 'hello'), said('y', 'assistant', 'hi')]);
    expect(count('messages')).toBe(4);
  });

  test('a message with a global id is one message in every session that holds it', () => {
    const one = { externalId: 'u-1', idScope: 'global' } as const;
    world.admit([session('p'), said('p', 'user', 'hello', one)]);
    world.admit([session('f'), said('f', 'user', 'hello', one)]);
    expect(count('messages')).toBe(1);
    expect(textsOf(world.memory, world.store, 'f')).toEqual(['hello']);
  });
});

describe('forgetting (Verifies: MEMORY-4)', () => {
  const events = [session('a'), said('a', 'user', 'keep'), said('a', 'user', 'drop zanzibar')];

  const idOf = (externalId: string): string =>
    String(world.store.get('SELECT id FROM sessions WHERE external_id = ?', [externalId])?.['id']);

  test('a forgotten session does not come back by import', async () => {
    world.admit(events);
    expect(world.memory.forget(idOf('a'))).toMatchObject({ ok: true, value: { messages: 2 } });
    expect(world.admit(events)).toMatchObject({ messages: 0, skippedByReason: { forgotten: 2 } });
    expect(count('messages')).toBe(0);
    expect(count('chunks')).toBe(0);
  });

  test('a forgotten message leaves its place empty and stays away', async () => {
    world.admit(events);
    const found = await world.memory.recall({ query: 'zanzibar' });
    const id = found.ok ? (found.value.hits[0]?.id ?? '') : '';
    expect(world.memory.forget(id).ok).toBe(true);
    expect(world.admit(events).messages).toBe(0);
    expect(textsOf(world.memory, world.store, 'a')).toEqual(['keep', '']);
    const after = await world.memory.recall({ query: 'zanzibar' });
    expect(after.ok ? after.value.hits : undefined).toEqual([]);
  });

  test('what a fork shares stays with the fork', () => {
    const one = { externalId: 'u-1', idScope: 'global' } as const;
    world.admit([session('p'), said('p', 'user', 'shared', one)]);
    world.admit([session('f'), said('f', 'user', 'shared', one), said('f', 'user', 'own')]);
    expect(world.memory.forget(idOf('p')).ok).toBe(true);
    expect(textsOf(world.memory, world.store, 'f')).toEqual(['shared', 'own']);
  });
});

test('what Quipu printed to an agent is not taken in again', () => {
  const own = [
    said('a', 'assistant', [
      { type: 'tool_call', callId: 'c1', tool: 'mcp__quipu__recall', input: '{}' },
    ]),
    said('a', 'tool', [
      { type: 'tool_result', callId: 'c1', tool: '', text: 'an old memory', isError: false },
    ]),
  ];
  expect(world.admit([session('a'), ...own])).toMatchObject({
    messages: 0,
    skippedByReason: { 'own-output': 2 },
  });
});

test('what was remembered is found by the next search, once however often said', async () => {
  const note = { text: 'The staging port is 7443, never 8443.' };
  expect(world.memory.remember(note).ok).toBe(true);
  expect(world.memory.remember(note).ok).toBe(true);
  const found = await world.memory.recall({ query: 'staging port' });
  expect(found.ok ? found.value.hits.map((hit) => hit.kind) : []).toEqual(['memory']);
});

test('a session moved by hand stays where it was put, sub-agents included', () => {
  world.admit([session('a'), said('a', 'user', 'x')], { project: 'one' });
  world.admit([session('b'), said('b', 'user', 'y')], { project: 'two' });
  const child = session('c', { parent: { externalId: 'a', kind: 'subagent' } });
  world.admit([child, said('c', 'user', 'z')], { project: 'one' });
  const id = String(world.store.get("SELECT id FROM sessions WHERE external_id = 'a'")?.['id']);
  expect(world.memory.moveSession(id, 'two')).toMatchObject({
    ok: true,
    value: { project: { name: 'two' } },
  });
  world.admit([session('a'), said('a', 'user', 'x')], { project: 'one' });
  const listed = world.memory.sessions({ project: 'two' });
  expect(listed.ok ? listed.value.map((each) => each.externalId).sort() : []).toEqual([
    'a',
    'b',
    'c',
  ]);
});

test('a copy of what was printed is known without its tags, by its digest', () => {
  const printed = [
    '1. msg_9beeznyng81a5xkf  harbor · generic · assistant · 2026-09-14',
    '   Added docs/retries.md with the table of statuses and the reason why.',
  ].join('\n');
  world.memory.notePrinted(printed);
  const result = { type: 'tool_result', callId: 'c9', tool: 'sh', isError: false } as const;
  const pasted = said('a', 'tool', [{ ...result, text: `before\n${printed}\nafter` }]);
  world.admit([session('a'), pasted]);
  const [text] = textsOf(world.memory, world.store, 'a');
  expect(text).toContain('before');
  expect(text).toContain('after');
  expect(text).not.toContain('docs/retries.md');
});
