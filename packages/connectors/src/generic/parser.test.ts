/** Generic JSONL: what a line needs, who speaks, what is tolerated, what is counted. */
import { describe, expect, test } from 'vitest';
import { checkDamage, readAll, skipsOf, splitDifferences } from '../testing/parser-checks.ts';
import { genericParser, isGenericLine } from './parser.ts';

const line = (fields: Record<string, unknown>): string =>
  JSON.stringify({ session: 's1', id: 'm1', role: 'user', text: 'hello', ...fields });

const SAMPLE = [
  line({ project: 'shop', at: '2026-11-02T10:00:00Z' }),
  line({ id: 'm2', at: 1_793_613_601, role: 'assistant', text: 'hi', model: 'm-1' }),
  line({ id: 'm3', role: 'tool', tool: 'bash', text: 'ok', call: 'c1' }),
  line({ session: 's2', id: 'm1', role: 'Caroline', text: 'I moved', at: '2026-11-02 10:00:05' }),
  'not json',
  line({ id: 'm4', role: 'assistant', tool: 'bash', input: { command: 'ls' }, text: 'look' }),
  line({ session: 's2', id: 'm2', speaker: 'Mel', role: '', text: 'Oh' }),
  '',
];

describe('lines', () => {
  test('project, session, id, time, role and text are what they say', () => {
    const { messages, sessions } = readAll(genericParser, SAMPLE);
    expect(sessions[0]).toEqual({ type: 'session', externalId: 's1', project: 'shop' });
    expect(messages[0]).toEqual({
      type: 'message',
      sessionExternalId: 's1',
      externalId: 'm1',
      idScope: 'session',
      role: 'user',
      author: '',
      at: Date.UTC(2026, 10, 2, 10),
      parts: [{ type: 'text', text: 'hello' }],
    });
  });

  test('seconds, milliseconds and a time without a zone are understood', () => {
    const times = [1_793_613_601, 1_793_613_601_000, '2026-11-02T10:00:01', '1793613601'];
    const read = readAll(
      genericParser,
      times.map((at, id) => line({ id: `m${id}`, at })),
    );
    expect(new Set(read.messages.map((message) => message.at)).size).toBe(1);
    const [without] = readAll(genericParser, [line({ at: 'last week' })]).messages;
    expect(without?.at).toBe(undefined);
  });

  test('any other speaker is a person with that name', () => {
    const spoke = readAll(genericParser, SAMPLE).messages.filter(
      (m) => m.sessionExternalId === 's2',
    );
    expect(spoke.map((m) => [m.role, m.author])).toEqual([
      ['user', 'Caroline'],
      ['user', 'Mel'],
    ]);
  });

  test('a tool line is a result with its tool, an assistant line with a tool is a call', () => {
    const { messages } = readAll(genericParser, SAMPLE);
    expect(messages.find((m) => m.externalId === 'm3')?.parts).toEqual([
      { type: 'tool_result', callId: 'c1', tool: 'bash', text: 'ok', isError: false },
    ]);
    expect(messages.find((m) => m.externalId === 'm4')?.parts).toEqual([
      { type: 'text', text: 'look' },
      { type: 'tool_call', callId: 'm4', tool: 'bash', input: '{"command":"ls"}' },
    ]);
  });

  test('an invalid line is counted with its number and stops nothing', () => {
    const reading = readAll(genericParser, [
      'x',
      line({}),
      '{"session":"s1"}',
      line({ session: '' }),
      line({ role: 7 }),
      line({ text: null }),
      '[]',
      line({ id: 'last' }),
    ]);
    expect(reading.messages.map((message) => message.externalId)).toEqual(['m1', 'last']);
    expect(Object.keys(skipsOf(reading))).toEqual(
      [1, 3, 4, 5, 6, 7].map((number) => `invalid/line ${number}`),
    );
  });

  test('numbers are ids too, and a missing id leaves identity to content', () => {
    const [message] = readAll(genericParser, [line({ session: 7, id: 12 })]).messages;
    expect([message?.sessionExternalId, message?.externalId]).toEqual(['7', '12']);
    const [bare] = readAll(genericParser, ['{"session":"s","role":"user","text":"t"}']).messages;
    expect(bare?.externalId).toBe('');
  });

  test('a session is announced once, and again only when more is known', () => {
    const told = readAll(genericParser, [
      line({ project: 'shop' }),
      line({ id: 'm2' }),
      line({ id: 'm3', title: 'Checkout', parent: 's0', parentKind: 'fork' }),
      line({ id: 'm4', project: 'shop' }),
    ]).sessions;
    expect(told).toEqual([
      { type: 'session', externalId: 's1', project: 'shop' },
      {
        type: 'session',
        externalId: 's1',
        project: 'shop',
        title: 'Checkout',
        parent: { externalId: 's0', kind: 'fork' },
      },
    ]);
  });

  test('text is normalised: CRLF, composed letters, no lone surrogates', () => {
    const [message] = readAll(genericParser, [line({ text: 'a\r\ne\u0301 \ud800!' })]).messages;
    expect(message?.parts).toEqual([{ type: 'text', text: 'a\n\u00e9 \ufffd!' }]);
  });
});

test('only a line with session, speaker and text has the shape', () => {
  expect(isGenericLine(line({}))).toBe(true);
  expect(isGenericLine('{"type":"user","sessionId":"x","message":{"role":"user"}}')).toBe(false);
  expect(isGenericLine('{"session":"x","text":"y"}')).toBe(false);
});

test('reading on from a saved state gives what reading the whole gives', () => {
  expect(splitDifferences(genericParser, SAMPLE)).toEqual([]);
});

test('no damaged line makes it throw', () => {
  checkDamage(genericParser, SAMPLE);
});
