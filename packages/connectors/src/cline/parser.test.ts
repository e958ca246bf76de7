/** The Cline parser on the extension's conversations and on the program's sessions. */
import { describe, expect, test } from 'vitest';
import { checkDamage, readAll, skipsOf, told } from '../testing/parser-checks.ts';
import { clineParser } from './parser.ts';

type Json = Readonly<Record<string, unknown>>;

const CONTEXT = { path: '/home/dev/.cline/data/sessions/s1/s1.messages.json', part: '' };
const read = (document: unknown) => readAll(clineParser, [JSON.stringify(document)], CONTEXT);
const text = (words: string): Json => ({ type: 'text', text: words });
const use = (id: string, name: string, input: Json = {}): Json => ({
  type: 'tool_use',
  id,
  name,
  input,
});
const result = (id: string, content: unknown, more: Json = {}): Json => ({
  type: 'tool_result',
  tool_use_id: id,
  content,
  ...more,
});
const turn = (role: string, ...content: Json[]): Json => ({ role, content });
const program = (messages: readonly Json[], more: Json = {}) =>
  read({
    sessionId: 's1',
    messages: messages.map((one, at) => ({ id: `m${at}`, ...one })),
    ...more,
  });
const extension = (messages: readonly Json[], more: Json = {}) =>
  read({ $task: 't1', $cwd: '/home/dev/shop', $title: '', $times: [], $api: messages, ...more });

describe('the program', () => {
  test('words without their wrapper, thoughts, calls and results are typed parts', () => {
    const reading = program([
      turn('user', text('<user_input mode="act">Add a test</user_input>')),
      turn('assistant', { type: 'thinking', thinking: 'Which?' }, text('On it.'), use('c', 'run')),
      turn('user', result('c', [{ query: 'npm test', result: 'ok\n', success: true }])),
    ]);
    expect(told(reading)).toEqual([
      ['user', 'text: Add a test'],
      ['assistant', 'reasoning: Which?', 'text: On it.', 'run <- {}'],
      ['tool', 'run -> $ npm test\nok\n'],
    ]);
    expect(reading.messages.map((one) => one.externalId)).toEqual(['m0', 'm1', 'm2:0']);
    expect(reading.messages[2]?.parts[0]).toMatchObject({ callId: 'c' });
  });

  test('one failed answer among several makes the result a failure, and says why', () => {
    const reading = program([
      turn('assistant', use('c', 'read_files')),
      turn(
        'user',
        result('c', [
          { query: '/a', result: 'found', success: true },
          { query: '/b', result: '', error: 'no such file', success: false },
        ]),
      ),
    ]);
    expect(told(reading)[1]).toEqual([
      'tool',
      'read_files -> (error) $ /a\nfound\n$ /b\nno such file',
    ]);
  });

  test('an answer that stands in a text as JSON is unwrapped; other JSON is left', () => {
    const answer = JSON.stringify({ query: 'edit:/a', result: 'Edited', success: true });
    const reading = program([
      turn('user', result('c', answer, { name: 'editor' })),
      turn('user', result('d', '{"text":"Done.","iterations":2}', { name: 'spawn_agent' })),
      turn('user', result('e', '{"text":"kept"}', { name: 'mcp_tool' })),
      turn('user', result('f', '{"result":"kept"', { name: 'mcp_tool' })),
    ]);
    expect(told(reading).map(([, one]) => one)).toEqual([
      'editor -> $ edit:/a\nEdited',
      'spawn_agent -> Done.',
      'mcp_tool -> {"text":"kept"}',
      'mcp_tool -> {"result":"kept"',
    ]);
  });

  test('a session is told by its manifest; the title is what the person wrote', () => {
    const reading = program([turn('user', text('Hi'))], {
      origin: { version: '3.0.65' },
      $manifest: {
        cwd: '/home/dev/shop',
        model: 'm1',
        metadata: {
          title: '<user_input mode="act">Hi</user_input>',
          git: { url: 'https://github.com/example/shop.git', branch: 'main' },
        },
      },
    });
    expect(reading.sessions).toMatchObject([
      {
        externalId: 's1',
        cwd: '/home/dev/shop',
        title: 'Hi',
        model: 'm1',
        gitRemote: 'https://github.com/example/shop.git',
        gitBranch: 'main',
        agentVersion: '3.0.65',
      },
    ]);
  });

  test('a sub-agent is a session below the one that sent it', () => {
    const reading = program([turn('user', text('Look'))], {
      sessionId: 's1__agent_1',
      origin: { mode: 'subagent', parentThreadId: 's1' },
    });
    expect(reading.sessions[0]).toMatchObject({
      externalId: 's1__agent_1',
      parent: { externalId: 's1', kind: 'subagent' },
    });
  });
});

describe('the extension', () => {
  test("the person's words are told from what the extension put beside them", () => {
    const details =
      '<environment_details>\n# Current Working Directory (/home/dev/shop) Files\na.ts\n' +
      '</environment_details>';
    const reading = extension(
      [
        turn('user', text('<task>\nFix it\n</task>'), text(details)),
        turn('user', text('[ERROR] You did not use a tool'), text(details)),
        turn('user', text('<feedback>\nNot so\n</feedback>')),
      ],
      { $cwd: '' },
    );
    expect(told(reading)).toEqual([
      ['user', 'text: Fix it'],
      ['user', 'text: Not so'],
    ]);
    expect(reading.sessions[0]?.cwd).toBe('/home/dev/shop');
    expect(skipsOf(reading)).toEqual({ 'injected/environment_details': 2, 'injected/notice': 1 });
  });

  test('calls in text are calls, and their results find them by tool, oldest first', () => {
    const reading = extension([
      turn(
        'assistant',
        text(
          '<thinking>Two.</thinking>Running.<execute_command><command>npm test</command>' +
            '</execute_command><read_file><path>a.ts</path></read_file>',
        ),
      ),
      turn('user', text("[execute_command for 'npm test'] Result:\n1 passed")),
      turn('user', text("[read_file for 'a.ts'] Result:"), text('Error: no such file')),
    ]);
    expect(told(reading)).toEqual([
      [
        'assistant',
        'reasoning: Two.',
        'text: Running.',
        'execute_command <- {"command":"npm test"}',
        'read_file <- {"path":"a.ts"}',
      ],
      ['tool', 'execute_command -> 1 passed'],
      ['tool', 'read_file -> (error) Error: no such file'],
    ]);
    const ids = reading.messages.flatMap(({ parts }) =>
      parts.flatMap((part) => ('callId' in part ? [part.callId] : [])),
    );
    expect([ids[2], ids[3]]).toEqual([ids[0], ids[1]]);
  });

  test('what the person added to a result is theirs', () => {
    const reading = extension([
      turn('assistant', text('<execute_command><command>rm x</command></execute_command>')),
      turn(
        'user',
        text(
          "[execute_command for 'rm x'] Result:\nThe user denied this.\n" +
            '<feedback>\nMove it instead\n</feedback>',
        ),
      ),
    ]);
    expect(told(reading).slice(1)).toEqual([
      ['tool', 'execute_command -> The user denied this.'],
      ['user', 'text: Move it instead'],
    ]);
  });

  test('a page of HTML in an answer is no call', () => {
    const reading = extension([turn('assistant', text('<title>Shop</title><task>x</task>'))]);
    expect(told(reading)).toEqual([['assistant', 'text: <title>Shop</title><task>x</task>']]);
  });

  test('times come from what was shown, by place; messages have no id', () => {
    const reading = extension([turn('user', text('Hi')), turn('assistant', text('Yes'))], {
      $times: [[0, 1_796_000_000_000], [0, 1_796_000_009_000], ['0', 1], 7],
    });
    expect(reading.messages.map((one) => one.at)).toEqual([1_796_000_000_000, 1_796_000_000_000]);
    expect(reading.messages.map((one) => one.externalId)).toEqual(['', '']);
  });
});

test('summaries, system prompts, hidden thoughts and unknown kinds are counted', () => {
  const reading = extension([
    turn('system', text('You are Cline')),
    turn('user', text('This session is being continued from a previous conversation. …')),
    turn('assistant', { type: 'redacted_thinking', data: 'x' }, { type: 'hologram' }),
    turn('oracle', text('hm')),
    turn('user', text('Go on'), { type: 'hologram' }),
  ]);
  expect(told(reading)).toEqual([['user', 'text: Go on']]);
  expect(skipsOf(reading)).toEqual({
    'injected/message system': 1,
    'compaction/summary': 1,
    'meta/redacted_thinking': 1,
    'unknown/block hologram': 2,
    'unknown/message oracle': 1,
  });
});

test('a picture is kept by reference, in words and in results', () => {
  const source = { type: 'base64', media_type: 'image/png', data: 'aGVsbG8=' };
  const image = { type: 'image', source };
  const reading = extension([
    turn('user', text('<task>See</task>'), image),
    turn('user', result('c', [text('shot'), image], { name: 'browser_action' })),
  ]);
  expect(told(reading)).toEqual([
    ['user', 'text: See', '(image/png)'],
    ['tool', 'browser_action -> shot', '(image/png)'],
  ]);
  expect(JSON.stringify(reading.events)).not.toContain('aGVsbG8=');
});

test('a document read again gives the same; a torn one is counted; damage is no failure', () => {
  const document = JSON.stringify({
    sessionId: 's1',
    messages: [
      { id: 'a', ...turn('user', text('<user_input mode="act">Hi</user_input>')) },
      { id: 'b', ...turn('assistant', text('<read_file><path>a</path></read_file>')) },
      { id: 'c', ...turn('user', text("[read_file for 'a'] Result:\nx"), result('d', 'y')) },
    ],
  });
  const once = readAll(clineParser, [document], CONTEXT).events;
  const twice = readAll(clineParser, [document, document], CONTEXT).events;
  expect(twice).toEqual([...once, ...once]);
  const torn = readAll(clineParser, [document.slice(0, -9)], CONTEXT);
  expect(torn.events).toEqual([{ type: 'skip', reason: 'invalid', what: 'document' }]);
  checkDamage(clineParser, [document], CONTEXT);
});
