/**
 * What a front end asks for, whoever answers: the store opened in this process, or the daemon.
 *
 * Decides: one interface, so that the command line and MCP give the same answers with and without
 * a daemon. Errors are values with a sentence for a person.
 */
import { ok, type Result } from '@quipu/base';
import type {
  ContextRequest,
  ContextView,
  ForgetReport,
  Memory,
  MemoryError,
  MessageView,
  ProjectView,
  RecallRequest,
  RecallResponse,
  RememberInput,
  SessionsRequest,
  SessionView,
  ShowPage,
  ShowView,
} from '@quipu/memory';
import { OUTPUT_VERSION } from '@quipu/memory';

export type BackendError =
  | MemoryError
  | { readonly kind: 'daemon-unreachable' | 'daemon-refused'; readonly message: string };

type Answer<T> = Promise<Result<T, BackendError>>;

export type Backend = {
  readonly kind: 'local' | 'daemon';
  readonly recall: (request: RecallRequest, signal?: AbortSignal) => Answer<RecallResponse>;
  readonly show: (id: string, page?: ShowPage) => Answer<ShowView>;
  readonly sessions: (request: SessionsRequest) => Answer<readonly SessionView[]>;
  readonly projects: () => Answer<readonly ProjectView[]>;
  readonly remember: (input: RememberInput) => Answer<MessageView>;
  readonly forget: (id: string) => Answer<ForgetReport>;
  readonly move: (session: string, project: string) => Answer<SessionView>;
  readonly context: (request: ContextRequest) => Answer<ContextView>;
  /** What was printed to an agent, so that a copy of it in its transcript is known again. */
  readonly printed: (text: string) => Answer<{ readonly version: number }>;
};

export function localBackend(memory: Memory): Backend {
  return {
    kind: 'local',
    recall: (request) => memory.recall(request),
    show: async (id, page) => memory.show(id, page),
    sessions: async (request) => memory.sessions(request),
    projects: async () => ok(memory.projects()),
    remember: async (input) => memory.remember(input),
    forget: async (id) => memory.forget(id),
    move: async (session, project) => memory.moveSession(session, project),
    context: async (request) => memory.context(request),
    printed: async (text) => {
      memory.notePrinted(text);
      return ok({ version: OUTPUT_VERSION });
    },
  };
}
