/**
 * The daemon: one process for a user, HTTP on loopback over one store.
 *
 *   lock ─▶ open store ─▶ listen (4747, or the next free port) ─▶ write place ─▶ serve
 *                                                SIGTERM ─▶ close all ─▶ remove place ─▶ unlock
 *
 * Decides: the order above, so that a place file never names a daemon that does not serve, and
 * what a second start does (it leaves the first alone and ends with success). The store is on a
 * thread of its own (`thread/`); this one runs no statement.
 */
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createAdaptorServer, type ServerType } from '@hono/node-server';
import { err, ok, type Result } from '@quipu/base';
import { AGENTS } from '@quipu/connectors';
import { discardLog, fileLog, type Kernel, type Log, realKernel } from '@quipu/kernel';
import { OUTPUT_VERSION } from '@quipu/memory';
import { makeDataDirectory } from '@quipu/store';
import type { BackendError } from './backend.ts';
import { createApp, type ImportRequest, type StatusView } from './http/app.ts';
import { createGuard } from './http/guard.ts';
import { loadPage } from './http/static-page.ts';
import { readOrMakeToken, removePlace, writePlace } from './instance/files.ts';
import { proofOf } from './instance/find.ts';
import { type LockHeld, lockOrOther } from './instance/lock-or-other.ts';
import { createJobRunner, type JobRunner } from './jobs/runner.ts';
import {
  HEADERS_MS_MAX,
  LOG_BYTES_MAX,
  PORT_DEFAULT,
  PORT_TRIES,
  REQUEST_MS_MAX,
  STOP_MS_MAX,
} from './limits.ts';
import type { LocalError } from './local.ts';
import { randomHex } from './machine.ts';
import { createMcpHttp } from './mcp/http.ts';
import type { Program } from './program.ts';
import { type MemoryThread, startMemoryThread } from './thread/memory-thread.ts';
import type { Overview } from './thread/protocol.ts';
import { QUIPU_VERSION } from './version.ts';

export type RunOptions = {
  readonly directory: string;
  readonly program: Program;
  /** Folder of the built web page; without it only the API is served. */
  readonly pageFolder?: string | undefined;
  readonly port?: number | undefined;
  /** Bound elsewhere than loopback only by an explicit flag; also the `Host` it then answers to. */
  readonly bind?: string | undefined;
};

export type RunError =
  | LocalError
  | LockHeld
  | { readonly kind: 'no-port'; readonly message: string };

export type RunningDaemon = {
  readonly port: number;
  /** Resolves when the daemon can do no more and has to be stopped: its store's thread is lost. */
  readonly failed: Promise<void>;
  readonly stop: () => Promise<void>;
};

/** `already-running` when another daemon has the directory and answers. */
export async function runDaemon(
  options: RunOptions,
): Promise<Result<RunningDaemon | 'already-running', RunError>> {
  // The log's file lies in the directory, which is checked first.
  let log: Log = discardLog;
  const kernel = realKernel({ write: (event) => log.write(event) });
  const { directory } = options;
  const made = makeDataDirectory(directory);
  if (!made.ok) return made;
  log = fileLog(join(directory, 'daemon.log'), LOG_BYTES_MAX);
  const lock = await lockOrOther(directory, kernel);
  if (!lock.ok) return lock;
  if (lock.value === 'already-running') return ok('already-running');
  const memory = await startMemoryThread({ program: options.program, directory, kernel });
  if (!memory.ok) {
    lock.value.release();
    return memory;
  }
  const held = lock.value;
  const daemon = new Daemon(options, kernel, memory.value);
  const listening = await daemon.listen();
  if (!listening.ok) {
    await memory.value.close();
    held.release();
    return listening;
  }
  return ok({
    port: listening.value,
    failed: memory.value.lost,
    stop: async () => {
      await daemon.stop();
      held.release();
    },
  });
}

class Daemon {
  readonly #options: RunOptions;
  readonly #kernel: Kernel;
  readonly #memory: MemoryThread;
  readonly #instance = randomHex(16);
  readonly #token: string;
  readonly #jobs: JobRunner;
  readonly #startedAt: string;
  #server: ServerType | undefined;
  #port = 0;
  #closeMcp: () => Promise<void> = async () => {};

  constructor(options: RunOptions, kernel: Kernel, memory: MemoryThread) {
    this.#options = options;
    this.#kernel = kernel;
    this.#memory = memory;
    this.#token = readOrMakeToken(options.directory);
    this.#jobs = createJobRunner(kernel, options.program);
    this.#startedAt = new Date(kernel.clock.now()).toISOString();
  }

  async listen(): Promise<Result<number, RunError>> {
    const first = this.#options.port ?? PORT_DEFAULT;
    const tries = this.#options.port === undefined ? PORT_TRIES : 1;
    for (let port = first; port < first + tries; port += 1) {
      const bound = await this.#bind(port);
      if (bound === undefined) continue;
      this.#port = bound;
      writePlace(this.#options.directory, {
        pid: process.pid,
        port: bound,
        instance: this.#instance,
        version: QUIPU_VERSION,
        startedAt: this.#startedAt,
      });
      this.#kernel.log.write({ level: 'info', category: 'daemon-started' });
      // So that the first questions find a model; it ends by itself when none come.
      Promise.all([this.#resumeVectors(), this.#memory.warm()]).catch(() =>
        this.#kernel.log.write({ level: 'error', category: 'memory-defect' }),
      );
      return ok(bound);
    }
    const last = first + tries - 1;
    const ports = tries === 1 ? `Port ${first} is` : `Ports ${first} to ${last} are`;
    return err({ kind: 'no-port', message: `${ports} taken. Give another with --port.` });
  }

  /** The port bound, or undefined when it is taken. */
  #bind(port: number): Promise<number | undefined> {
    const { fetch, close } = this.#application(port);
    const server = createAdaptorServer({ fetch });
    // Node's own limits: a client that dawdles, or never ends, does not hold a connection for ever.
    if ('headersTimeout' in server) {
      server.headersTimeout = HEADERS_MS_MAX;
      server.requestTimeout = REQUEST_MS_MAX;
    }
    return new Promise((resolve, reject) => {
      server.once('error', (failure: NodeJS.ErrnoException) => {
        if (failure.code === 'EADDRINUSE' || failure.code === 'EACCES') resolve(undefined);
        else reject(failure);
      });
      server.listen(port, this.#options.bind ?? '127.0.0.1', () => {
        this.#server = server;
        this.#closeMcp = close;
        resolve((server.address() as AddressInfo).port);
      });
    });
  }

  #application(port: number): {
    fetch: ReturnType<typeof createApp>['fetch'];
    close: () => Promise<void>;
  } {
    const { backend } = this.#memory;
    const mcp = createMcpHttp({ backend, kernel: this.#kernel });
    const hosts = this.#options.bind === undefined ? [] : [this.#options.bind];
    const app = createApp({
      backend,
      guard: createGuard(port, this.#token, hosts),
      page: loadPage(this.#options.pageFolder),
      health: (challenge) => this.#health(challenge),
      status: () => this.#status(),
      startImport: (request) => this.#startImport(request),
      mcp: mcp.handle,
      onDefect: (category) => this.#kernel.log.write({ level: 'error', category }),
    });
    return { fetch: app.fetch, close: mcp.close };
  }

  #health(challenge: string): Readonly<Record<string, unknown>> {
    return {
      name: 'quipu',
      version: QUIPU_VERSION,
      api: 1,
      pid: process.pid,
      ...(challenge === '' ? {} : { proof: proofOf(this.#token, challenge) }),
    };
  }

  async #status(): Promise<Result<StatusView, BackendError>> {
    const overview = await this.#memory.overview();
    return overview.ok ? ok(this.#statusOf(overview.value)) : overview;
  }

  #statusOf({ counts, model, embedder }: Overview): StatusView {
    const jobs = this.#jobs.view();
    return {
      version: OUTPUT_VERSION,
      daemon: {
        pid: process.pid,
        port: this.#port,
        version: QUIPU_VERSION,
        startedAt: this.#startedAt,
      },
      counts,
      vectors: {
        model,
        state: embedder?.kind ?? 'off',
        category: embedder !== null && 'category' in embedder ? embedder.category : null,
        pending: counts.chunks - counts.vectors,
        total: counts.chunks,
      },
      imports: {
        running: jobs.running,
        progress: jobs.import,
        vectors: jobs.vectors,
        last: jobs.lastReport,
        failure: jobs.lastFailure,
      },
      agents: AGENTS.map((entry) => ({
        name: entry.name,
        displayName: entry.displayName,
        sessions: counts.agents.find((row) => row.agent === entry.name)?.sessions ?? 0,
      })),
    };
  }

  async #startImport(request: ImportRequest): Promise<Result<unknown, BackendError>> {
    const running = this.#jobs.view().running;
    if (running !== null) {
      return err({ kind: 'unavailable', message: `An ${running} job is running already.` });
    }
    const job = this.#jobs.run({
      kind: 'import',
      directory: this.#options.directory,
      agents: request.agents,
      paths: request.path === undefined ? undefined : [request.path],
    });
    if (request.wait === true) return job;
    job.catch(() => this.#kernel.log.write({ level: 'error', category: 'job-defect' }));
    return ok({ version: OUTPUT_VERSION, started: true });
  }

  /** Vectors that an earlier run left undone. */
  async #resumeVectors(): Promise<void> {
    const overview = await this.#memory.overview();
    if (!overview.ok || overview.value.counts.chunks <= overview.value.counts.vectors) return;
    void this.#jobs.run({ kind: 'vectors', directory: this.#options.directory });
  }

  async stop(): Promise<void> {
    removePlace(this.#options.directory, this.#instance);
    await this.#closeMcp();
    await this.#jobs.close();
    await this.#closeServer();
    await this.#memory.close();
    this.#kernel.log.write({ level: 'info', category: 'daemon-stopped' });
  }

  #closeServer(): Promise<void> {
    const server = this.#server;
    if (server === undefined) return Promise.resolve();
    return new Promise((resolve) => {
      const killer = this.#kernel.timers.after(STOP_MS_MAX / 2, () => {
        if ('closeAllConnections' in server) server.closeAllConnections();
      });
      server.close(() => {
        killer.cancel();
        resolve();
      });
      if ('closeIdleConnections' in server) server.closeIdleConnections();
    });
  }
}
