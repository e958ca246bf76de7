/** Uninstalling: what is someone else's stays, and so does what a living daemon has. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';

const PROGRAM = resolve(import.meta.dirname, '../bin/quipu.js');

let directory: string;
let daemon: ChildProcess | undefined;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'quipu-uninstall-'));
});
afterEach(async () => {
  if (daemon !== undefined && daemon.exitCode === null && daemon.signalCode === null) {
    daemon.kill('SIGKILL');
    await once(daemon, 'exit');
  }
  daemon = undefined;
  rmSync(directory, { recursive: true, force: true });
});

const env = (): NodeJS.ProcessEnv => ({ ...process.env, QUIPU_HOME: directory, HOME: directory });

const quipu = (...args: string[]) =>
  spawnSync(process.execPath, [PROGRAM, ...args], { env: env(), encoding: 'utf8' });

test('takes what Quipu made and leaves the logs and models of others', () => {
  mkdirSync(join(directory, 'models', '0123456789abcdef'), { recursive: true });
  mkdirSync(join(directory, 'backups'));
  const own = ['daemon.log', 'token', 'quipu.db', 'token.12.0123456789ab'];
  const others = ['build.log', join('models', 'weights.bin')];
  for (const name of [...own, ...others]) writeFileSync(join(directory, name), 'x');
  expect(quipu('uninstall', '--yes', '--data').status).toBe(0);
  expect(readdirSync(directory).sort()).toEqual(['backups', 'build.log', 'models']);
  expect(readdirSync(join(directory, 'models'))).toEqual(['weights.bin']);
}, 60_000);

test('leaves nothing where nothing is of others', () => {
  mkdirSync(join(directory, 'models', '0123456789abcdef'), { recursive: true });
  writeFileSync(join(directory, 'quipu.db'), 'x');
  expect(quipu('uninstall', '--yes', '--data').status).toBe(0);
  expect(existsSync(directory)).toBe(false);
}, 60_000);

test.skipIf(process.platform === 'win32')(
  'removes nothing while a daemon that does not answer has the directory',
  async () => {
    daemon = spawn(process.execPath, [PROGRAM, 'daemon'], { env: env(), stdio: 'ignore' });
    const place = join(directory, 'daemon.json');
    for (let turn = 0; turn < 300 && !existsSync(place); turn += 1) await pause(100);
    daemon.kill('SIGSTOP');
    expect(quipu('stop').stderr).toContain('does not answer');
    expect(quipu('uninstall', '--yes', '--data').status).not.toBe(0);
    expect(existsSync(join(directory, 'quipu.db'))).toBe(true);
    daemon.kill('SIGCONT');
  },
  120_000,
);
