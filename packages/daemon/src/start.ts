/**
 * Starting the daemon from the command line, and stopping it.
 *
 * Decides: starting is finding or making: whoever wins the lock, the caller gets the one that runs.
 * A child that ends before it answers is an error with what its log says by category.
 */
import { spawn } from 'node:child_process';
import { err, ok, type Result } from '@quipu/base';
import type { Kernel } from '@quipu/kernel';
import { type FoundDaemon, findDaemon } from './instance/find.ts';
import { isInstanceLockHeld } from './instance/lock.ts';
import { START_MS_MAX, START_POLL_MS, STOP_MS_MAX } from './limits.ts';
import type { Program } from './program.ts';

export type StartError = {
  readonly kind: 'did-not-start' | 'timed-out';
  readonly message: string;
};

export type StartOptions = {
  readonly directory: string;
  readonly program: Program;
  readonly kernel: Kernel;
  /** Further arguments of `quipu daemon`, such as `--port`. */
  readonly args?: readonly string[];
};

export async function startDaemon(
  options: StartOptions,
): Promise<Result<FoundDaemon & { readonly started: boolean }, StartError>> {
  const running = await findDaemon(options.directory);
  if (running !== undefined) return ok({ ...running, started: false });
  const { program, kernel } = options;
  const child = spawn(
    program.execPath,
    [...program.execArgv, program.script, 'daemon', ...(options.args ?? [])],
    {
      detached: true,
      stdio: 'ignore',
      env: { ...process.env, QUIPU_HOME: options.directory },
    },
  );
  let ended: number | null | undefined;
  child.once('exit', (code) => {
    ended = code;
  });
  child.once('error', () => {
    ended = null;
  });
  child.unref();
  const deadline = kernel.clock.monotonicMs() + START_MS_MAX;
  while (kernel.clock.monotonicMs() < deadline) {
    const found = await findDaemon(options.directory);
    if (found !== undefined) return ok({ ...found, started: found.pid === child.pid });
    if (ended !== undefined && ended !== 0) {
      return err({
        kind: 'did-not-start',
        message: `The daemon could not start${reasonOf(ended)}. 'quipu doctor' says what is wrong.`,
      });
    }
    await kernel.timers.sleep(START_POLL_MS);
  }
  return err({
    kind: 'timed-out',
    message: `The daemon did not answer within ${START_MS_MAX / 1000} s. 'quipu doctor' says more.`,
  });
}

function reasonOf(code: number | null): string {
  return code === null ? '' : ` (exit code ${code})`;
}

/**
 * Asks the daemon to stop and waits until it has gone. False when it does not go, or holds the
 * directory without an answer: what does not prove itself is not signalled.
 */
export async function stopDaemon(directory: string, kernel: Kernel): Promise<boolean> {
  const found = await findDaemon(directory);
  if (found === undefined) return !isInstanceLockHeld(directory);
  // The pid is the one that proved to know the token a moment ago.
  process.kill(found.pid, 'SIGTERM');
  const deadline = kernel.clock.monotonicMs() + STOP_MS_MAX + 2_000;
  while (kernel.clock.monotonicMs() < deadline) {
    if (!isAlive(found.pid)) return true;
    await kernel.timers.sleep(START_POLL_MS);
  }
  return false;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (failure) {
    if ((failure as NodeJS.ErrnoException).code === 'ESRCH') return false;
    if ((failure as NodeJS.ErrnoException).code === 'EPERM') return true;
    throw failure;
  }
}
