/**
 * The daemon's side of long work: one job at a time, its progress, its last report.
 *
 * Decides: a second import while one runs is refused ("busy"), never queued without bound. A job
 * that dies is reported by category; nothing restarts it but a new request or the next start.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { assert, err, ok, type Result } from '@quipu/base';
import type { Kernel } from '@quipu/kernel';
import type { BackendError } from '../backend.ts';
import type { ImportProgress, ImportResult } from '../import/import.ts';
import { STOP_MS_MAX } from '../limits.ts';
import type { Program } from '../program.ts';
import { isFromJob, type JobSpec, type ToJob, type VectorsLeft } from './protocol.ts';

export type JobsView = {
  readonly running: 'import' | 'vectors' | null;
  readonly import: ImportProgress | null;
  readonly vectors: VectorsLeft | null;
  readonly lastReport: ImportResult | null;
  /** Category of the last job's failure, or null. */
  readonly lastFailure: string | null;
};

export type JobRunner = {
  readonly view: () => JobsView;
  /** Resolves when the job has ended. */
  readonly run: (spec: JobSpec) => Promise<Result<ImportResult | null, BackendError>>;
  /** Cancels the job and waits for its exit; kills it when it takes too long. */
  readonly close: () => Promise<void>;
};

export function createJobRunner(kernel: Kernel, program: Program): JobRunner {
  return new Jobs(kernel, program);
}

class Jobs implements JobRunner {
  readonly #kernel: Kernel;
  readonly #program: Program;
  #child: ChildProcess | undefined;
  #exited: Promise<void> = Promise.resolve();
  #running: JobSpec['kind'] | null = null;
  #import: ImportProgress | null = null;
  #vectors: VectorsLeft | null = null;
  #lastReport: ImportResult | null = null;
  #lastFailure: string | null = null;
  #closed = false;

  constructor(kernel: Kernel, program: Program) {
    this.#kernel = kernel;
    this.#program = program;
  }

  readonly view = (): JobsView => ({
    running: this.#running,
    import: this.#import,
    vectors: this.#vectors,
    lastReport: this.#lastReport,
    lastFailure: this.#lastFailure,
  });

  readonly run = (spec: JobSpec): Promise<Result<ImportResult | null, BackendError>> => {
    if (this.#closed) {
      return Promise.resolve(err({ kind: 'unavailable', message: 'The daemon is stopping.' }));
    }
    if (this.#running !== null) {
      const message = `An ${this.#running} job is running; 'quipu status' shows how far it is.`;
      return Promise.resolve(err({ kind: 'unavailable', message }));
    }
    return this.#start(spec);
  };

  #start(spec: JobSpec): Promise<Result<ImportResult | null, BackendError>> {
    assert(this.#running === null, 'one job at a time');
    this.#running = spec.kind;
    this.#import = null;
    this.#vectors = null;
    this.#lastFailure = null;
    const child = fork(this.#program.script, ['__job'], {
      execPath: this.#program.execPath,
      execArgv: [...this.#program.execArgv],
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      serialization: 'json',
    });
    this.#child = child;
    let outcome: Result<ImportResult | null, BackendError> | undefined;
    child.on('message', (message: unknown) => {
      if (!isFromJob(message)) return;
      if (message.type === 'progress') {
        this.#import = message.import ?? this.#import;
        this.#vectors = message.vectors ?? this.#vectors;
      } else if (message.type === 'done') {
        this.#lastReport = message.report ?? this.#lastReport;
        outcome = ok(message.report);
      } else {
        this.#lastFailure = message.category;
        outcome = err({ kind: 'unavailable', message: message.message });
      }
    });
    const ended = new Promise<void>((resolve) => {
      child.once('error', () => resolve());
      child.once('exit', () => resolve());
    });
    this.#exited = ended;
    const start: ToJob = { type: 'start', spec };
    child.send(start);
    return ended.then(() => {
      this.#running = null;
      this.#child = undefined;
      if (outcome !== undefined) return outcome;
      this.#lastFailure = 'job-died';
      this.#kernel.log.write({ level: 'error', category: 'job-died' });
      return err({
        kind: 'unavailable',
        message: 'The job ended before it was done; start it again.',
      });
    });
  }

  readonly close = async (): Promise<void> => {
    this.#closed = true;
    const child = this.#child;
    if (child === undefined) return;
    const cancel: ToJob = { type: 'cancel' };
    if (child.connected) child.send(cancel);
    const killer = this.#kernel.timers.after(STOP_MS_MAX / 2, () => child.kill('SIGKILL'));
    await this.#exited;
    killer.cancel();
  };
}
