/**
 * One worker process: its birth, its messages, the end of its output, its death.
 *
 * Decides: `exited` resolves once, when the process is gone, however it went; a message that fails
 * the guard ends the process. `stop` asks, then terminates, then kills, each step waiting for the
 * exit and not for the signal to be sent. Its output is kept in memory, the last part only.
 */
import { type ChildProcess, fork } from 'node:child_process';
import type { Kernel } from '@quipu/kernel';
import { causeOf, type Ending } from '../core/ending.ts';
import { type FromWorker, parseFromWorker, type ToWorker } from '../core/protocol.ts';
import type { EmbedCategory } from '../errors.ts';
import { OUTPUT_TAIL_CHARS_MAX, SHUTDOWN_MS_MAX, TERMINATE_MS_MAX } from '../limits.ts';
import type { WorkerEntry } from './deployment.ts';

export type WorkerExit =
  | { readonly kind: 'asked' }
  | { readonly kind: 'unexpected'; readonly category: EmbedCategory };

/** What a worker needs of its environment; the rest (tokens, keys) is none of its business. */
const ENVIRONMENT = [
  'PATH',
  'HOME',
  'LANG',
  'LD_LIBRARY_PATH',
  'TMPDIR',
  'TEMP',
  'TMP',
  'SystemRoot',
  'USERPROFILE',
];

export class WorkerProcess {
  readonly exited: Promise<WorkerExit>;
  readonly #child: ChildProcess;
  readonly #kernel: Kernel;
  #tail = '';
  #asked = false;
  #blame: EmbedCategory | undefined;
  #isGone = false;

  constructor(entry: WorkerEntry, kernel: Kernel, receive: (message: FromWorker) => void) {
    this.#kernel = kernel;
    const env = Object.fromEntries(
      ENVIRONMENT.flatMap((name) => {
        const value = process.env[name];
        return value === undefined ? [] : [[name, value]];
      }),
    );
    this.#child = fork(entry.path, [], {
      execArgv: [...entry.execArgv],
      env,
      serialization: 'advanced',
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    });
    this.#keepTail();
    this.#child.on('message', (raw) => {
      const message = parseFromWorker(raw);
      if (message === undefined) this.kill('worker-protocol');
      else receive(message);
    });
    this.exited = new Promise((resolve) => {
      const leave = (ending: Ending): void => {
        this.#isGone = true;
        resolve(this.#exitOf(ending));
      };
      this.#child.once('exit', (code, signal) => leave({ code, signal }));
      // Either it could not be started (no process, no exit event) or not be told something.
      this.#child.on('error', () => {
        if (this.#child.pid === undefined) leave({ code: null, signal: null });
      });
    });
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  /** The last characters that the process wrote, for a developer. Never logged. */
  get outputTail(): string {
    return this.#tail;
  }

  send(message: ToWorker): void {
    if (!this.#child.connected) return;
    // A channel that breaks while sending means that the process is ending: `exited` tells.
    this.#child.send(message, () => {});
  }

  /** Ends the process now, and says why; the exit is then unexpected. */
  kill(blame: EmbedCategory): void {
    this.#blame ??= blame;
    this.#child.kill('SIGKILL');
  }

  /** Ends the process as asked. `gently` lets it answer the request first. */
  async stop(gently: boolean): Promise<void> {
    this.#asked = true;
    if (gently) {
      this.send({ kind: 'shutdown' });
      if (await this.#exitsWithin(SHUTDOWN_MS_MAX)) return;
    }
    this.#child.kill('SIGTERM');
    if (await this.#exitsWithin(TERMINATE_MS_MAX)) return;
    this.#child.kill('SIGKILL');
    await this.exited;
  }

  async #exitsWithin(limitMs: number): Promise<boolean> {
    if (this.#isGone) return true;
    let cancel = (): void => {};
    const late = new Promise<false>((resolve) => {
      const timer = this.#kernel.timers.after(limitMs, () => resolve(false));
      cancel = timer.cancel;
    });
    const inTime = await Promise.race([this.exited.then(() => true), late]);
    cancel();
    return inTime;
  }

  #exitOf(ending: Ending): WorkerExit {
    if (this.#asked && this.#blame === undefined) return { kind: 'asked' };
    return { kind: 'unexpected', category: causeOf(ending, this.#blame) };
  }

  #keepTail(): void {
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      stream?.setEncoding('utf8');
      stream?.on('data', (text: string) => {
        this.#tail = (this.#tail + text).slice(-OUTPUT_TAIL_CHARS_MAX);
      });
    }
  }
}
