/**
 * Memory as one object: what the command line, the daemon and MCP call.
 *
 * Decides: how the parts are put together over one store. It holds no state of its own but the
 * redactor; several `Memory` objects, in several processes, may stand on one file.
 */
import { assert, ok, type Result } from '@quipu/base';
import type { Embedder } from '@quipu/embed';
import type { Kernel } from '@quipu/kernel';
import type { Store } from '@quipu/store';
import { type Admission, createAdmission, type MessageIndex } from './admission/admission.ts';
import { createPartCleaner } from './admission/clean.ts';
import { readParts } from './admission/rows.ts';
import type { MemoryError } from './errors.ts';
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
import { type ContextRequest, type ContextView, context } from './reading/context.ts';
import { countAll, listProjects, listSessions } from './reading/lists.ts';
import { type ShowPage, show } from './reading/show.ts';
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
