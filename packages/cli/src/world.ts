/**
 * What a command has at hand: where things are, who listens, how to stop.
 *
 * Decides: which backend answers. Everything that reads works with and without the daemon; with one
 * of another version the person is told, and the store is opened here instead.
 */
import { homedir } from 'node:os';
import type { Backend, Local } from '@quipu/daemon';
import { type FoundDaemon, findDaemon, type Program, QUIPU_VERSION } from '@quipu/daemon/at-hand';
import { type Kernel, realKernel } from '@quipu/kernel';
import { dataDirectory } from '@quipu/store';
import { failureOf } from './exit-codes.ts';
import { createPaint, type Paint } from './terminal-text.ts';

export type World = {
  readonly kernel: Kernel;
  readonly directory: string;
  readonly home: string;
  /** The folder that the command was called in. */
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly program: Program;
  /** Folder of the built page and examples, beside the program. */
  readonly distFolder: string;
  readonly paint: Paint;
  readonly paintError: Paint;
  /** Columns to write in. */
  readonly width: number;
  /** A person looks at standard output. */
  readonly interactive: boolean;
  readonly signal: AbortSignal;
  readonly out: (text: string) => void;
  readonly note: (text: string) => void;
};

const WIDTH_DEFAULT = 100;
const WIDTH_MIN = 40;
const WIDTH_MAX = 120;

export function createWorld(input: {
  program: Program;
  distFolder: string;
  signal: AbortSignal;
}): World {
  const { stdout, stderr, env } = process;
  const columns = stdout.columns ?? WIDTH_DEFAULT;
  return {
    kernel: realKernel(),
    directory: dataDirectory(env, process.platform),
    home: homedir(),
    cwd: process.cwd(),
    env,
    program: input.program,
    distFolder: input.distFolder,
    paint: createPaint(stdout, env),
    paintError: createPaint(stderr, env),
    width: Math.min(Math.max(columns, WIDTH_MIN), WIDTH_MAX),
    interactive: stdout.isTTY === true,
    signal: input.signal,
    out: (text) => void stdout.write(`${text}\n`),
    note: (text) => void stderr.write(`${text}\n`),
  };
}

/** The daemon of this data directory, if it speaks this version; a note when it does not. */
export async function usableDaemon(world: World): Promise<FoundDaemon | undefined> {
  const found = await findDaemon(world.directory);
  if (found === undefined || found.version === QUIPU_VERSION) return found;
  world.note(
    `The running daemon is version ${found.version}, this program is ${QUIPU_VERSION}: ` +
      "not using it. 'quipu stop' and 'quipu up' replace it.",
  );
  return undefined;
}

/** Opens the store in this process, or fails with its reason. */
export async function openHere(
  world: World,
  embeddings: 'query' | 'background' | 'none',
): Promise<Local> {
  const { openLocal } = await import('@quipu/daemon');
  const local = await openLocal({ directory: world.directory, embeddings, kernel: world.kernel });
  if (!local.ok) throw failureOf(local.error);
  return local.value;
}

/** Runs with whichever backend there is; what was opened here is closed again. */
export async function withBackend<T>(
  world: World,
  embeddings: 'query' | 'none',
  run: (backend: Backend, local: Local | undefined) => Promise<T>,
): Promise<T> {
  const { daemonClient, localBackend } = await import('@quipu/daemon');
  const daemon = await usableDaemon(world);
  if (daemon !== undefined) return run(daemonClient(daemon), undefined);
  const local = await openHere(world, embeddings);
  try {
    return await run(localBackend(local.memory), local);
  } finally {
    await local.close();
  }
}
