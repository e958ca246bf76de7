/**
 * The daemon as a backend: the HTTP API called from this machine.
 *
 * Decides: every call has a deadline; an answer that is no JSON, or no answer, is an error of the
 * `daemon-…` family with a sentence, never an exception.
 */
import { err, ok, type Result } from '@quipu/base';
import type { Backend, BackendError } from './backend.ts';
import type { ImportRequest } from './http/app.ts';
import type { FoundDaemon } from './instance/find.ts';
import { REQUEST_MS_MAX } from './limits.ts';
import { deadline } from './machine.ts';

export type DaemonClient = Backend & {
  readonly kind: 'daemon';
  readonly status: () => Promise<Result<Record<string, unknown>, BackendError>>;
  readonly startImport: (request: ImportRequest) => Promise<Result<unknown, BackendError>>;
};

type Call = {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly body?: unknown;
  readonly signal?: AbortSignal | undefined;
  /** No deadline: the caller waits for long work and may abort. */
  readonly patient?: boolean;
};

export function daemonClient(daemon: Pick<FoundDaemon, 'url' | 'token'>): DaemonClient {
  const call = <T>(request: Call): Promise<Result<T, BackendError>> => send<T>(daemon, request);
  const list = async <T>(path: string, field: string): Promise<Result<T, BackendError>> => {
    const result = await call<Record<string, T>>({ method: 'GET', path });
    if (!result.ok) return result;
    const value = result.value[field];
    return value === undefined ? unexpected() : ok(value);
  };
  return {
    kind: 'daemon',
    recall: (request, signal) =>
      call({ method: 'POST', path: '/api/v1/recall', body: request, signal }),
    show: (id, page) =>
      call({ method: 'GET', path: `/api/v1/show/${encodeURIComponent(id)}${queryOf(page ?? {})}` }),
    sessions: (request) => list(`/api/v1/sessions${queryOf(request)}`, 'sessions'),
    projects: () => list('/api/v1/projects', 'projects'),
    remember: (input) => call({ method: 'POST', path: '/api/v1/remember', body: input }),
    forget: (id) => call({ method: 'POST', path: '/api/v1/forget', body: { id }, patient: true }),
    move: (session, project) =>
      call({
        method: 'POST',
        path: `/api/v1/sessions/${encodeURIComponent(session)}/move`,
        body: { project },
      }),
    context: (request) => call({ method: 'GET', path: `/api/v1/context${queryOf(request)}` }),
    printed: (text) => call({ method: 'POST', path: '/api/v1/printed', body: { text } }),
    status: () => call({ method: 'GET', path: '/api/v1/status' }),
    startImport: (request) =>
      call({ method: 'POST', path: '/api/v1/import', body: request, patient: true }),
  };
}

function queryOf(fields: object): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(fields)) {
    if (value !== undefined && value !== false) query.set(name, String(value));
  }
  const text = query.toString();
  return text === '' ? '' : `?${text}`;
}

async function send<T>(
  daemon: Pick<FoundDaemon, 'url' | 'token'>,
  request: Call,
): Promise<Result<T, BackendError>> {
  const limit = deadline(REQUEST_MS_MAX);
  const signals = request.patient === true ? [] : [limit.signal];
  if (request.signal !== undefined) signals.push(request.signal);
  let text: string;
  try {
    const response = await fetch(`${daemon.url}${request.path}`, {
      method: request.method,
      redirect: 'error',
      signal: AbortSignal.any(signals),
      headers: {
        authorization: `Bearer ${daemon.token}`,
        ...(request.body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(request.body === undefined ? {} : { body: JSON.stringify(request.body) }),
    });
    text = await response.text();
  } catch (failure) {
    if (request.signal?.aborted === true) throw failure;
    return err({
      kind: 'daemon-unreachable',
      message: "The daemon does not answer. 'quipu status' shows what is wrong with it.",
    });
  } finally {
    limit.done();
  }
  return parseAnswer<T>(text);
}

function parseAnswer<T>(text: string): Result<T, BackendError> {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch (failure) {
    if (failure instanceof SyntaxError) return unexpected();
    throw failure;
  }
  if (typeof body !== 'object' || body === null) return unexpected();
  if ('error' in body) {
    const { kind, message } = body.error as { kind?: unknown; message?: unknown };
    if (typeof kind !== 'string' || typeof message !== 'string') return unexpected();
    return err({ kind: knownKind(kind), message });
  }
  return ok(body as T);
}

const MEMORY_KINDS = ['bad-request', 'not-found', 'ambiguous-id', 'unavailable'] as const;

function knownKind(kind: string): BackendError['kind'] {
  return MEMORY_KINDS.find((known) => known === kind) ?? 'daemon-refused';
}

const unexpected = (): Result<never, BackendError> =>
  err({
    kind: 'daemon-refused',
    message: "The daemon's answer makes no sense; 'quipu stop' and 'quipu up' start a fresh one.",
  });
