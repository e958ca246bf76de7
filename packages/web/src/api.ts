/**
 * The daemon's HTTP API as the page calls it.
 *
 * Decides: where the token is kept (this tab's session storage; it comes in the address's fragment,
 * which no server sees, and is taken out of the address bar at once), and that a newer request of
 * the same purpose aborts the older one.
 */
import type {
  ImportReport,
  MemoryCounts,
  ProjectView,
  RecallResponse,
  SessionView,
  ShowView,
} from '@quipu/memory';

const TOKEN_KEY = 'quipu-token';

/** Takes `#token=…` out of the address; what follows `&` in the fragment is the route. */
export function takeToken(): void {
  const match = /^#token=([0-9a-f]+)(?:&(.*))?$/.exec(location.hash);
  if (match?.[1] === undefined) return;
  sessionStorage.setItem(TOKEN_KEY, match[1]);
  history.replaceState(null, '', `#${match[2] ?? '/'}`);
}

export type ApiFailure = {
  readonly kind: 'unauthorized' | 'unreachable' | 'refused';
  readonly message: string;
};

export type ApiResult<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly error: ApiFailure }
  /** A newer request took this one's place; nothing is to be shown. */
  | { readonly ok: false; readonly error: 'superseded' };

const running = new Map<string, AbortController>();

async function call<T>(purpose: string, path: string, body?: unknown): Promise<ApiResult<T>> {
  running.get(purpose)?.abort();
  const controller = new AbortController();
  running.set(purpose, controller);
  const token = sessionStorage.getItem(TOKEN_KEY) ?? '';
  try {
    const response = await fetch(path, {
      method: body === undefined ? 'GET' : 'POST',
      signal: controller.signal,
      headers: {
        authorization: `Bearer ${token}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const answer = (await response.json()) as T & { error?: { message: string } };
    if (response.ok) return { ok: true, value: answer };
    const message = answer.error?.message ?? `The daemon answered ${response.status}.`;
    const kind = response.status === 401 ? 'unauthorized' : 'refused';
    return { ok: false, error: { kind, message } };
  } catch (failure) {
    if (controller.signal.aborted) return { ok: false, error: 'superseded' };
    if (!(failure instanceof Error)) throw failure;
    const message = 'The daemon does not answer. Is it running? ‘quipu up’ starts it.';
    return { ok: false, error: { kind: 'unreachable', message } };
  }
}

export type StatusAnswer = {
  readonly daemon: { readonly pid: number; readonly port: number; readonly version: string };
  readonly counts: MemoryCounts;
  readonly vectors: {
    readonly model: string | null;
    readonly state: string;
    readonly category: string | null;
    readonly pending: number;
    readonly total: number;
  };
  readonly imports: {
    readonly running: string | null;
    readonly progress: { readonly agent: string; readonly messages: number } | null;
    readonly vectors: { readonly done: number; readonly total: number } | null;
    readonly last: ImportReport | null;
    readonly failure: string | null;
  };
  readonly agents: readonly {
    readonly name: string;
    readonly displayName: string;
    readonly sessions: number;
  }[];
};

export type Query = Readonly<Record<string, string>>;

const withQuery = (path: string, query: Query): string => {
  const text = new URLSearchParams(
    Object.entries(query).filter(([, value]) => value !== ''),
  ).toString();
  return text === '' ? path : `${path}?${text}`;
};

export const recall = (query: Query): Promise<ApiResult<RecallResponse>> =>
  call('recall', withQuery('/api/v1/recall', query));

export const listSessions = (
  query: Query,
): Promise<ApiResult<{ sessions: readonly SessionView[] }>> =>
  call('sessions', withQuery('/api/v1/sessions', query));

export const listProjects = (): Promise<ApiResult<{ projects: readonly ProjectView[] }>> =>
  call('projects', '/api/v1/projects');

export const openThing = (id: string, query: Query): Promise<ApiResult<ShowView>> =>
  call('show', withQuery(`/api/v1/show/${encodeURIComponent(id)}`, query));

export const readStatus = (): Promise<ApiResult<StatusAnswer>> => call('status', '/api/v1/status');

export const startImport = (): Promise<ApiResult<unknown>> => call('import', '/api/v1/import', {});

export const moveSession = (id: string, project: string): Promise<ApiResult<unknown>> =>
  call('move', `/api/v1/sessions/${encodeURIComponent(id)}/move`, { project });
