/**
 * Keeps one worker: starts it when it is wanted, replaces it when it dies, lets it go when idle.
 *
 *            ensure              ready                     idle, close
 *   cold ───────────▶ starting ────────▶ ready ──────────────────────▶ cold
 *     ▲                │  │  ▲ init-needs-wasm: one fresh worker with WASM, which then sticks
 *     └── unexpected ──┘  └──┘
 *         end, back-off   init-error, or too many ends in the window ──▶ failed ── 6 h ──▶ cold
 *
 * Decides: the state, the watchdogs, back-off and the latch. Does not decide what is sent to the
 * worker (`embedder.ts`). An unexpected end is told once, before anything new starts.
 */
import { assert } from '@quipu/base';
import type { Kernel, Timer } from '@quipu/kernel';
import type { FromWorker, Runtime, ToWorker, WorkerInitData } from '../core/protocol.ts';
import { RestartBudget } from '../core/restarts.ts';
import type { EmbedCategory } from '../errors.ts';
import { EXECUTION_MS_MAX, HEAL_AFTER_MS, IDLE_MS, INIT_MS_MAX } from '../limits.ts';
import type { WorkerEntry } from './deployment.ts';
import { type WorkerExit, WorkerProcess } from './worker-process.ts';

export type EmbedderState =
  | { readonly kind: 'cold' }
  | { readonly kind: 'starting' }
  | { readonly kind: 'ready'; readonly runtime: Runtime }
  | { readonly kind: 'failed'; readonly category: EmbedCategory };

export type WorkerPlan = Omit<WorkerInitData, 'nowMs' | 'nonce'>;

export type WorkerAnswer = Extract<FromWorker, { kind: 'embed-result' | 'embed-error' }>;

export type SupervisorEvents = {
  readonly ready: () => void;
  /** The worker is gone and has answered all that it will. `terminal`: no other will start. */
  readonly lost: (category: EmbedCategory, terminal: boolean) => void;
  readonly answer: (answer: WorkerAnswer) => void;
};

export class Supervisor {
  readonly #kernel: Kernel;
  readonly #entry: WorkerEntry;
  readonly #plan: WorkerPlan;
  readonly #events: SupervisorEvents;
  readonly #budget = new RestartBudget();
  /** Every process that is not known to be gone. */
  readonly #alive = new Set<WorkerProcess>();
  readonly #executions = new Map<number, Timer>();
  #current: WorkerProcess | undefined;
  #state: EmbedderState = { kind: 'cold' };
  #failedAtMs = 0;
  #forceWasm: boolean;
  #isClosed = false;
  #initTimer: Timer | undefined;
  #idleTimer: Timer | undefined;
  #startTimer: Timer | undefined;

  constructor(kernel: Kernel, entry: WorkerEntry, plan: WorkerPlan, events: SupervisorEvents) {
    this.#kernel = kernel;
    this.#entry = entry;
    this.#plan = plan;
    this.#events = events;
    this.#forceWasm = plan.forceWasm;
  }

  get state(): EmbedderState {
    this.#heal();
    return this.#state;
  }

  get pid(): number | undefined {
    return this.#current?.pid;
  }

  /** Asks for a worker; `ready` or `lost` will follow unless the state is `ready` or `failed`. */
  ensure(): void {
    this.#heal();
    if (this.#isClosed || this.#state.kind !== 'cold') return;
    this.#state = { kind: 'starting' };
    const waitMs = this.#budget.waitMs(this.#kernel.clock.monotonicMs());
    if (waitMs === 0) this.#start();
    else this.#startTimer = this.#kernel.timers.after(waitMs, () => this.#start());
  }

  send(message: ToWorker): void {
    assert(this.#state.kind === 'ready', 'only a ready worker is given work');
    this.#current?.send(message);
  }

  /** Whether anything is asked of the worker; when not, it is let go after a while. */
  setBusy(isBusy: boolean): void {
    this.#idleTimer?.cancel();
    this.#idleTimer = undefined;
    if (isBusy || this.#state.kind !== 'ready') return;
    this.#idleTimer = this.#kernel.timers.after(IDLE_MS, () => {
      this.#retire(true);
      this.#state = { kind: 'cold' };
    });
  }

  /** The worker said something that cannot be: it is ended. */
  rejectWorker(): void {
    this.#current?.kill('worker-protocol');
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const wasReady = this.#state.kind === 'ready';
    this.#state = { kind: 'cold' };
    this.#startTimer?.cancel();
    this.#retire(wasReady);
    await Promise.all([...this.#alive].map((worker) => worker.exited));
  }

  #start(): void {
    if (this.#isClosed) return;
    const worker = new WorkerProcess(this.#entry, this.#kernel, (message) =>
      this.#receive(worker, message),
    );
    this.#current = worker;
    this.#alive.add(worker);
    this.#initTimer = this.#kernel.timers.after(INIT_MS_MAX, () => worker.kill('init-stuck'));
    const nonce = Buffer.from(this.#kernel.dice.bytes(8)).toString('hex');
    const nowMs = this.#kernel.clock.now();
    const data = { ...this.#plan, forceWasm: this.#forceWasm, nowMs, nonce };
    worker.send({ kind: 'init', data });
    void worker.exited.then((exit) => this.#gone(worker, exit));
  }

  #receive(worker: WorkerProcess, message: FromWorker): void {
    if (worker !== this.#current) return;
    switch (message.kind) {
      case 'ready':
        this.#becomeReady(message);
        return;
      case 'init-needs-wasm':
        this.#startAgainWithWasm(message.category);
        return;
      case 'init-error':
        this.#retire(true);
        this.#fail(message.category);
        return;
      case 'embed-started':
        this.#executions.get(message.id)?.cancel();
        this.#executions.set(
          message.id,
          this.#kernel.timers.after(EXECUTION_MS_MAX, () => worker.kill('worker-stuck')),
        );
        return;
      case 'embed-result':
      case 'embed-error':
        this.#executions.get(message.id)?.cancel();
        this.#executions.delete(message.id);
        this.#events.answer(message);
        return;
    }
  }

  #becomeReady(message: Extract<FromWorker, { kind: 'ready' }>): void {
    if (this.#state.kind !== 'starting') {
      this.rejectWorker();
      return;
    }
    this.#initTimer?.cancel();
    this.#state = { kind: 'ready', runtime: message.runtime };
    if (message.cache === 'unwritable') this.#log('warn', 'embed-model-cache-unwritable');
    this.#events.ready();
  }

  #startAgainWithWasm(category: EmbedCategory): void {
    // Only native can ask, and only once: afterwards no worker uses native.
    if (this.#forceWasm || this.#state.kind !== 'starting') {
      this.rejectWorker();
      return;
    }
    this.#log('warn', category);
    this.#forceWasm = true;
    this.#retire(true);
    this.#start();
  }

  #gone(worker: WorkerProcess, exit: WorkerExit): void {
    this.#alive.delete(worker);
    if (worker !== this.#current) return;
    this.#forgetCurrent();
    const category = exit.kind === 'asked' ? 'worker-lost' : exit.category;
    this.#log('warn', category);
    if (!this.#budget.recordEnd(this.#kernel.clock.monotonicMs())) {
      this.#fail(category);
      return;
    }
    this.#state = { kind: 'cold' };
    this.#events.lost(category, false);
  }

  #fail(category: EmbedCategory): void {
    this.#state = { kind: 'failed', category };
    this.#failedAtMs = this.#kernel.clock.monotonicMs();
    this.#log('error', category);
    this.#events.lost(category, true);
  }

  #heal(): void {
    if (this.#state.kind !== 'failed') return;
    if (this.#kernel.clock.monotonicMs() - this.#failedAtMs < HEAL_AFTER_MS) return;
    this.#budget.forget();
    this.#state = { kind: 'cold' };
  }

  /** Lets the current worker go; whatever it still says is not heard. */
  #retire(gently: boolean): void {
    const worker = this.#current;
    this.#forgetCurrent();
    if (worker !== undefined) void worker.stop(gently);
  }

  #forgetCurrent(): void {
    this.#current = undefined;
    this.#initTimer?.cancel();
    this.#idleTimer?.cancel();
    for (const timer of this.#executions.values()) timer.cancel();
    this.#executions.clear();
  }

  #log(level: 'warn' | 'error', category: string): void {
    this.#kernel.log.write({ level, category });
  }
}
