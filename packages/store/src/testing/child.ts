/** Starts one of the programs beside this file, and tells what it printed and how it ended. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

const LOADER = ['--import', 'tsx', '--conditions=source'];

export type Ended = {
  readonly lines: readonly string[];
  readonly code: number | null;
  readonly signal: string | null;
};

export type Child = {
  readonly ended: Promise<Ended>;
  /** Resolves when the process has printed its next line. */
  readonly said: () => Promise<void>;
  readonly kill: () => void;
};

export function start(program: 'writer.ts' | 'opener.ts', args: readonly string[]): Child {
  const child = spawn(process.execPath, [...LOADER, join(import.meta.dirname, program), ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let out = '';
  child.stdout.on('data', (piece) => {
    out += piece;
  });
  const ended = once(child, 'close').then(([code, signal]) => ({
    lines: out.split('\n').slice(0, -1),
    code: code as number | null,
    signal: signal as string | null,
  }));
  const said = async (): Promise<void> => {
    await Promise.race([once(child.stdout, 'data'), ended]);
  };
  return { ended, said, kill: () => void child.kill('SIGKILL') };
}
