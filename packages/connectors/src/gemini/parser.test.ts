/** The Gemini CLI parser on its lines, patches and older documents. */
import { describe, expect, test } from 'vitest';
import { checkDamage, readAll, skipsOf, splitDifferences, told } from '../testing/parser-checks.ts';
import { contextLine, geminiParser, isGeminiStart } from './parser.ts';
import { shellResult } from './shell-result.ts';

type Json = Readonly<Record<string, unknown>>;

const CHATS = '/home/dev/.gemini/tmp/shop/chats';
const CONTEXT = { path: `${CHATS}/session-2026-12-01T10-00-s1.jsonl`, part: '' };
const HEAD = { sessionId: 's1', projectHash: 'h', startTime: '2026-12-01T10:00:00Z', kind: 'main' };
const SETUP =
  '<session_context>\nThis is the Gemini CLI. We are setting up the context for our chat.\n' +
  '- **Workspace Directories:**\n  - /home/dev/shop\n</session_context>';
const linesOf = (lines: readonly Json[]): string[] => lines.map((one) => JSON.stringify(one));
const read = (...lines: Json[]) => readAll(geminiParser, linesOf(lines), CONTEXT);
const user = (id: string, ...texts: string[]): Json => ({
  id,
  timestamp: '2026-12-01T10:00:01Z',
  type: 'user',
  content: texts.map((text) => ({ text })),
});
const model = (id: string, content: string, more: Json = {}): Json => ({
  id,
  timestamp: '2026-12-01T10:00:02Z',
  type: 'gemini',
  model: 'gemini-pro',
  content,
  ...more,
});
const response = (id: string, name: string, body: Json): Json => ({
  functionResponse: { id, name, response: body },
});
const call = (id: string, status: string, result: readonly Json[]): Json => ({
  id,
  name: 'run',
  args: { command: 'ls' },
  status,
  result,
  timestamp: '2026-12-01T10:00:03Z',
});

describe('what the shell says of a command', () => {
  const SHELL = 'run_shell_command';
  test.each([
    ['Output: a\nb\nProcess Group PGID: 7', 'a\nb', false],
    ['Output: a\nExit Code: 4\nProcess Group PGID: 7', 'a', true],
    ['Output: (empty)\nSignal: 9', '', true],
    [
      'Output: (empty)\nError: no shell\nExit Code: 1\nBackground PIDs: 8, 9',
      'Error: no shell',
      true,
    ],
    ['Output: ok\nError: none found\nProcess Group PGID: 7', 'ok\nError: none found', false],
    ['Output: a\nExit Code: 1\nExit Code: 2\nProcess Group PGID: 7', 'a\nExit Code: 1', true],
    ['Output: a\nProcess Group PGID: 5\nProcess Group PGID: 7', 'a\nProcess Group PGID: 5', false],
    ['Output: Exit Code: 4\nis what it said', 'Exit Code: 4\nis what it said', false],
    ['Command moved to background (PID: 7).', 'Command moved to background (PID: 7).', false],
  ])('%j', (text, printed, isError) => {
    expect(shellResult(SHELL, text)).toEqual({ text: printed, isError });
  });

  test('of another tool stays as it is', () => {
    const text = 'Output: a\nExit Code: 4';
    expect(shellResult('read_file', text)).toEqual({ text, isError: false });
  });
});

describe('messages', () => {
  test('thoughts, words, calls and their results are typed parts in order', () => {
    const reading = read(
      HEAD,
      user('u', 'List it'),
      model('m', 'I list.', {
        thoughts: [{ subject: 'Plan', description: 'List the folder.' }],
        toolCalls: [
          call('c1', 'success', [response('c1', 'run', { output: 'a.ts' })]),
          call('c2', 'error', [response('c2', 'run', { error: 'no such folder' })]),
        ],
      }),
    );
    expect(told(reading)).toEqual([
      ['user', 'text: List it'],
      [
        'assistant',
        'reasoning: Plan\nList the folder.',
        'text: I list.',
        'run <- {"command":"ls"}',
        'run <- {"command":"ls"}',
      ],
      ['tool', 'run -> a.ts'],
      ['tool', 'run -> (error) no such folder'],
    ]);
    expect(reading.messages.map((one) => one.externalId)).toEqual([
      'u',
      'm',
      'result:c1',
      'result:c2',
    ]);
    expect(reading.messages[2]?.at).toBe(Date.parse('2026-12-01T10:00:03Z'));
  });

  test('a call that waits has no result yet; one that was cancelled failed', () => {
    const toolCalls = [call('c1', 'executing', []), call('c2', 'cancelled', [])];
    const reading = read(HEAD, model('m', '', { toolCalls }));
    expect(told(reading).slice(1)).toEqual([['tool', 'run -> (error) ']]);
    expect(reading.messages[1]?.externalId).toBe('result:c2');
  });

  test('the last line of an id holds, with the results that came meanwhile', () => {
    const done = call('c1', 'success', [response('c1', 'run', { output: 'a.ts' })]);
    const reading = read(
      HEAD,
      model('m', '', { toolCalls: [call('c1', 'executing', [])] }),
      model('m', 'Done.', { toolCalls: [done] }),
    );
    expect(told(reading)).toEqual([
      ['assistant', 'text: Done.', 'run <- {"command":"ls"}'],
      ['tool', 'run -> a.ts'],
    ]);
  });

  test('a result that a user line repeats is taken once: from the call', () => {
    const body = response('c1', 'run', { output: 'a.ts' });
    const repeated = { id: 'u', type: 'user', content: [response('c1', 'run', { output: 'b' })] };
    const held = model('m', '', { toolCalls: [call('c1', 'success', [body])] });
    expect(told(read(HEAD, held, repeated)).filter(([role]) => role === 'tool')).toEqual([
      ['tool', 'run -> a.ts'],
    ]);
    expect(told(read(HEAD, repeated))).toEqual([['tool', 'run -> b']]);
  });

  test('calls and thoughts within the content are read where no list holds them', () => {
    const content = [
      { text: 'Hm.', thought: true },
      { text: 'Look:' },
      { functionCall: { id: 'c1', name: 'read', args: { path: 'a' } } },
    ];
    const reading = read(HEAD, { id: 'm', type: 'model', content });
    expect(told(reading)).toEqual([
      ['assistant', 'reasoning: Hm.', 'text: Look:', 'read <- {"path":"a"}'],
    ]);
    const listed = { id: 'm', type: 'model', content, toolCalls: [call('c1', 'executing', [])] };
    expect(told(read(HEAD, listed))).toEqual([
      ['assistant', 'reasoning: Hm.', 'text: Look:', 'run <- {"command":"ls"}'],
    ]);
  });

  test('pictures are kept by reference', () => {
    const content = [
      { text: 'See' },
      { inlineData: { mimeType: 'image/png', data: 'aGVsbG8=' } },
      { fileData: { mimeType: 'image/webp', fileUri: 'file:///a.webp' } },
    ];
    const reading = read(HEAD, { id: 'u', type: 'user', content });
    expect(told(reading)).toEqual([['user', 'text: See', '(image/png)', '(image/webp)']]);
    expect(JSON.stringify(reading.events)).not.toContain('aGVsbG8=');
  });
});

describe('what is no message', () => {
  test('the context, summaries and the context of hooks are counted, not told', () => {
    const reading = read(
      HEAD,
      user('a', SETUP),
      user('b', '<state_snapshot>so far</state_snapshot>'),
      user('c', 'Go on <hook_context>memory</hook_context>'),
    );
    expect(told(reading)).toEqual([['user', 'text: Go on']]);
    expect(skipsOf(reading)).toEqual({
      'injected/session context': 1,
      'compaction/state_snapshot': 1,
      'injected/hook_context': 1,
    });
  });

  test('a file that was mentioned leaves the mention, not what it holds', () => {
    const reading = read(
      HEAD,
      user(
        'a',
        'Explain @a.ts',
        '\n--- Content from referenced files ---',
        '\nContent from @a.ts:\n',
        'const a = 1;',
        '\n--- End of content ---',
        'in a line',
      ),
    );
    expect(told(reading)).toEqual([['user', 'text: Explain @a.ts', 'text: in a line']]);
    expect(skipsOf(reading)).toEqual({ 'injected/referenced files': 1 });
  });

  test('notices, what was undone, unknown kinds and torn lines are counted', () => {
    const [head = '', line = ''] = linesOf([HEAD, user('u', 'Hi')]);
    const rest = linesOf([
      { id: 'a', type: 'info', content: 'Update available' },
      { id: 'b', type: 'hologram', content: 'x' },
      { $rewindTo: 'u' },
      { nothing: 'known' },
    ]);
    const reading = readAll(geminiParser, [head, line.slice(0, -3), line, ...rest], CONTEXT);
    expect(told(reading)).toEqual([['user', 'text: Hi']]);
    expect(skipsOf(reading)).toEqual({
      'invalid/line': 1,
      'meta/info': 1,
      'unknown/hologram': 1,
      'meta/$rewindTo': 1,
      'unknown/line': 1,
    });
  });
});

describe('sessions', () => {
  test('a history as rewritten adds what was not known, and repeats nothing', () => {
    const reading = read(
      HEAD,
      user('u', 'Hi'),
      model('m', 'Hello.'),
      { $set: { messages: [user('s', '<state_snapshot>x</state_snapshot>'), model('m', 'Cut')] } },
      { $set: { messages: [user('n', 'New')] } },
    );
    expect(told(reading)).toEqual([
      ['user', 'text: Hi'],
      ['assistant', 'text: Hello.'],
      ['user', 'text: New'],
    ]);
    expect(skipsOf(reading)).toEqual({ 'compaction/state_snapshot': 1 });
  });

  test('the folder comes from the feed, else from the context that was injected', () => {
    const known = readAll(
      geminiParser,
      [contextLine('/home/dev/own'), ...linesOf([HEAD, user('a', SETUP), user('u', 'Hi')])],
      CONTEXT,
    );
    expect(known.sessions[0]?.cwd).toBe('/home/dev/own');
    expect(read(HEAD, user('a', SETUP), user('u', 'Hi')).sessions[0]?.cwd).toBe('/home/dev/shop');
  });

  test('a session is told once it holds a message, and again when it learns its title', () => {
    expect(read(HEAD, user('a', SETUP)).sessions).toEqual([]);
    const reading = read(HEAD, model('m', 'Hi.'), { $set: { summary: 'Greeting' } });
    expect(reading.sessions).toMatchObject([
      { externalId: 's1', model: 'gemini-pro' },
      { externalId: 's1', title: 'Greeting' },
    ]);
  });

  test("a sub-agent's chat is below the session whose folder it lies in", () => {
    const context = { path: `${CHATS}/s1/session-2026-sub.jsonl`, part: '' };
    const lines = linesOf([{ ...HEAD, sessionId: 's2' }, user('u', 'Look')]);
    expect(readAll(geminiParser, lines, context).sessions[0]).toMatchObject({
      externalId: 's2',
      parent: { externalId: 's1', kind: 'subagent' },
    });
  });

  test('an older document is read whole', () => {
    const reading = read({ ...HEAD, messages: [user('u', 'Hi'), model('m', 'Hello.'), 7] });
    expect(told(reading)).toEqual([
      ['user', 'text: Hi'],
      ['assistant', 'text: Hello.'],
    ]);
    expect(skipsOf(reading)).toEqual({ 'invalid/message': 1 });
  });

  test('a chat is told by its first line', () => {
    expect(isGeminiStart(JSON.stringify(HEAD))).toBe(true);
    expect(isGeminiStart('{"sessionId":"s1"}')).toBe(false);
  });
});

test('a saved state at any line gives the same events; damage is no failure', () => {
  const body = response('c1', 'run', { output: 'a.ts' });
  const lines = linesOf([
    HEAD,
    { $set: { messages: [user('a', SETUP)] } },
    user('u', 'Hi <hook_context>x</hook_context>'),
    model('m', 'Hi.', { toolCalls: [call('c1', 'success', [body])] }),
    { id: 'r', type: 'user', content: [body] },
    { $set: { summary: 'Greeting' } },
  ]);
  expect(splitDifferences(geminiParser, lines, CONTEXT)).toEqual([]);
  expect(readAll(geminiParser, [...lines, ...lines], CONTEXT).messages).toEqual(
    readAll(geminiParser, lines, CONTEXT).messages,
  );
  checkDamage(geminiParser, lines, CONTEXT);
});
