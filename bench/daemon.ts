/**
 * The daemon at rest, and the time from nothing to a first answer.
 *
 * Decides: resident size is read from /proc some seconds after the start, when nothing is asked;
 * "first answer" is `import` of the example sessions and one `recall`, with the program built.
 */
import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

const PROGRAM = resolve('packages/cli/bin/quipu.js');
const SETTLE_MS = 6_000;

export async function run(options: { readonly json: boolean }): Promise<object> {
  const home = mkdtempSync(join(tmpdir(), 'quipu-bench-daemon-'));
  const env = { ...process.env, QUIPU_HOME: home, HOME: home };
  const quipu = (...args: string[]): string =>
    execFileSync(process.execPath, [PROGRAM, ...args], { env, encoding: 'utf8' });
  try {
    const started = performance.now();
    quipu('import', 'examples/sessions.jsonl', '--agent', 'generic');
    quipu('recall', 'why do we not retry 403');
    const firstAnswerMs = performance.now() - started;
    const daemon = spawn(process.execPath, [PROGRAM, 'daemon', '--port', '47991'], {
      env,
      stdio: 'ignore',
    });
    await pause(SETTLE_MS);
    const idleMib = residentMib(daemon.pid ?? 0);
    daemon.kill('SIGTERM');
    await new Promise((ended) => daemon.once('exit', ended));
    const figures = { firstAnswerMs, idleMib };
    if (!options.json) {
      process.stdout.write(
        `first answer ${firstAnswerMs.toFixed(0)} ms, daemon idle ${idleMib.toFixed(0)} MiB\n`,
      );
    }
    return { name: 'daemon', figures };
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

function residentMib(pid: number): number {
  const line = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
  return Number(line?.[1] ?? Number.NaN) / 1024;
}
