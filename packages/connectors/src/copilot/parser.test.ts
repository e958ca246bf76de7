/** Copilot CLI events of every age: what is a message, whose, and what is counted. */
import { describe, expect, test } from 'vitest';
import { checkDamage, readAll, skipsOf, splitDifferences } from '../testing/parser-checks.ts';
import { copilotParser } from './parser.ts';
import { toolAnswer } from './results.ts';

const SESSION = '34d625af-a0c1-4c38-96c8-6ae26a6afaad';
const PATH = { path: `/home/dev/.copilot/session-state/${SESSION}/events.jsonl`, part: '' };
const uuid = (n: number): string => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;

let next = 0;
const event = (type: string, data: object, more: object = {}): string => {
  next += 1;
  const timestamp = '2026-12-01T05:44:20.876Z';
  return JSON.stringify({ type, data, id: uuid(next), timestamp, parentId: null, ...more });
};
const start = (context: object = { cwd: '/home/dev/shop', branch: 'main' }): string =>
  event('session.start', { sessionId: SESSION, copilotVersion: '1.0.102', context });
const read = (...lines: readonly string[]) => readAll(copilotParser, lines, PATH);

const TURN = [
  start(),
  event('user.message', { content: 'pin the version', transformedContent: '<x>pin</x>' }),
  event('system.message', { role: 'system', content: 'You are …' }),
  event('assistant.message', {
    model: 'gpt-5',
    content: 'Looking.',
    reasoningText: 'which one?',
    toolRequests: [
      { toolCallId: 'call_1', name: 'bash', arguments: { command: 'npm ls' } },
      { toolCallId: 'call_2', name: 'mem-recall', mcpServerName: 'mem', mcpToolName: 'recall' },
    ],
  }),
  event('tool.execution_start', { toolCallId: 'call_1', toolName: 'bash' }),
  event('tool.execution_complete', {
    toolCallId: 'call_2',
    success: false,
    error: { message: 'no such server' },
  }),
  event('tool.execution_complete', {
    toolCallId: 'call_1',
    success: true,
    result: { content: 'a@1\n<exited with exit code 1>' },
  }),
];

describe('events', () => {
  test('a turn: words, reasoning, calls, and results in the order they came', () => {
    const { messages } = read(...TURN);
    expect(messages.map((m) => [m.role, m.idScope, m.parts])).toEqual([
      ['user', 'global', [{ type: 'text', text: 'pin the version' }]],
      [
        'assistant',
        'global',
        [
          { type: 'reasoning', text: 'which one?' },
          { type: 'text', text: 'Looking.' },
          { type: 'tool_call', callId: 'call_1', tool: 'bash', input: '{"command":"npm ls"}' },
          { type: 'tool_call', callId: 'call_2', tool: 'mcp__mem__recall', input: '' },
        ],
      ],
      [
        'tool',
        'global',
        [
          {
            type: 'tool_result',
            callId: 'call_2',
            tool: 'mcp__mem__recall',
            text: 'no such server',
            isError: true,
          },
        ],
      ],
      [
        'tool',
        'global',
        [{ type: 'tool_result', callId: 'call_1', tool: 'bash', text: 'a@1', isError: true }],
      ],
    ]);
    expect(splitDifferences(copilotParser, TURN, PATH)).toEqual([]);
  });

  test('reasoning told by its own event belongs to the message after it, once', () => {
    const { messages } = read(
      start(),
      event('assistant.reasoning', { reasoningId: 'r', content: 'hmm' }),
      event('assistant.message', { content: 'a' }),
      event('assistant.message', { content: 'b' }),
    );
    expect(messages.map((m) => m.parts.length)).toEqual([2, 1]);
  });

  test('a command that the person ran is the person’s call', () => {
    const { messages } = read(
      start(),
      event('tool.user_requested', {
        toolCallId: 'u1',
        toolName: 'bash',
        arguments: { command: 'ls' },
      }),
      event('tool.execution_complete', { toolCallId: 'u1', success: true, result: 'a.ts' }),
    );
    expect(messages.map((m) => m.role)).toEqual(['user', 'tool']);
    expect(messages[1]?.parts[0]).toMatchObject({ tool: 'bash', text: 'a.ts', isError: false });
  });

  test('an attached picture is a reference', () => {
    const { messages } = read(
      start(),
      event('user.message', {
        content: 'see',
        attachments: [
          { type: 'file', path: '/home/dev/shop/shot.png' },
          { type: 'file', path: '/home/dev/shop/a.ts' },
        ],
      }),
    );
    expect(messages[0]?.parts[1]).toEqual({
      type: 'image_ref',
      mediaType: '',
      digest: '',
      source: '/home/dev/shop/shot.png',
    });
    expect(messages[0]?.parts).toHaveLength(2);
  });

  test.each([
    [
      'a skill’s text',
      event('skill.invoked', { name: 'x', content: 'y' }),
      'injected/skill.invoked',
    ],
    [
      'a prompt of the program',
      event('user.message', { content: 'continue', source: 'autopilot' }),
      'injected/autopilot',
    ],
    [
      'a compaction',
      event('session.compaction_complete', { summaryContent: 'so far' }),
      'compaction/session.compaction_complete',
    ],
    ['an empty answer', event('assistant.message', { content: '' }), 'meta/empty'],
    ['a new type', event('session.hologram', {}), 'unknown/session.hologram'],
    ['no JSON', '{"type":', 'invalid/line'],
  ])('%s is no message', (_, one, skipped) => {
    const reading = read(start(), one);
    expect(reading.messages).toEqual([]);
    expect(skipsOf(reading)).toEqual({ 'meta/session.start': 1, [skipped]: 1 });
  });

  test('blocks of the program in a prompt go, the words stay', () => {
    const reading = read(
      start(),
      event('user.message', {
        content:
          '<current_datetime>now</current_datetime>\n\nwhy?\n<system_reminder>x</system_reminder>',
      }),
    );
    expect(reading.messages[0]?.parts).toEqual([{ type: 'text', text: 'why?' }]);
    expect(skipsOf(reading)['injected/reminder']).toBe(1);
  });
});

test.each([
  [
    { success: true, result: { content: 'a\n<shellId: 3 completed with exit code 0>' } },
    'a',
    false,
  ],
  [
    {
      success: true,
      result: {
        content:
          'a\n\nTool "bash" succeeded. Additional guidance from postToolUse hooks:\nremember',
      },
    },
    'a',
    false,
  ],
  [
    { success: true, result: { content: 'log\n\nTool "x" is old' } },
    'log\n\nTool "x" is old',
    false,
  ],
  [{ success: false, error: 'denied' }, 'denied', true],
  [{ success: true, shellExecution: { exitCode: 2 }, result: { content: 'b' } }, 'b', true],
])('answer %j', (data, text, isError) => {
  expect(toolAnswer(data)).toEqual({ text, isError, images: [] });
});

describe('sessions', () => {
  test('are told with place, remote and version; going elsewhere does not move them', () => {
    const { sessions } = read(
      start({ cwd: '/home/dev/shop', repository: 'dev/shop', branch: 'main' }),
      event('user.message', { content: 'hi' }),
      event('session.context_changed', { cwd: '/home/dev', branch: 'fix' }),
      event('user.message', { content: 'on' }),
    );
    expect(sessions).toEqual([
      {
        type: 'session',
        externalId: SESSION,
        cwd: '/home/dev/shop',
        gitRemote: 'https://github.com/dev/shop',
        gitBranch: 'main',
        agentVersion: '1.0.102',
      },
      {
        type: 'session',
        externalId: SESSION,
        cwd: '/home/dev/shop',
        gitRemote: 'https://github.com/dev/shop',
        gitBranch: 'fix',
        agentVersion: '1.0.102',
      },
    ]);
  });

  test('a sub-agent of an old version is told by the call that started it', () => {
    const { messages, sessions } = read(
      start(),
      event('subagent.started', { toolCallId: 'call_9', agentName: 'explore' }),
      event('assistant.message', { content: 'found', parentToolCallId: 'call_9' }),
    );
    expect(messages[0]?.sessionExternalId).toBe(`${SESSION}:agent-call_9`);
    expect(sessions[0]).toMatchObject({
      title: 'explore',
      parent: { externalId: SESSION, kind: 'subagent' },
    });
  });

  test('a first version’s document is read by places', () => {
    const path = '/home/dev/.copilot/history-session-state/session_abc-1_1759957816.json';
    const document = JSON.stringify({
      sessionId: 'abc-1',
      startTime: '2025-10-08T21:10:16.398Z',
      chatMessages: [
        { role: 'system', content: 'You are' },
        { role: 'user', content: 'add a server' },
        {
          role: 'assistant',
          content: null,
          tool_calls: [{ id: 'c1', function: { name: 'bash', arguments: '{"command":"ls"}' } }],
        },
        { role: 'tool', tool_call_id: 'c1', content: 'a.ts' },
        { role: 'assistant', content: 'done' },
        7,
      ],
    });
    const { messages, sessions, events } = readAll(copilotParser, [document], { path, part: '' });
    expect(sessions).toEqual([{ type: 'session', externalId: 'abc-1' }]);
    expect(messages.map((m) => [m.externalId, m.role])).toEqual([
      ['1', 'user'],
      ['2', 'assistant'],
      ['3', 'tool'],
      ['4', 'assistant'],
    ]);
    expect(messages[2]?.parts[0]).toMatchObject({ tool: 'bash', text: 'a.ts' });
    expect(events.filter((one) => one.type === 'skip').map((one) => one.reason)).toEqual([
      'injected',
      'invalid',
    ]);
    checkDamage(copilotParser, [document], { path, part: '' });
  });
});

test('damaged lines never throw, and what they give is sound', () => {
  checkDamage(copilotParser, TURN, PATH);
});
