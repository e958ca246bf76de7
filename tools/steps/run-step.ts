/**
 * One command of a check: run, timed, judged by how it ended.
 *
 * Decides: success is exit code 0 and nothing else. Death by a signal, a command that cannot be
 * started and one that overruns its time are failures with their reason.
 */
import { spawn } from 'node:child_process';
import { performance } from 'node:perf_hooks';

export type Step = {
  readonly name: string;
  readonly command: readonly [string, ...string[]];
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Output goes to the terminal as it comes instead of being kept. */
  readonly live?: boolean;
  readonly limitMs?: number;
};

export type Outcome = {
  readonly name: string;
  /** Why it failed, or undefined. */
  readonly fault: string | undefined;
  readonly ms: number;
  readonly output: string;
};

const LIMIT_MS = 30 * 60_000;

export function runStep(step: Step): Promise<Outcome> {
  const started = performance.now();
  const [program, ...args] = step.command;
  return new Promise((resolve) => {
    const child = spawn(program, args, {
      cwd: step.cwd,
      env: { ...process.env, ...step.env },
      stdio: ['ignore', step.live === true ? 'inherit' : 'pipe', step.live ? 'inherit' : 'pipe'],
    });
    const chunks: Buffer[] = [];
    child.stdout?.on('data', (chunk: Buffer) => chunks.push(chunk));
    child.stderr?.on('data', (chunk: Buffer) => chunks.push(chunk));
    let overran = false;
    const limit = setTimeout(() => {
      overran = true;
      child.kill('SIGKILL');
    }, step.limitMs ?? LIMIT_MS);
    const end = (fault: string | undefined): void => {
      clearTimeout(limit);
      const output = Buffer.concat(chunks).toString('utf8');
      resolve({ name: step.name, fault, ms: performance.now() - started, output });
    };
    child.once('error', (failure) => end(`could not be started: ${failure.message}`));
    child.once('close', (code, signal) => {
      if (overran) end(`took longer than ${(step.limitMs ?? LIMIT_MS) / 1000} s`);
      else if (signal !== null) end(`was ended by ${signal}`);
      else end(code === 0 ? undefined : `exit code ${code}`);
    });
  });
}

/** Runs steps in their order, at most `width` at once; outcomes in the order of the steps. */
export async function runSteps(
  steps: readonly Step[],
  width: number,
  told: (outcome: Outcome) => void,
): Promise<readonly Outcome[]> {
  const outcomes: Outcome[] = [];
  let next = 0;
  const lane = async (): Promise<void> => {
    for (let at = next++; at < steps.length; at = next++) {
      const step = steps[at];
      if (step === undefined) return;
      const outcome = await runStep(step);
      outcomes[at] = outcome;
      told(outcome);
    }
  };
  await Promise.all(Array.from({ length: width }, lane));
  return outcomes;
}

/** One line for a step that passed; the whole output for one that did not. */
export function tell(outcome: Outcome): void {
  const seconds = `${(outcome.ms / 1000).toFixed(1)} s`;
  if (outcome.fault === undefined) {
    console.log(`ok    ${outcome.name.padEnd(14)} ${seconds}`);
    return;
  }
  console.log(`FAIL  ${outcome.name.padEnd(14)} ${seconds}: ${outcome.fault}`);
  if (outcome.output.trim() !== '') console.log(outcome.output.trimEnd());
}
