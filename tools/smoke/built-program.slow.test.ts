import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const program = join(root, 'packages/cli/bin/quipu.js');
const home = mkdtempSync(join(tmpdir(), 'quipu-smoke-'));
const env = { ...process.env, HOME: home, QUIPU_HOME: join(home, 'memory'), NO_COLOR: '1' };
const quipu = (...args: string[]): string =>
  execFileSync(process.execPath, [program, ...args], { env, encoding: 'utf8' });

beforeAll(() => {
  execFileSync(process.execPath, [join(root, 'tools/build.mjs')], { stdio: 'inherit' });
});
afterAll(() => rmSync(home, { recursive: true, force: true }));

test('the built program imports sessions once, and finds in them', () => {
  const sessions = join(root, 'packages/cli/dist/examples/sessions.jsonl');
  const first = JSON.parse(quipu('import', sessions, '--agent', 'generic', '--json'));
  expect(first.messages).toBeGreaterThan(10);
  const second = JSON.parse(quipu('import', sessions, '--agent', 'generic', '--json'));
  expect([second.messages, second.sessions]).toEqual([0, 0]);
  const { hits } = JSON.parse(quipu('recall', 'retry', '--json'));
  expect(hits.length).toBeGreaterThan(0);
  const shown = JSON.parse(quipu('show', hits[0].id, '--json'));
  expect(JSON.stringify(shown)).toContain(hits[0].id);
});

test('without a build the command says what to run', () => {
  const alone = join(home, 'cli');
  cpSync(join(root, 'packages/cli/bin'), join(alone, 'bin'), { recursive: true });
  cpSync(join(root, 'packages/cli/package.json'), join(alone, 'package.json'));
  const ended = spawnSync(process.execPath, [join(alone, 'bin/quipu.js')], { encoding: 'utf8' });
  expect([ended.status, ended.stderr]).toEqual([
    1,
    "quipu: the program is not built yet. Run 'npm run build' in the repository.\n",
  ]);
});
