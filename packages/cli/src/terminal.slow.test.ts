/** The program at a terminal: what it prints of hostile content, completes, and says of itself. */
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Home, makeHome, message } from './testing/quipu.ts';

let home: Home;
beforeAll(() => {
  home = makeHome();
});
afterAll(() => home.remove());

const ESC = '\u001b';
const HOSTILE =
  `harmless ${ESC}[2J${ESC}]0;title\u0007 ${ESC}]52;c;aGk=\u0007 \u009b31m \u202Ereversed\u202C ` +
  '\u0000\b\b\bgone\r over \u061c\u200e\u200f';
/** What a terminal would act on, but for line ends and tabs. */
const ACTED_ON =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/;

test('content that would move the cursor or set the title is shown, not sent', async () => {
  const hostile = { session: 's', project: `p ${ESC}[1m`, title: HOSTILE };
  await home.json(
    'import',
    home.lines(
      'hostile.jsonl',
      message(0, HOSTILE, hostile),
      message(1, HOSTILE, { ...hostile, role: 'tool', tool: `sh${ESC}[5m` }),
      message(2, 'harmless answer', { ...hostile, role: `speaker ${ESC}[7m` }),
    ),
    '--agent',
    'generic',
    '--json',
  );
  const listed = (await home.json('sessions', 'list', '--json')) as { sessions: { id: string }[] };
  const id = listed.sessions[0]?.id ?? '';
  for (const args of [
    ['recall', 'harmless', '--mode', 'words'],
    ['sessions'],
    ['show', id],
    ['projects'],
    ['context'],
    ['status'],
    ['forget', id],
    ['import', join(home.folder, `missing ${ESC}[2J`)],
    ['recall', '--batch', join(home.folder, `missing ${ESC}[2J`)],
    ['recall', 'x', '--agent', `agent ${ESC}[2J`],
    ['show', `id ${ESC}[2J`],
    ['show', 'x', `--no-${ESC}[2J`],
    [`recal${ESC}[2J`],
  ]) {
    const { out, err } = await home.run(args);
    expect({ args, found: ACTED_ON.exec(out + err)?.[0] ?? '' }).toEqual({ args, found: '' });
    expect((out + err).length).toBeGreaterThan(0);
  }
}, 60_000);

function completed(script: string, ...words: string[]): string[] {
  const path = join(home.folder, 'completion.bash');
  writeFileSync(path, script);
  const quoted = words.map((word) => `'${word}'`).join(' ');
  const code =
    `. '${path}'; COMP_WORDS=(quipu ${quoted}); COMP_CWORD=${words.length}; _quipu; ` +
    `printf '%s\\n' "\${COMPREPLY[@]}"`;
  return execFileSync('bash', ['-c', code], { encoding: 'utf8' }).split('\n').filter(Boolean);
}

test('bash completes commands, subcommands and options', async () => {
  const { out } = await home.run(['completion', 'bash']);
  expect(completed(out, 'rec')).toEqual(['recall']);
  expect(completed(out, '')).toEqual(expect.arrayContaining(['up', 'import', 'forget', 'doctor']));
  expect(completed(out, '')).not.toContain('__job');
  expect(completed(out, 'recall', '--pro')).toEqual(['--project']);
  expect(completed(out, 'sessions', 'mo')).toEqual(['move']);
  for (const shell of ['zsh', 'fish']) {
    expect((await home.run(['completion', shell])).out).toContain('recall');
  }
  expect((await home.run(['completion', 'tcsh'])).code).toBe(2);
}, 30_000);

test('each command has help; hidden ones are not listed', async () => {
  const { out } = await home.run(['--help']);
  const commands = [...out.matchAll(/^ {2}([a-z]+) /gm)].map(([, name]) => name ?? '');
  expect(commands.length).toBeGreaterThan(15);
  expect(out).not.toContain('__');
  for (const command of commands.filter((name) => name !== 'help')) {
    const help = await home.run([command, '--help']);
    expect({ command, code: help.code, err: help.err }).toEqual({ command, code: 0, err: '' });
    expect(help.out).toContain(`Usage: quipu ${command}`);
  }
}, 60_000);
