/** The Aider parser on the shapes that its history file takes, line by line. */
import type { MessageEvent, Part } from '@quipu/store';
import { describe, expect, test } from 'vitest';
import { checkDamage, readAll, skipsOf, splitDifferences } from '../testing/parser-checks.ts';
import { aiderParser, isAiderStart } from './parser.ts';

const CONTEXT = { path: '/home/dev/shop/.aider.chat.history.md', part: '' };
const HEAD = ['', '# aider chat started at 2026-12-01 10:00:00', ''];
const PREAMBLE = [
  '> /usr/bin/aider --model sonnet  ',
  '> Aider v0.86.2  ',
  '> Main model: openai/sonnet with diff edit format, infinite output  ',
  '> Added cart.py to the chat.  ',
];
const read = (...lines: string[]) => readAll(aiderParser, lines, CONTEXT);
const session = (...lines: string[]) => read(...HEAD, ...PREAMBLE, '', ...lines);

const textOf = (part: Part | undefined): string =>
  part?.type === 'text' || part?.type === 'tool_result' ? part.text : '';
const said = ({ messages }: { readonly messages: readonly MessageEvent[] }): string[][] =>
  messages.map(({ role, parts }) => [role, textOf(parts[0])]);

describe('blocks', () => {
  test('words, answer and what was printed are three messages, known by their place', () => {
    const reading = session(
      '#### Why is the cart empty?  ',
      '#### It was full yesterday.  ',
      '',
      'Because it is cleared at midnight.',
      '',
      '> Applied edit to cart.py  ',
    );
    expect(said(reading)).toEqual([
      ['user', 'Why is the cart empty?\nIt was full yesterday.'],
      ['assistant', 'Because it is cleared at midnight.'],
      ['tool', 'Applied edit to cart.py'],
    ]);
    expect(reading.messages.map((one) => one.externalId)).toEqual(['0', '1', '2']);
    expect(reading.messages[1]?.model).toBe('openai/sonnet');
    expect(reading.messages[2]?.parts[0]).toMatchObject({ tool: 'aider', isError: false });
  });

  test('an answer keeps its paragraphs, headings, quotes and the blank lines of its code', () => {
    const answer = [
      '## Cause',
      '',
      '> if now.hour == 0:',
      '',
      '```sh',
      '#### not a prompt',
      '',
      '> not printed',
      '```',
      'Done.',
    ];
    const reading = session('#### Explain  ', '', ...answer, '', '> Tokens: 2k sent  ');
    expect(said(reading)).toEqual([
      ['user', 'Explain'],
      ['assistant', answer.join('\n')],
    ]);
  });

  test('what stands right below a printed line was printed, though it looks like words', () => {
    const reading = session(
      '#### Build it  ',
      '',
      'Run these.',
      '',
      '> Tokens: 2k sent, 9 received.  ',
      '> npm install      ',
      '#### npm test  ',
      'npm run build',
      'exit  ',
      '> Run shell commands? (Y)es/(N)o [Yes]: n  ',
    );
    expect(said(reading).map(([role]) => role)).toEqual(['user', 'assistant', 'tool']);
    expect(said(reading)[2]?.[1]).toBe(
      'npm install\n#### npm test\nnpm run build\nexit\nRun shell commands? (Y)es/(N)o [Yes]: n',
    );
  });

  test('a printed text of several lines ends at its two blanks', () => {
    const reading = session(
      '#### /lint  ',
      '> cart.py has problems:',
      '',
      '# Fix any errors',
      'line 3: unused  ',
      '',
      '#### Fix them  ',
    );
    expect(said(reading)).toEqual([
      ['user', '/lint'],
      ['tool', 'cart.py has problems:\n\n# Fix any errors\nline 3: unused'],
      ['user', 'Fix them'],
    ]);
  });

  test('a history without the two blanks is read by its signs', () => {
    const reading = read(
      ...HEAD,
      '> Aider v0.20.0',
      '',
      '#### Old words',
      '',
      'Old answer',
      '```',
      '> code',
      '```',
      '> Applied edit',
    );
    expect(said(reading)).toEqual([
      ['user', 'Old words'],
      ['assistant', 'Old answer\n```\n> code\n```'],
      ['tool', 'Applied edit'],
    ]);
  });
});

describe('what is no message', () => {
  test('the preamble tells version and model; a prompt within its command is none', () => {
    const reading = read(
      ...HEAD,
      '> Added .aider* to .gitignore  ',
      '> /usr/bin/aider --message Two',
      'lines  ',
      '> Aider v0.86.2  ',
      '> Model: m with diff edit format  ',
      '',
      '#### Two  ',
      '#### lines  ',
    );
    expect(reading.sessions).toMatchObject([
      { cwd: '/home/dev/shop', agentVersion: '0.86.2', model: 'm' },
    ]);
    expect(said(reading)).toEqual([['user', 'Two\nlines']]);
    expect(skipsOf(reading)).toEqual({ 'meta/preamble': 1 });
  });

  test('a prompt within the command is none where the command is the first line either', () => {
    const reading = session(
      '#### One  ',
      '',
      '# aider chat started at 2026-12-01 11:30:00',
      '',
      '> /usr/bin/aider --message Two',
      '',
      '#### lines',
      'more  ',
      '> Aider v0.86.2  ',
      '',
      '#### Two  ',
    );
    expect(said(reading)).toEqual([
      ['user', 'One'],
      ['user', 'Two'],
    ]);
    expect(skipsOf(reading)).toEqual({ 'meta/preamble': 2 });
  });

  test('counts of tokens and empty prompts are left out; no words, no session', () => {
    const counts = session('#### Hi  ', '', 'Hello.', '', '> Tokens: 1k sent, 9 received.  ');
    expect(skipsOf(counts)).toEqual({ 'meta/preamble': 1, 'meta/token counts': 1 });
    const empty = session('#### <blank>  ');
    expect(empty.messages).toEqual([]);
    expect(empty.sessions).toEqual([]);
    expect(skipsOf(empty)).toEqual({ 'meta/blank': 1, 'meta/preamble': 1 });
  });

  test('lines before the first header belong to nobody', () => {
    expect(read('#### lost words  ', '', 'lost answer').events).toEqual([]);
  });
});

describe('sessions', () => {
  const first = [...HEAD, ...PREAMBLE, '', '#### One  ', '', 'Answer one.'];
  const second = ['', '# aider chat started at 2026-12-01 11:30:00', '', '#### Two  '];

  test('each header begins one, with places and start of its own', () => {
    const reading = read(...first, ...second);
    const [one, two] = reading.sessions;
    expect(one?.externalId).toMatch(/^2026-12-01T10:00:00-[0-9a-f]{12}$/);
    expect(two?.externalId).toMatch(/^2026-12-01T11:30:00-[0-9a-f]{12}$/);
    expect(reading.messages.map((one) => [one.sessionExternalId, one.externalId])).toEqual([
      [one?.externalId, '0'],
      [one?.externalId, '1'],
      [two?.externalId, '0'],
    ]);
    expect((reading.messages[2]?.at ?? 0) - (reading.messages[0]?.at ?? 0)).toBe(90 * 60_000);
  });

  test('a moved file is the same sessions, in another folder', () => {
    const moved = readAll(aiderParser, first, { ...CONTEXT, path: '/srv/shop/.aider.chat' });
    expect(moved.sessions[0]?.externalId).toBe(read(...first).sessions[0]?.externalId);
    expect(moved.sessions[0]?.cwd).toBe('/srv/shop');
  });

  test('a file that has grown gives what was read before again, under the same ids', () => {
    const before = read(...first);
    const grown = read(...first, 'And more of it.', ...second);
    const idsOf = (reading: typeof before): string[] =>
      reading.messages.map((one) => `${one.sessionExternalId} ${one.externalId}`);
    expect(idsOf(grown).slice(0, 2)).toEqual(idsOf(before));
    expect(said(grown)[1]?.[1]).toBe('Answer one.\nAnd more of it.');
  });
});

test('a saved state at any line gives the same events; damage is no failure', () => {
  const lines = [
    ...HEAD,
    ...PREAMBLE,
    '',
    '#### One  ',
    '> printed',
    'on  ',
    '',
    'Answer',
    '```',
    '> x',
    '```',
  ];
  expect(splitDifferences(aiderParser, lines, CONTEXT)).toEqual([]);
  checkDamage(aiderParser, lines, CONTEXT);
});

test('a file is told by the line that a session begins with', () => {
  expect(isAiderStart('# aider chat started at 2026-12-01 10:00:00')).toBe(true);
  expect(isAiderStart('# aider chat started at noon')).toBe(false);
});
