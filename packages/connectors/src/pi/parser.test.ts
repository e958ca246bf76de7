/** The Pi parser on its entries, entry by entry. */
import { describe, expect, test } from 'vitest';
import { checkDamage, readAll, skipsOf, splitDifferences, told } from '../testing/parser-checks.ts';
import { isPiStart, piParser } from './parser.ts';

type Json = Readonly<Record<string, unknown>>;

const CONTEXT = { path: '/home/dev/.pi/agent/sessions/--home-dev--/2026_s-file.jsonl', part: '' };
const HEAD = { type: 'session', version: 3, id: 's1', cwd: '/home/dev/shop' };
const linesOf = (entries: readonly Json[]): string[] => entries.map((one) => JSON.stringify(one));
const read = (...entries: Json[]) => readAll(piParser, linesOf(entries), CONTEXT);
const entry = (id: string, message: Json, more: Json = {}): Json => ({
  type: 'message',
  id,
  parentId: null,
  timestamp: '2026-12-01T10:00:00.000Z',
  message,
  ...more,
});
const user = (id: string, content: unknown): Json => entry(id, { role: 'user', content });
const text = (words: string): Json => ({ type: 'text', text: words });

describe('messages', () => {
  test('thoughts, words, calls and results are typed parts, joined by the id of the call', () => {
    const reading = read(
      HEAD,
      user('e1', [text('Why?')]),
      entry('e2', {
        role: 'assistant',
        model: 'm1',
        content: [
          { type: 'thinking', thinking: 'Hm.' },
          text('I look.'),
          { type: 'toolCall', id: 'c1', name: 'read', arguments: { path: 'a' } },
        ],
      }),
      entry('e3', {
        role: 'toolResult',
        toolCallId: 'c1',
        toolName: 'read',
        content: [text('one'), text('two')],
        isError: true,
      }),
    );
    expect(told(reading)).toEqual([
      ['user', 'text: Why?'],
      ['assistant', 'reasoning: Hm.', 'text: I look.', 'read <- {"path":"a"}'],
      ['tool', 'read -> (error) one\ntwo'],
    ]);
    expect(reading.messages.map((one) => one.externalId)).toEqual(['e1', 'e2', 'e3']);
    expect(reading.messages[1]).toMatchObject({ model: 'm1' });
    expect(reading.messages[2]?.parts[0]).toMatchObject({ callId: 'c1' });
  });

  test('a call without an id has one of its own in its entry', () => {
    const call = { type: 'toolCall', name: 'ls', arguments: {} };
    const reading = read(HEAD, entry('e1', { role: 'assistant', content: [call, call] }));
    const ids = reading.messages[0]?.parts.map((part) => ('callId' in part ? part.callId : ''));
    expect(ids).toEqual(['e1:0', 'e1:1']);
  });

  test("a command of the person is their call and the machine's answer", () => {
    const bash = (id: string, more: Json): Json =>
      entry(id, { role: 'bashExecution', command: 'npm test', output: '1 failed', ...more });
    const reading = read(HEAD, bash('e1', { exitCode: 1 }), bash('e2', { exitCode: 0 }));
    expect(told(reading)).toEqual([
      ['user', 'bash <- {"command":"npm test"}'],
      ['tool', 'bash -> (error) 1 failed'],
      ['user', 'bash <- {"command":"npm test"}'],
      ['tool', 'bash -> 1 failed'],
    ]);
    expect(reading.messages.map((one) => one.externalId)).toEqual([
      'e1',
      'e1:result',
      'e2',
      'e2:result',
    ]);
  });

  test('files and skills that the program pasted are not words of the person', () => {
    const pasted = '<file name="a.ts">\nconst a = 1;\n</file>\nWhat does it do?';
    const reading = read(HEAD, user('e1', [text(pasted)]), user('e2', '<file>x</file>'));
    expect(told(reading)).toEqual([['user', 'text: What does it do?']]);
    expect(skipsOf(reading)).toEqual({ 'injected/file': 2 });
  });

  test('a picture is kept by reference', () => {
    const image = { type: 'image', mimeType: 'image/png', data: 'aGVsbG8=' };
    const reading = read(
      HEAD,
      user('e1', [text('See'), image]),
      entry('e2', { role: 'toolResult', toolCallId: 'c', toolName: 'shot', content: [image] }),
    );
    expect(told(reading)).toEqual([
      ['user', 'text: See', '(image/png)'],
      ['tool', 'shot -> ', '(image/png)'],
    ]);
    expect(JSON.stringify(reading.events)).not.toContain('aGVsbG8=');
  });

  test("the message's own time stands before that of its entry", () => {
    const reading = read(
      HEAD,
      entry('e1', { role: 'user', content: 'a', timestamp: 1_796_000_000_000 }),
      user('e2', 'b'),
    );
    expect(reading.messages.map((one) => one.at)).toEqual([
      1_796_000_000_000,
      Date.parse('2026-12-01T10:00:00.000Z'),
    ]);
  });
});

describe('what is no message', () => {
  test('prompts of the system, custom messages and summaries are counted', () => {
    const reading = read(
      HEAD,
      entry('a', { role: 'system', content: 'You are' }),
      entry('b', { role: 'custom', content: 'memory' }),
      entry('c', { role: 'hookMessage', content: 'hook' }),
      entry('d', { role: 'compactionSummary', summary: 'so far' }),
      entry('e', { role: 'branchSummary', summary: 'left' }),
      { type: 'custom_message', id: 'f', content: 'injected' },
      { type: 'compaction', id: 'g', summary: 'so far' },
      { type: 'branch_summary', id: 'h', summary: 'left' },
      { type: 'thinking_level_change', id: 'i', thinkingLevel: 'low' },
      { type: 'label', id: 'j' },
    );
    expect(reading.messages).toEqual([]);
    expect(skipsOf(reading)).toEqual({
      'injected/system': 1,
      'injected/custom': 1,
      'injected/hookMessage': 1,
      'compaction/compactionSummary': 1,
      'compaction/branchSummary': 1,
      'injected/custom_message': 1,
      'compaction/compaction': 1,
      'compaction/branch_summary': 1,
      'meta/thinking_level_change': 1,
      'meta/label': 1,
    });
  });

  test('unknown entries, roles and blocks are counted under their names', () => {
    const reading = read(
      HEAD,
      { type: 'hologram', id: 'a' },
      entry('b', { role: 'oracle', content: 'hm' }),
      entry('c', { role: 'assistant', content: [{ type: 'hologram' }, text('Yes.')] }),
      { type: 'message', id: 'd' },
    );
    expect(told(reading)).toEqual([['assistant', 'text: Yes.']]);
    expect(skipsOf(reading)).toEqual({
      'unknown/hologram': 1,
      'unknown/message oracle': 1,
      'unknown/block hologram': 1,
      'invalid/message': 1,
    });
  });

  test('a torn line is counted and the next one read', () => {
    const [head = '', line = ''] = linesOf([HEAD, user('e1', 'Hi')]);
    const reading = readAll(piParser, [head, line.slice(0, -4), '', line], CONTEXT);
    expect(told(reading)).toEqual([['user', 'text: Hi']]);
    expect(skipsOf(reading)).toEqual({ 'invalid/line': 1 });
  });
});

describe('sessions', () => {
  test('every branch is read in the order of writing', () => {
    const reading = read(
      HEAD,
      user('e1', 'root'),
      { ...user('e2', 'tried and left'), parentId: 'e1' },
      { ...user('e3', 'tried instead'), parentId: 'e1' },
    );
    expect(told(reading).map(([, words]) => words)).toEqual([
      'text: root',
      'text: tried and left',
      'text: tried instead',
    ]);
  });

  test('a fork names its parent by the file, and repeats its entries under their ids', () => {
    const parent = read(HEAD, user('e1', 'Hi'));
    const fork = read(
      { ...HEAD, id: 's2', parentSession: '/home/dev/.pi/agent/sessions/--x--/2026_s1.jsonl' },
      user('e1', 'Hi'),
      user('e2', 'Else'),
    );
    expect(fork.sessions[0]?.parent).toEqual({ externalId: 's1', kind: 'fork' });
    expect(fork.messages[0]?.externalId).toBe(parent.messages[0]?.externalId);
    const early = read({ ...HEAD, id: 's3', branchedFrom: 'C:\\sessions\\2025_s1.jsonl' });
    expect(early.sessions[0]?.parent).toEqual({ externalId: 's1', kind: 'fork' });
  });

  test('a name and another model are told when they come', () => {
    const reading = read(
      HEAD,
      { type: 'model_change', id: 'a', modelId: 'm1' },
      user('e1', 'Hi'),
      { type: 'session_info', id: 'b', name: 'Greeting' },
      entry('e2', { role: 'assistant', model: 'm2', content: [text('Hi.')] }),
    );
    const last = reading.sessions.at(-1);
    expect(last).toMatchObject({ externalId: 's1', cwd: '/home/dev/shop', title: 'Greeting' });
    expect(reading.sessions.map((one) => one.model)).toEqual([undefined, 'm1', 'm1', 'm2']);
  });

  test('without a header the session is named after the file; version 1 has no entry ids', () => {
    const reading = read({ type: 'message', message: { role: 'user', content: 'Hi' } });
    expect(reading.messages).toMatchObject([{ sessionExternalId: 's-file', externalId: '' }]);
  });

  test('a file is told by its first line', () => {
    expect(isPiStart(JSON.stringify(HEAD))).toBe(true);
    expect(isPiStart('{"type":"session","id":"s1"}')).toBe(false);
    expect(isPiStart('{"type":"message","id":"s1","cwd":"/"}')).toBe(false);
  });
});

test('a saved state at any line gives the same events; damage is no failure', () => {
  const lines = linesOf([
    HEAD,
    { type: 'model_change', id: 'a', modelId: 'm1' },
    user('e1', [text('<file name="a">x</file>Hi')]),
    entry('e2', { role: 'assistant', model: 'm2', content: [text('Hi.')] }),
    entry('e3', { role: 'bashExecution', command: 'ls', output: 'a', exitCode: 2 }),
    { type: 'session_info', id: 'b', name: 'Greeting' },
  ]);
  expect(splitDifferences(piParser, lines, CONTEXT)).toEqual([]);
  expect(readAll(piParser, [...lines, ...lines], CONTEXT).messages).toEqual(
    readAll(piParser, lines, CONTEXT).messages,
  );
  checkDamage(piParser, lines, CONTEXT);
});
