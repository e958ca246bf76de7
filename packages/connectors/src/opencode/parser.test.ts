/** opencode's messages: rows as version 1.18.33 writes them, and the form of its first year. */
import { describe, expect, test } from 'vitest';
import { checkDamage, readAll, skipsOf, splitDifferences } from '../testing/parser-checks.ts';
import { opencodeParser } from './parser.ts';

const T = Date.UTC(2026, 10, 2, 10);

const message = (id: string, info: object, parts: readonly object[]): string =>
  JSON.stringify({ type: 'message', session: 'ses_1', id, created: T, info, parts });

const user = (id: string, ...parts: readonly object[]): string =>
  message(id, { role: 'user', time: { created: T }, model: { modelID: 'm' } }, parts);

const assistant = (id: string, ...parts: readonly object[]): string =>
  message(
    id,
    { role: 'assistant', mode: 'build', modelID: 'm', time: { created: T + 1, completed: T + 9 } },
    parts,
  );

const bash = (status: string, more: object = {}): object => ({
  id: 'prt_3',
  type: 'tool',
  tool: 'bash',
  callID: 'call_1',
  state: { status, input: { command: 'npm test' }, time: { start: T + 2, end: T + 5 }, ...more },
});

const STEP = [
  { id: 'prt_0', type: 'step-start', snapshot: 'x' },
  { id: 'prt_1', type: 'reasoning', text: 'the test is flaky' },
  { id: 'prt_2', type: 'text', text: 'Let me run it.' },
];

const SAMPLE = [
  JSON.stringify({ type: 'session', id: 'ses_1', directory: '/home/dev/shop', title: 'Flaky' }),
  user('msg_1', { id: 'p', type: 'text', text: 'why is it flaky?' }),
  assistant('msg_2', ...STEP, bash('completed', { output: 'ok\r\n' }), { type: 'step-finish' }),
];

describe('a step of the assistant', () => {
  test('is one message with thought, words and call, and a message with the result', () => {
    const { messages } = readAll(opencodeParser, SAMPLE);
    expect(messages.slice(1)).toEqual([
      {
        type: 'message',
        sessionExternalId: 'ses_1',
        externalId: 'msg_2',
        idScope: 'session',
        role: 'assistant',
        author: '',
        at: T + 1,
        model: 'm',
        parts: [
          { type: 'reasoning', text: 'the test is flaky' },
          { type: 'text', text: 'Let me run it.' },
          { type: 'tool_call', callId: 'call_1', tool: 'bash', input: '{"command":"npm test"}' },
        ],
      },
      {
        type: 'message',
        sessionExternalId: 'ses_1',
        externalId: 'prt_3:result',
        idScope: 'session',
        role: 'tool',
        author: '',
        at: T + 5,
        parts: [
          { type: 'tool_result', callId: 'call_1', tool: 'bash', text: 'ok\n', isError: false },
        ],
      },
    ]);
  });

  test.each(['pending', 'running'])('a call that is %s has no result yet', (status) => {
    const { messages } = readAll(opencodeParser, [assistant('msg_2', bash(status))]);
    expect(messages.map((one) => one.role)).toEqual(['assistant']);
  });

  test('a failed call has its error as the result', () => {
    const error = bash('error', { error: 'permission denied' });
    const [, result] = readAll(opencodeParser, [assistant('msg_2', error)]).messages;
    expect(result?.parts[0]).toMatchObject({ text: 'permission denied', isError: true });
  });

  test('a picture that a tool gave is kept as a reference, without its bytes', () => {
    const attachments = [{ type: 'file', mime: 'image/png', url: 'data:image/png;base64,aGk=' }];
    const done = bash('completed', { output: 'see', attachments });
    const [, result] = readAll(opencodeParser, [assistant('msg_2', done)]).messages;
    expect(result?.parts[1]).toMatchObject({ type: 'image_ref', mediaType: 'image/png' });
    expect(JSON.stringify(result)).not.toContain('aGk=');
  });

  test('an error of the provider is no memory', () => {
    const failed = message(
      'msg_9',
      { role: 'assistant', error: { name: 'APIError', data: { message: 'overloaded' } } },
      [{ type: 'step-start' }],
    );
    expect(readAll(opencodeParser, [failed]).messages).toEqual([]);
  });
});

describe('what no person wrote', () => {
  test('synthetic text beside a file is injected, the words stay', () => {
    const reading = readAll(opencodeParser, [
      user(
        'msg_1',
        { type: 'text', synthetic: true, text: 'Called the Read tool with …' },
        { type: 'text', synthetic: true, text: '<content>1: secret</content>' },
        { type: 'file', mime: 'text/plain', filename: 'notes.md', url: 'file:///notes.md' },
        { type: 'text', text: 'read this' },
      ),
    ]);
    expect(reading.messages.map((one) => one.parts)).toEqual([
      [{ type: 'text', text: 'read this' }],
    ]);
    expect(skipsOf(reading)).toEqual({ 'injected/synthetic': 2 });
  });

  test('a compaction leaves no message: no request, no summary, not the turn it makes', () => {
    const reading = readAll(opencodeParser, [
      user('msg_1', { type: 'compaction', auto: true }),
      message('msg_2', { role: 'assistant', mode: 'compaction', summary: true }, [
        { type: 'text', text: 'We did this and that' },
      ]),
      user('msg_3', { type: 'text', synthetic: true, text: 'Continue if you have next steps' }),
    ]);
    expect(reading.messages).toEqual([]);
    expect(skipsOf(reading)).toEqual({
      'compaction/compaction': 1,
      'compaction/summary': 1,
      'injected/synthetic': 1,
    });
  });

  test('parts of an unknown type are counted by their type', () => {
    const reading = readAll(opencodeParser, [assistant('msg_2', { type: 'hologram' })]);
    expect(skipsOf(reading)).toEqual({ 'unknown/part hologram': 1 });
  });
});

test('a command that starts a sub-agent is what the person asked of it', () => {
  const [asked] = readAll(opencodeParser, [
    user('msg_1', { type: 'subtask', prompt: 'review the branch', agent: 'general' }),
  ]).messages;
  expect(asked?.parts).toEqual([{ type: 'text', text: 'review the branch' }]);
});

test('the first form, with parts and times inside the message, reads the same', () => {
  const info = {
    id: 'msg_2',
    role: 'assistant',
    parts: [
      { type: 'step-start' },
      { type: 'text', text: 'Let me look.' },
      {
        type: 'tool-invocation',
        toolInvocation: {
          state: 'result',
          toolCallId: 'toolu_1',
          toolName: 'read',
          args: { filePath: 'a.ts' },
          result: 'export {}',
        },
      },
    ],
    metadata: {
      time: { created: T + 1 },
      sessionID: 'ses_1',
      tool: { toolu_1: { title: 'a.ts', time: { start: T + 2, end: T + 3 } } },
      assistant: { modelID: 'claude' },
    },
  };
  const { messages } = readAll(opencodeParser, [message('msg_2', info, [])]);
  expect(messages.map((one) => [one.role, one.at, one.model])).toEqual([
    ['assistant', T + 1, 'claude'],
    ['tool', T + 3, undefined],
  ]);
  expect(messages[1]?.parts).toEqual([
    { type: 'tool_result', callId: 'toolu_1', tool: 'read', text: 'export {}', isError: false },
  ]);
});

test('reading on from a saved state gives what reading the whole gives', () => {
  expect(splitDifferences(opencodeParser, SAMPLE)).toEqual([]);
});

test('no damaged record makes it throw', () => {
  checkDamage(opencodeParser, SAMPLE);
});
