/**
 * Memory as one object: what the command line, the daemon and MCP call.
 *
 * Decides: how the parts are put together over one store. It holds no state of its own but the
 * redactor; several `Memory` objects, in several processes, may stand on one file.
 */
import type { Result } from '@quipu/base';
import type { Embedder } from '@quipu/embed';
import type { Kernel } from '@quipu/kernel';
import { type Store, StoreFailure } from '@quipu/store';
import { type Admission, createAdmission, type MessageIndex } from './admission/admission.ts';
import { createPartCleaner, createTextCleaner } from './admission/clean.ts';
import { createEventCleaner } from './admission/clean-event.ts';
import { type MemoryError, memoryError } from './errors.ts';
import { type ExportFilter, exportLines } from './keeping/export.ts';
import { forget } from './keeping/forget.ts';
import { moveSession } from './keeping/move.ts';
import { type RememberInput, remember } from './keeping/remember.ts';
import {
  recordRules,
  type ScrubOptions,
  type ScrubReport,
  scrub,
  scrubbedVersion,
} from './keeping/scrub.ts';
import { outputDigests } from './own-output/index.ts';
import { type ContextRequest, type ContextView, context } from './reading/context.ts';
import { countAll, listProjects, listSessions } from './reading/lists.ts';
import { type ShowPage, show } from './reading/show.ts';
import { indexMessage, type QueryEmbedder, recall, unindexMessage } from './recall/index.ts';
import { REDACTOR_VERSION } from './secrets/index.ts';
import type {
  ForgetReport,
  MemoryCounts,
  MessageView,
  ProjectView,
  RecallRequest,
  RecallResponse,
  SessionsRequest,
  SessionView,
  ShowView,
} from './shapes.ts';
import { type BackfillOptions, type BackfillReport, backfillVectors } from './vectors/backfill.ts';

export type MemoryDeps = {
  readonly store: Store;
  readonly kernel: Kernel;
  /** Without it recall answers from words and says so. */
  readonly embedder?: Embedder | undefined;
};

export type Memory = {
  readonly store: Store;
  readonly admission: Admission;
  readonly recall: (request: RecallRequest) => Promise<Result<RecallResponse, MemoryError>>;
  /** Remembers what was printed to an agent, so that a copy of it is not taken in as new. */
  readonly notePrinted: (text: string) => void;
  /** A message, session or project by its id (or an unambiguous beginning of one). */
  readonly show: (id: string, page?: ShowPage) => Result<ShowView, MemoryError>;
  readonly sessions: (request: SessionsRequest) => Result<SessionView[], MemoryError>;
  readonly projects: () => ProjectView[];
  readonly counts: () => MemoryCounts;
  readonly remember: (input: RememberInput) => Result<MessageView, MemoryError>;
  /** Removes and purges; long on a large store. */
  readonly forget: (id: string) => Result<ForgetReport, MemoryError>;
  readonly scrub: (options?: ScrubOptions) => Promise<ScrubReport>;
  /** True when the rules for secrets are newer than what is stored has been through. */
  readonly needsScrub: () => boolean;
  readonly moveSession: (session: string, project: string) => Result<SessionView, MemoryError>;
  readonly context: (request: ContextRequest) => Result<ContextView, MemoryError>;
  readonly exportLines: (filter: ExportFilter) => Result<Iterable<string>, MemoryError>;
  readonly backfillVectors: (options?: BackfillOptions) => Promise<BackfillReport>;
};

/**
 * How long a query may wait for the model's answer once the worker is ready. A worker that is not
 * ready is started and not waited for.
 */
const QUERY_EMBED_MS_MAX = 400;

export function openMemory(deps: MemoryDeps): Memory {
  const { store, kernel, embedder } = deps;
  const nowMs = (): number => kernel.clock.now();
  const cleanTexts = createTextCleaner();
  const clean = createPartCleaner(store, cleanTexts);
  const cleanEvent = createEventCleaner(clean, cleanTexts);
  const index: MessageIndex = {
    add: (id) => indexMessage(store, id),
    remove: (id) => unindexMessage(store, id),
  };
  const admission = createAdmission({ store, nowMs, clean, cleanEvent, index });
  const keep = { store, admission, index, nowMs };
  if (!store.readOnly && isEmpty(store)) recordRules(store, REDACTOR_VERSION);
  return {
    store,
    admission,
    recall: (request) =>
      guarded(() => recall({ store, kernel, embedder: queryEmbedder(kernel, embedder) }, request)),
    notePrinted: (text) => notePrinted(store, text, nowMs()),
    show: (id, page = {}) => show(store, id, page),
    sessions: (request) => listSessions(store, request),
    projects: () => listProjects(store),
    counts: () => countAll(store, embedder?.model.digest),
    remember: (input) => remember({ ...keep, cleanTexts }, input),
    forget: (id) => {
      const report = forget(keep, id);
      if (report.ok) store.purge();
      return report;
    },
    scrub: (options = {}) =>
      scrub(
        {
          store,
          clean,
          index,
          rulesVersion: REDACTOR_VERSION,
          pause: () => kernel.timers.sleep(0),
        },
        options,
      ),
    needsScrub: () => scrubbedVersion(store) < REDACTOR_VERSION,
    moveSession: (session, project) => moveSession(store, session, project),
    context: (request) => context(store, request),
    exportLines: (filter) => exportLines(store, filter),
    backfillVectors: (options = {}) => backfillVectors(store, embedder, options),
  };
}

const isEmpty = (store: Store): boolean =>
  store.get('SELECT 1 AS n FROM messages LIMIT 1') === undefined;

/** A store that fails while it is asked (busy, damaged) is an answer, not a crash. */
async function guarded<T>(
  run: () => Promise<Result<T, MemoryError>>,
): Promise<Result<T, MemoryError>> {
  try {
    return await run();
  } catch (failure) {
    if (failure instanceof StoreFailure) return memoryError('unavailable', failure.message);
    throw failure;
  }
}

function queryEmbedder(kernel: Kernel, embedder: Embedder | undefined): QueryEmbedder | undefined {
  if (embedder === undefined) return undefined;
  return {
    model: embedder.model.digest,
    embed: async (text) => {
      const vector = embedder.embedQueryNow(text);
      if (vector === undefined) return undefined;
      const limit = new AbortController();
      const late = kernel.timers.sleep(QUERY_EMBED_MS_MAX, limit.signal).then(
        () => undefined,
        () => undefined,
      );
      const first = await Promise.race([vector, late]);
      limit.abort();
      return first;
    },
  };
}

function notePrinted(store: Store, text: string, nowMs: number): void {
  const digests = outputDigests(text);
  if (digests.length === 0 || store.readOnly) return;
  store.transaction(() => {
    for (const digest of digests) {
      store.run(
        `INSERT INTO recall_outputs (digest, at) VALUES (?, ?)
         ON CONFLICT (digest) DO UPDATE SET at = excluded.at`,
        [digest, nowMs],
      );
    }
  });
}
