/**
 * The program `quipu`: signals, exit codes, and what a failure looks like.
 *
 * Decides: a person's mistake is one sentence on standard error, without a stack trace; under
 * `--json` the same as `{ "error": { kind, message } }` on standard output. A second Ctrl-C ends at
 * once. A closed pipe (`| head`) is no failure.
 */

import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { AssertionFailure } from '@quipu/base';
import { thisProgram } from '@quipu/daemon/at-hand';
import { CommanderError } from 'commander';
import { CommandFailure, EXIT } from './exit-codes.ts';
import { createProgram } from './program.ts';
import { safeText } from './terminal-text.ts';
import { createWorld } from './world.ts';

export async function main(argv: readonly string[]): Promise<void> {
  const stop = new AbortController();
  let signalled: 'SIGINT' | 'SIGTERM' | undefined;
  for (const name of ['SIGINT', 'SIGTERM'] as const) {
    process.on(name, () => {
      if (signalled !== undefined) process.exit(name === 'SIGINT' ? 130 : 143);
      signalled = name;
      stop.abort();
    });
  }
  process.stdout.on('error', (failure: NodeJS.ErrnoException) => {
    if (failure.code === 'EPIPE') process.exit(EXIT.ok);
    throw failure;
  });
  const script = argv[1] ?? fileURLToPath(import.meta.url);
  const world = createWorld({
    program: thisProgram(script),
    distFolder: dirname(fileURLToPath(import.meta.url)),
    signal: stop.signal,
  });
  try {
    await createProgram(world).parseAsync([...argv]);
  } catch (failure) {
    process.exitCode = report(failure, argv.includes('--json'));
  }
  if (signalled !== undefined && (process.exitCode ?? 0) === 0) {
    process.exitCode = signalled === 'SIGINT' ? EXIT.interrupted : EXIT.terminated;
  }
}

function report(failure: unknown, json: boolean): number {
  if (failure instanceof CommanderError) return failure.exitCode === 0 ? EXIT.ok : EXIT.usage;
  if (failure instanceof CommandFailure) {
    const error = { kind: failure.kind, message: failure.message };
    if (json) process.stdout.write(`${JSON.stringify({ error })}\n`);
    process.stderr.write(`quipu: ${safeText(failure.message)}\n`);
    return failure.exitCode;
  }
  if (failure instanceof AssertionFailure || !(failure instanceof Error)) throw failure;
  if (failure.name === 'AbortError') return EXIT.interrupted;
  const message = 'Something went wrong inside Quipu. Run it again with QUIPU_DEBUG=1 for details.';
  if (json) process.stdout.write(`${JSON.stringify({ error: { kind: 'defect', message } })}\n`);
  const detail = process.env['QUIPU_DEBUG'] === '1' ? `\n${failure.stack ?? ''}` : '';
  process.stderr.write(`quipu: ${message}${detail}\n`);
  return EXIT.failure;
}

await main(process.argv);
