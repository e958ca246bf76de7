/** Exit codes and what a person reads when something is wrong (`docs/formats/exit-codes.md`). */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, closeSync, mkdirSync, openSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Home, makeHome, message, PROGRAM, type Run } from './testing/quipu.ts';

let home: Home;
beforeEach(() => {
  home = makeHome();
});
afterEach(() => home.remove());

/** One sentence for a person: a line, no stack trace, nothing on standard output. */
function isSentence({ out, err }: Run): void {
  expect(out).toBe('');
  expect(err).toMatch(/^(?:quipu|error): .+\n/);
  expect(err).not.toMatch(/^\s+at |node:internal|\.ts:\d/m);
}

async function fails(code: number, ...args: string[]): Promise<string> {
  const run = await home.run(args);
  expect({ args, code: run.code }).toEqual({ args, code });
  isSentence(run);
  return run.err;
}

describe('exit codes', () => {
  test('2 for wrong use, with the nearest right one', async () => {
    expect(await fails(2, 'recal', 'x')).toContain('recall');
    expect(await fails(2, 'recall', 'x', '--proyect', 'y')).toContain('--project');
    expect(await fails(2, 'import', '--agent', 'codeks')).toMatch(/codeks.*codex/s);
    await fails(2, 'recall', 'x', '--limit', 'many');
    await fails(2, 'recall', 'x', '--kind', 'poem');
    await fails(2, 'recall', 'x', '--before', 'the day of the goat');
    await fails(2, 'recall');
    await fails(2, 'forget', 'nonsense', '--yes');
  });

  test('3 for what is not there', async () => {
    await home.json('import', home.lines('a.jsonl', message(0, 'hello')), '--json');
    await fails(3, 'show', 'msg_0123456789abcdef');
    await fails(3, 'forget', 'ses_0123456789abcdef', '--yes');
    await fails(3, 'import', join(home.folder, 'missing.jsonl'));
    await fails(3, 'recall', '--batch', join(home.folder, 'missing.jsonl'));
  });

  test('under --json the failure is on standard output too', async () => {
    const { code, out, err } = await home.run(['show', 'msg_0123456789abcdef', '--json']);
    expect(code).toBe(3);
    const { error } = JSON.parse(out) as { error: { kind: string; message: string } };
    expect(error.kind).toBe('not-found');
    expect(err).toBe(`quipu: ${error.message}\n`);
  });

  test('4 for a daemon that is not there', async () => {
    await fails(4, 'open');
    expect((await home.run(['stop'])).code).toBe(0);
  });

  test('a file that is no transcript is named, and is no crash', async () => {
    const path = join(home.folder, 'poem.jsonl');
    writeFileSync(path, 'two roads diverged\n');
    expect(await fails(3, 'import', path)).toContain('poem.jsonl');
  });
});

describe('a store that cannot be used', () => {
  test('a data directory that is a file', async () => {
    writeFileSync(home.data, 'mine');
    expect(await fails(1, 'recall', 'x')).toContain(home.data);
  });

  test('a file that is no store is left as it is', async () => {
    mkdirSync(home.data, { mode: 0o700 });
    writeFileSync(join(home.data, 'quipu.db'), 'not a database, but mine\n'.repeat(100));
    expect(await fails(1, 'recall', 'x')).toContain('quipu.db');
  });

  test('a store of a newer version says so', async () => {
    await home.json('import', home.lines('a.jsonl', message(0, 'hello')), '--json');
    // The version stands in the file's header, big end first.
    const database = openSync(join(home.data, 'quipu.db'), 'r+');
    writeSync(database, Buffer.from([0, 0, 3, 231]), 0, 4, 60);
    closeSync(database);
    expect(await fails(1, 'recall', 'x')).toMatch(/newer/i);
    expect(await fails(1, 'import', home.lines('b.jsonl', message(1, 'more')))).toMatch(/newer/i);
  });

  // Root may write everywhere; there this would hold nothing.
  test.skipIf(process.getuid?.() === 0)('a parent that may not be written', async () => {
    chmodSync(home.folder, 0o500);
    expect(await fails(1, 'import')).toContain(home.data);
    chmodSync(home.folder, 0o700);
  });
});

test('a reader that closes the pipe early ends the program without a word', async () => {
  const values = Array.from({ length: 3_000 }, (_, i) => message(i, `line ${i}`, { session: i }));
  await home.json('import', home.lines('a.jsonl', ...values), '--json');
  const child = spawn(
    'bash',
    ['-c', 'set -o pipefail; "$0" "$1" export | head -n 1', process.execPath, PROGRAM],
    { env: home.env },
  );
  let out = '';
  let err = '';
  child.stdout.on('data', (piece) => {
    out += String(piece);
  });
  child.stderr.on('data', (piece) => {
    err += String(piece);
  });
  const [code] = (await once(child, 'close')) as [number];
  expect({ code, err, lines: out.split('\n').length }).toEqual({ code: 0, err: '', lines: 2 });
}, 30_000);

test('an import that is interrupted keeps what it has, and goes on', async () => {
  const count = 20_000;
  const text = 'the parser retries after a timeout and the lease is lost '.repeat(4);
  const path = home.lines(
    'long.jsonl',
    ...Array.from({ length: count }, (_, i) => message(i, `${text}${i}`)),
  );
  const child = spawn(process.execPath, [PROGRAM, 'import', path, '--agent', 'generic'], {
    env: home.env,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const counted = async (): Promise<number> => {
    const run = await home.run(['status', '--json']);
    if (run.code !== 0) return 0;
    return (JSON.parse(run.out) as { counts: { messages: number } }).counts.messages;
  };
  while ((await counted()) === 0 && child.exitCode === null) await counted();
  child.kill('SIGINT');
  const [code] = (await once(child, 'close')) as [number];
  expect(code).toBe(130);
  const kept = await counted();
  expect(kept).toBeGreaterThan(0);
  expect(kept).toBeLessThan(count);
  const rest = (await home.json('import', path, '--agent', 'generic', '--json')) as {
    messages: number;
    duplicates: number;
  };
  expect(kept + rest.messages).toBe(count);
  expect(rest.duplicates).toBe(0);
  expect(await counted()).toBe(count);
}, 120_000);
