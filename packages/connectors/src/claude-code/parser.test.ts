/** Claude Code lines: what is a message, what is counted, what never happens. */
import { describe, expect, test } from 'vitest';
import { checkDamage, skipsOf, splitDifferences } from '../testing/parser-checks.ts';
import { OPEN_MESSAGE_CHARS_MAX, OPEN_MESSAGES_MAX } from './limits.ts';
import {
  call,
  line,
  model,
  PATH,
  partsOf,
  read,
  result,
  text,
  user,
  uuid,
} from './lines-for-tests.ts';
import { claudeCodeParser } from './parser.ts';

/** A turn with thinking, words and two parallel calls; a result stands between its lines. */
const TURN = [
  user(1, 'fix the flaky test'),
  model(2, 'msg_a', [{ type: 'thinking', thinking: 'where is it?', signature: 's' }]),
  model(3, 'msg_a', [text('Looking.')]),
  model(4, 'msg_a', [call('toolu_1', 'Bash')]),
  user(5, [result('toolu_1', 'one', { is_error: true })]),
  model(6, 'msg_a', [call('toolu_2', 'Read')]),
  user(7, [result('toolu_2', [text('two'), text('three')])]),
  model(8, 'msg_b', [text('Done.')]),
];

describe('one message of the model over several lines', () => {
  test('is one message under the first line’s id, though a result stands between', () => {
    const { messages, events } = read(...TURN);
    expect(messages.map((m) => [m.role, m.externalId])).toEqual([
      ['user', uuid(1)],
      ['assistant', uuid(2)],
      ['tool', uuid(5)],
      ['tool', uuid(7)],
      ['assistant', uuid(8)],
    ]);
    expect(messages[1]?.parts.map((part) => part.type)).toEqual([
      'reasoning',
      'text',
      'tool_call',
      'tool_call',
    ]);
    const order = events.filter((e) => e.type === 'message').map((e) => e.externalId);
    expect(order).toEqual([1, 2, 5, 2, 7, 8].map(uuid));
  });

  test('results carry the name of the tool that was called, and whether it failed', () => {
    const results = partsOf(TURN)
      .flat()
      .filter((part) => part.type === 'tool_result');
    expect(results).toEqual([
      { type: 'tool_result', callId: 'toolu_1', tool: 'Bash', text: 'one', isError: true },
      { type: 'tool_result', callId: 'toolu_2', tool: 'Read', text: 'two\nthree', isError: false },
    ]);
  });

  test('reading on from any line gives what reading the whole gives', () => {
    expect(splitDifferences(claudeCodeParser, TURN, PATH)).toEqual([]);
  });

  test('a message cut by the end of an import is told again, longer, under the same id', () => {
    const first = read(...TURN.slice(0, 3)).messages.at(-1);
    const later = read(...TURN.slice(0, 4)).messages.at(-1);
    expect([first?.externalId, later?.externalId]).toEqual([uuid(2), uuid(2)]);
    expect(later?.parts.slice(0, 2)).toEqual(first?.parts);
    expect(later?.parts).toHaveLength(3);
  });

  test('a line that is there twice counts once', () => {
    const twice = read(...TURN.slice(0, 4), TURN[3] ?? '');
    expect(twice.messages).toEqual(read(...TURN.slice(0, 4)).messages);
    expect(skipsOf(twice)).toEqual({ 'meta/repeated': 1 });
  });

  test('lines without an API id are messages of their own', () => {
    const lines = [model(1, '', [text('a')]), model(2, '', [text('b')])];
    expect(read(...lines).messages).toHaveLength(2);
  });

  test('the state stays small: few messages are open and none is huge', () => {
    const big = 'x'.repeat(OPEN_MESSAGE_CHARS_MAX / 2 + 1);
    const { state, messages } = read(
      ...Array.from({ length: 40 }, (_, n) => model(n, `msg_${n}`, [text(`answer ${n}`)])),
      model(50, 'msg_big', [text(big)]),
      model(51, 'msg_big', [text(big)]),
      model(52, 'msg_big', [text('tail')]),
    );
    expect((state as { open: unknown[] }).open.length).toBeLessThanOrEqual(OPEN_MESSAGES_MAX);
    expect(JSON.stringify(state).length).toBeLessThan(OPEN_MESSAGE_CHARS_MAX);
    expect(messages).toHaveLength(42);
    expect(messages.at(-1)?.parts).toEqual([{ type: 'text', text: 'tail' }]);
  });
});

describe('what a program wrote is no message', () => {
  test.each([
    ['isMeta', user(1, 'Caveat', { isMeta: true }), 'injected/isMeta'],
    ['a compaction summary', user(1, 'So far', { isCompactSummary: true }), 'compaction/summary'],
    [
      'a summary of a version without the flag',
      user(
        1,
        'This session is being continued from a previous conversation that ran out of context.',
      ),
      'compaction/summary',
    ],
    [
      'an interruption',
      user(1, [text('[Request interrupted by user for tool use]')]),
      'meta/interrupted',
    ],
    [
      'a command without words',
      user(1, '<command-name>/clear</command-name>\n<command-args></command-args>'),
      'meta/command',
    ],
    [
      'output of a command',
      user(1, '<local-command-stdout>Set model</local-command-stdout>'),
      'injected/reminder',
    ],
    [
      'a task’s notification',
      user(1, 'x', { origin: { kind: 'task-notification' } }),
      'injected/task-notification',
    ],
    [
      'an error of the service',
      model(1, 'm', [text('API Error')], { isApiErrorMessage: true }),
      'meta/synthetic',
    ],
    [
      'hook context',
      line({
        type: 'attachment',
        uuid: uuid(1),
        attachment: { type: 'hook_additional_context', content: ['x'] },
      }),
      'injected/hook_additional_context',
    ],
    [
      'a queued notification',
      line({
        type: 'attachment',
        uuid: uuid(1),
        attachment: { type: 'queued_command', commandMode: 'task-notification', prompt: 'x' },
      }),
      'injected/queued_command',
    ],
    [
      'a boundary',
      line({ type: 'system', subtype: 'compact_boundary' }),
      'compaction/compact_boundary',
    ],
    [
      'thinking without words',
      model(1, 'm', [{ type: 'thinking', thinking: '', signature: 'abc' }]),
      'meta/empty',
    ],
    ['a new type', line({ type: 'hologram' }), 'unknown/hologram'],
    ['no JSON', '{"type":"user"', 'invalid/line'],
  ])('%s', (_, one, skipped) => {
    const reading = read(one);
    expect(reading.messages).toEqual([]);
    expect(skipsOf(reading)).toEqual({ [skipped]: 1 });
  });

  test('reminders inside a prompt go, the words stay', () => {
    const reading = read(
      user(1, [text('<system-reminder>\nbe nice\n</system-reminder>'), text('  why is CI red?')]),
      user(2, '<ide_selection>a.ts</ide_selection>\nexplain <system-reminder> tags'),
    );
    expect(reading.messages.map((m) => m.parts)).toEqual([
      [{ type: 'text', text: '  why is CI red?' }],
      [{ type: 'text', text: 'explain <system-reminder> tags' }],
    ]);
    expect(skipsOf(reading)).toEqual({ 'injected/reminder': 2 });
  });

  test('a reminder at the end of a tool’s result goes; one quoted in it stays', () => {
    const parts = partsOf([
      user(1, [result('t', 'body\n\n<system-reminder>careful</system-reminder>\n')]),
      user(2, [result('t', 'a <system-reminder>x</system-reminder> in a log')]),
    ]).flat();
    expect(parts.map((part) => ('text' in part ? part.text : ''))).toEqual([
      'body',
      'a <system-reminder>x</system-reminder> in a log',
    ]);
  });
});

describe('what a person did', () => {
  test('a command with words, a shell command and its output, a prompt typed meanwhile', () => {
    const { messages } = read(
      user(1, '<command-name>/review</command-name>\n<command-args>the parser</command-args>'),
      user(2, '<bash-input>npm test</bash-input>'),
      user(3, '<bash-stdout>2 passed</bash-stdout><bash-stderr>warn</bash-stderr>'),
      line({
        type: 'attachment',
        uuid: uuid(4),
        attachment: { type: 'queued_command', commandMode: 'prompt', prompt: [text('and lint')] },
      }),
    );
    expect(messages.map((m) => [m.role, m.parts])).toEqual([
      ['user', [{ type: 'text', text: '/review the parser' }]],
      ['user', [{ type: 'text', text: '! npm test' }]],
      [
        'tool',
        [
          {
            type: 'tool_result',
            callId: uuid(3),
            tool: 'Bash',
            text: '2 passed\nwarn',
            isError: false,
          },
        ],
      ],
      ['user', [{ type: 'text', text: 'and lint' }]],
    ]);
  });

  test('an image is a reference with the digest of its bytes', () => {
    const image = {
      type: 'image',
      source: { type: 'base64', media_type: 'image/png', data: 'aGVsbG8=' },
    };
    const digest = '2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824';
    const ref = { type: 'image_ref', mediaType: 'image/png', digest, source: '' };
    const parts = partsOf([user(1, [image, text('see')]), user(2, [result('t', [image])])]);
    expect(parts[0]).toEqual([ref, { type: 'text', text: 'see' }]);
    expect(parts[1]?.[1]).toEqual(ref);
  });

  test('words beside a result are the person’s own message', () => {
    const { messages } = read(user(1, [result('t', 'out'), text('stop there')]));
    expect(messages.map((m) => [m.role, m.externalId])).toEqual([
      ['tool', uuid(1)],
      ['user', `${uuid(1)}:text`],
    ]);
  });

  test('a search that the server ran is a call and a tool’s result', () => {
    const { messages } = read(
      model(1, 'm', [
        { type: 'server_tool_use', id: 'srv_1', name: 'web_search', input: { query: 'q' } },
        {
          type: 'web_search_tool_result',
          tool_use_id: 'srv_1',
          content: [{ type: 'web_search_result', title: 'T', url: 'https://t.example' }],
        },
        text('found'),
      ]),
    );
    expect(messages.map((m) => m.role)).toEqual(['assistant', 'tool']);
    expect(messages[1]?.parts).toEqual([
      {
        type: 'tool_result',
        callId: 'srv_1',
        tool: 'web_search',
        text: 'T https://t.example',
        isError: false,
      },
    ]);
  });
});

test('damaged lines never throw, and what they give is sound', () => {
  checkDamage(
    claudeCodeParser,
    [
      ...TURN,
      user(9, '<command-name>/x</command-name><command-args>y</command-args>'),
      line({
        type: 'attachment',
        uuid: uuid(4),
        attachment: { type: 'queued_command', prompt: 'x' },
      }),
      line({ type: 'summary', summary: 'This work', leafUuid: uuid(1) }),
    ],
    PATH,
  );
});
