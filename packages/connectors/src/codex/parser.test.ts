/** Codex lines of every age: what is a message, what is counted, where a session came from. */
import { describe, expect, test } from 'vitest';
import { checkDamage, readAll, skipsOf, splitDifferences } from '../testing/parser-checks.ts';
import { toolOutput } from './output.ts';
import { codexParser, isRolloutStart } from './parser.ts';

const SESSION = '01a22ff9-aac8-7e11-b561-6e716df0f34f';
const OTHER = '01a22ff7-ed80-7020-bef6-400163e072f7';
const PATH = {
  path: `/home/dev/.codex/sessions/2026/12/01/rollout-2026-12-01T05-00-21-${SESSION}.jsonl`,
  part: '',
};
const at = '2026-12-01T05:00:21.279Z';

const line = (type: string, payload: object, more: object = {}): string =>
  JSON.stringify({ timestamp: at, type, payload, ...more });
const meta = (more: object = {}): string =>
  line('session_meta', { id: SESSION, cwd: '/home/dev/shop', cli_version: '0.171.0', ...more });
const item = (payload: object, more: object = {}): string => line('response_item', payload, more);
const user = (text: string, kind?: string): string =>
  item({
    type: 'message',
    role: 'user',
    content: [{ type: 'input_text', text }],
    ...(kind === undefined
      ? {}
      : { internal_chat_message_metadata_passthrough: { content_item_kinds: [kind] } }),
  });
const answer = (text: string, more: object = {}): string =>
  item({ type: 'message', role: 'assistant', content: [{ type: 'output_text', text }], ...more });
const called = (id: string, name: string, args = '{"a":1}'): string =>
  item({ type: 'function_call', name, arguments: args, call_id: id });
const answered = (id: string, output: unknown): string =>
  item({ type: 'function_call_output', call_id: id, output });
const read = (...lines: readonly string[]) => readAll(codexParser, lines, PATH);

const OLD_PLACE = 'Current working directory: /home/dev/shop';
const SHELL_RESULT = '<result>\nExit code: 2\nDuration: 0.5 seconds\nOutput:\nfailed\n</result>';

const TURN = [
  meta(),
  line('turn_context', { cwd: '/home/dev/shop/web', model: 'gpt-5' }),
  user('<environment_context>\n  <cwd>/home/dev/shop</cwd>\n</environment_context>'),
  user('why does the retry loop spin?'),
  line('event_msg', { type: 'user_message', message: 'why does the retry loop spin?' }),
  item({
    type: 'reasoning',
    summary: [{ type: 'summary_text', text: '**Looking**' }],
    encrypted_content: 'gAAAA',
  }),
  called('call_1', 'shell'),
  called('call_2', 'shell'),
  answered('call_2', 'Exit code: 1\nWall time: 0.1 seconds\nOutput:\nno such file\n'),
  answered('call_1', '{"output":"ok\\n","metadata":{"exit_code":0,"duration_seconds":0.1}}'),
  answer('It has no delay.'),
  line('event_msg', { type: 'agent_message', message: 'It has no delay.' }),
];

describe('items', () => {
  test('each is one message, taken once; results carry their tool', () => {
    const { messages } = read(...TURN);
    expect(messages.map((m) => [m.role, m.parts[0]])).toEqual([
      ['user', { type: 'text', text: 'why does the retry loop spin?' }],
      ['assistant', { type: 'reasoning', text: '**Looking**' }],
      ['assistant', { type: 'tool_call', callId: 'call_1', tool: 'shell', input: '{"a":1}' }],
      ['assistant', { type: 'tool_call', callId: 'call_2', tool: 'shell', input: '{"a":1}' }],
      [
        'tool',
        {
          type: 'tool_result',
          callId: 'call_2',
          tool: 'shell',
          text: 'no such file\n',
          isError: true,
        },
      ],
      [
        'tool',
        { type: 'tool_result', callId: 'call_1', tool: 'shell', text: 'ok\n', isError: false },
      ],
      ['assistant', { type: 'text', text: 'It has no delay.' }],
    ]);
    expect(splitDifferences(codexParser, TURN, PATH)).toEqual([]);
  });

  test('older and rarer calls are calls: shell, custom, search, image', () => {
    const { messages } = read(
      meta(),
      item({
        type: 'local_shell_call',
        call_id: 'c1',
        action: { type: 'exec', command: ['ls', '-l'] },
      }),
      item({
        type: 'custom_tool_call',
        call_id: 'c2',
        name: 'apply_patch',
        input: '*** Begin Patch',
      }),
      item({ type: 'custom_tool_call_output', call_id: 'c2', output: 'Success' }),
      item({ type: 'web_search_call', id: 'ws_1', action: { type: 'search', query: 'q' } }),
      item({
        type: 'image_generation_call',
        id: 'ig_1',
        revised_prompt: 'a cat',
        result: 'aGVsbG8=',
      }),
    );
    expect(messages.map((m) => m.parts[0])).toEqual([
      { type: 'tool_call', callId: 'c1', tool: 'local_shell', input: '{"command":["ls","-l"]}' },
      { type: 'tool_call', callId: 'c2', tool: 'apply_patch', input: '*** Begin Patch' },
      { type: 'tool_result', callId: 'c2', tool: 'apply_patch', text: 'Success', isError: false },
      {
        type: 'tool_call',
        callId: 'ws_1',
        tool: 'web_search',
        input: '{"type":"search","query":"q"}',
      },
      { type: 'tool_call', callId: 'ig_1', tool: 'image_generation', input: '{"prompt":"a cat"}' },
    ]);
    expect(messages.at(-1)?.parts[1]?.type).toBe('image_ref');
  });

  test('an id that comes twice does not make the second message replace the first', () => {
    const same = { id: 'msg_0000000000000000' };
    const { messages } = read(
      meta(),
      answer('one', same),
      answer('two', same),
      answer('three', { id: 'm1' }),
    );
    expect(messages.map((m) => m.externalId)).toEqual([same.id, '', '']);
  });

  test.each([
    [
      'instructions',
      user('# AGENTS.md instructions for /home/dev\n\n<INSTRUCTIONS>x'),
      'injected/instructions',
    ],
    [
      'a piece that says it is no user’s',
      user('recalled', 'hooks.additional_context'),
      'injected/hooks.additional_context',
    ],
    [
      'developer messages',
      item({ type: 'message', role: 'developer', content: [] }),
      'injected/developer',
    ],
    [
      'a summary for compaction',
      item(
        { type: 'message', role: 'assistant', content: [{ text: 'so far' }] },
        { metadata: { compaction_output: true } },
      ),
      'compaction/summary',
    ],
    [
      'a compacted line with its history',
      line('compacted', {
        message: 'x',
        replacement_history: [{ type: 'message', role: 'user', content: 'old' }],
      }),
      'compaction/compacted',
    ],
    ['an aborted turn', user('<turn_aborted>\nwhy\n</turn_aborted>'), 'meta/aborted'],
    [
      'encrypted reasoning',
      item({ type: 'reasoning', summary: [], encrypted_content: 'gAAAA' }),
      'meta/reasoning',
    ],
    [
      'descriptions of tools',
      item({ type: 'tool_search_output', call_id: 'c', tools: [] }),
      'injected/tool_search_output',
    ],
    ['a new item', item({ type: 'telepathy' }), 'unknown/item telepathy'],
    ['a new line', line('hologram', {}), 'unknown/hologram'],
    ['no JSON', '{"timestamp":', 'invalid/line'],
  ])('%s are no message', (_, one, skipped) => {
    const reading = read(meta(), one);
    expect(reading.messages).toEqual([]);
    expect(skipsOf(reading)).toEqual({ 'meta/session_meta': 1, [skipped]: 1 });
  });

  test('the request inside an editor’s context, and a shell command of the person', () => {
    const { messages } = read(
      meta(),
      user(
        '# Context from my IDE setup:\n\n## Open: a.ts\n\n## My request for Codex:\nrename it\n',
      ),
      user(
        `<user_shell_command>\n<command>npm test</command>\n${SHELL_RESULT}\n</user_shell_command>`,
      ),
    );
    expect(messages.map((m) => [m.role, m.parts])).toEqual([
      ['user', [{ type: 'text', text: 'rename it' }]],
      ['user', [{ type: 'text', text: '! npm test' }]],
      [
        'tool',
        [
          {
            type: 'tool_result',
            callId: 'shell:npm test',
            tool: 'shell',
            text: 'failed',
            isError: true,
          },
        ],
      ],
    ]);
  });
});

test.each([
  ['plain', 'plain', false],
  [{ content: 'c', success: false }, 'c', true],
  [
    [
      { type: 'input_text', text: 'Wall time: 0.1 seconds\nOutput:' },
      { type: 'input_text', text: 'x' },
    ],
    'x',
    false,
  ],
  ['Chunk ID: ab\nProcess exited with code 3\nOriginal token count: 1\nOutput:\ny', 'y', true],
  ['Output:\nkept as it is', 'Output:\nkept as it is', false],
  ['{"output":"not a wrapper"}', '{"output":"not a wrapper"}', false],
  [null, '', false],
])('output %j', (output, text, isError) => {
  expect(toolOutput(output)).toMatchObject({ text, isError });
});

describe('sessions', () => {
  test('are told with place, remote, branch and model before their first message', () => {
    const git = {
      repository_url: 'git@example.com:dev/shop.git',
      branch: 'main',
      commit_hash: 'ab',
    };
    const { events } = read(meta({ git }), line('turn_context', { model: 'gpt-5' }), user('hi'));
    expect(events.filter((e) => e.type !== 'skip')[0]).toEqual({
      type: 'session',
      externalId: SESSION,
      cwd: '/home/dev/shop',
      gitRemote: 'git@example.com:dev/shop.git',
      gitBranch: 'main',
      model: 'gpt-5',
      agentVersion: '0.171.0',
    });
  });

  test('a fork that copied its parent keeps its own id and names the parent', () => {
    const copied = line('session_meta', { id: OTHER, cwd: '/home/dev/old' });
    const { sessions } = read(meta(), copied, user('hi'));
    expect(sessions[0]).toMatchObject({
      externalId: SESSION,
      cwd: '/home/dev/shop',
      parent: { externalId: OTHER, kind: 'fork' },
    });
    const declared = read(meta({ forked_from_id: OTHER }), user('hi'));
    expect(declared.sessions[0]?.parent).toEqual({ externalId: OTHER, kind: 'fork' });
  });

  test.each([
    [{ source: { subagent: { thread_spawn: { parent_thread_id: OTHER } } } }],
    [{ parent_thread_id: OTHER }],
    [{ session_id: OTHER, source: { subagent: 'review' } }],
  ])('a sub-agent names its parent: %j', (more) => {
    expect(read(meta(more), user('hi')).sessions[0]?.parent).toEqual({
      externalId: OTHER,
      kind: 'subagent',
    });
  });

  test('a name that the thread gets later is its title', () => {
    const { sessions } = read(
      meta(),
      user('hi'),
      line('event_msg', { type: 'thread_name_updated', thread_name: 'Retries' }),
    );
    expect(sessions.map((s) => s.title)).toEqual([undefined, 'Retries']);
  });
});

describe('first versions', () => {
  const bare = [
    JSON.stringify({ id: SESSION, timestamp: at, instructions: null, git: { branch: 'main' } }),
    JSON.stringify({ record_type: 'state' }),
    JSON.stringify({
      type: 'message',
      role: 'user',
      content: [
        {
          type: 'input_text',
          text: `<environment_context>\n${OLD_PLACE}\n</environment_context>`,
        },
      ],
    }),
    JSON.stringify({
      type: 'message',
      role: 'user',
      content: [{ type: 'input_text', text: 'hi' }],
    }),
    JSON.stringify({ type: 'function_call', name: 'shell', arguments: '{}', call_id: 'c1' }),
    JSON.stringify({ type: 'function_call_output', call_id: 'c1', output: 'x' }),
  ];

  test('bare items after a bare first line are read, with the place from the environment', () => {
    const { messages, sessions } = read(...bare);
    expect(messages.map((m) => m.role)).toEqual(['user', 'assistant', 'tool']);
    expect(sessions[0]).toMatchObject({
      externalId: SESSION,
      cwd: '/home/dev/shop',
      gitBranch: 'main',
    });
  });

  test('a whole document is read like its lines', () => {
    const document = JSON.stringify({
      session: { id: SESSION, timestamp: at, instructions: '' },
      items: bare.slice(2).map((one) => JSON.parse(one)),
    });
    const whole = read(document).messages.map((m) => m.parts);
    expect(whole).toEqual(read(...bare).messages.map((m) => m.parts));
  });

  test('a rollout is told by its first line, whatever its name', () => {
    expect(isRolloutStart(meta())).toBe(true);
    expect(isRolloutStart(bare[0] ?? '')).toBe(true);
    expect(isRolloutStart('{"type":"user","id":"x"}')).toBe(false);
    expect(isRolloutStart('{"id":"x"}')).toBe(false);
  });
});

test('damaged lines never throw, and what they give is sound', () => {
  checkDamage(codexParser, TURN, PATH);
});
