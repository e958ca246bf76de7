/**
 * The built program in a home of its own. For tests only.
 *
 * Decides: what a run may see: its own home, data directory and nothing of the caller's settings;
 * and that it has an end (a daemon is never started here, but by a test that stops it).
 */
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

export const PROGRAM = resolve(import.meta.dirname, '../../bin/quipu.js');

export type Run = { readonly code: number | null; readonly out: string; readonly err: string };

export type Home = {
  readonly folder: string;
  /** The data directory, which is not there before the first run that makes it. */
  readonly data: string;
  readonly env: Readonly<Record<string, string>>;
  readonly run: (args: readonly string[], input?: string) => Promise<Run>;
  /** Runs, and gives standard output as JSON; fails when the run did. */
  readonly json: (...args: string[]) => Promise<unknown>;
  /** Writes a file of JSON lines and gives its path. */
  readonly lines: (name: string, ...values: readonly unknown[]) => string;
  readonly remove: () => void;
};

export function makeHome(): Home {
  const folder = mkdtempSync(join(tmpdir(), 'quipu-cli-'));
  const data = join(folder, 'data');
  mkdirSync(join(folder, 'home'));
  const env = {
    PATH: process.env['PATH'] ?? '',
    HOME: join(folder, 'home'),
    QUIPU_HOME: data,
    TZ: 'UTC',
    NO_COLOR: '1',
  };
  const run: Home['run'] = (args, input = '') =>
    new Promise((done, fail) => {
      const child = spawn(process.execPath, [PROGRAM, ...args], { env, cwd: folder });
      let out = '';
      let err = '';
      child.stdout.setEncoding('utf8').on('data', (piece: string) => {
        out += piece;
      });
      child.stderr.setEncoding('utf8').on('data', (piece: string) => {
        err += piece;
      });
      // A program that ends without reading what it is given is no failure here.
      child.stdin.on('error', () => undefined);
      child.stdin.end(input);
      child.once('error', fail);
      child.once('close', (code) => done({ code, out, err }));
    });
  return {
    folder,
    data,
    env,
    run,
    json: async (...args) => {
      const { code, out, err } = await run(args);
      if (code !== 0) throw new Error(`quipu ${args.join(' ')} ended with ${code}: ${err}`);
      return JSON.parse(out) as unknown;
    },
    lines: (name, ...values) => {
      const path = join(folder, name);
      writeFileSync(path, values.map((value) => `${JSON.stringify(value)}\n`).join(''));
      return path;
    },
    remove: () => rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 }),
  };
}

export const message = (
  id: number,
  text: string,
  more: Readonly<Record<string, unknown>> = {},
): Readonly<Record<string, unknown>> => ({
  project: 'harbor',
  session: 'a',
  id: `m${id}`,
  at: `2026-09-14T08:${String(id % 60).padStart(2, '0')}:00Z`,
  role: id % 2 === 0 ? 'user' : 'assistant',
  text,
  ...more,
});
