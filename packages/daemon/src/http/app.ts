/**
 * The HTTP API (`docs/formats/http-api.md`): routes, their guards and limits.
 *
 * Decides: how a request becomes a call of the backend and an answer becomes JSON. Every failure is
 * `{ error: { kind, message } }` with a status; no stack trace, path or library text leaves here.
 */
import type { HttpBindings } from '@hono/node-server';
import type { Result } from '@quipu/base';
import type { RecallRequest, SessionsRequest } from '@quipu/memory';
import { OUTPUT_VERSION } from '@quipu/memory';
import { type Context, Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import type { Backend, BackendError } from '../backend.ts';
import { BODY_BYTES_MAX, CONCURRENT_REQUESTS_MAX } from '../limits.ts';
import type { Guard, GuardInput } from './guard.ts';
import { parseForget, parseImport, parseMove, parseRecall, parseRemember } from './requests.ts';
import { PAGE_HEADERS, type PageFile } from './static-page.ts';

export type StatusView = Readonly<Record<string, unknown>>;

export type ApiDeps = {
  readonly backend: Backend;
  readonly guard: Guard;
  readonly page: ReadonlyMap<string, PageFile>;
  readonly health: (challenge: string) => Readonly<Record<string, unknown>>;
  readonly status: () => Promise<Result<StatusView, BackendError>>;
  /** Starts an import unless one runs; resolves with its report when `wait`. */
  readonly startImport: (request: ImportRequest) => Promise<Result<unknown, BackendError>>;
  readonly mcp: (request: Request) => Promise<Response>;
  /** A defect, by its fixed category; never its text. */
  readonly onDefect: (category: string) => void;
};

export type ImportRequest = {
  readonly agents?: readonly string[] | undefined;
  readonly path?: string | undefined;
  readonly wait?: boolean | undefined;
};

type Env = { Bindings: HttpBindings };
type Ctx = Context<Env>;

const STATUS_BY_KIND: Readonly<Record<string, 400 | 404 | 409 | 502 | 503>> = {
  'bad-request': 400,
  'not-found': 404,
  'ambiguous-id': 409,
  busy: 409,
  unavailable: 503,
  'daemon-unreachable': 502,
  'daemon-refused': 502,
};

export function createApp(deps: ApiDeps): Hono<Env> {
  const app = new Hono<Env>();
  app.use('*', async (c, next) => {
    const verdict = deps.guard.place(guardInput(c));
    if (!verdict.allow) return failure(c, verdict.status, 'forbidden', verdict.message);
    await next();
    for (const [name, value] of Object.entries(PAGE_HEADERS)) c.res.headers.set(name, value);
    return undefined;
  });
  addOpenRoutes(app, deps);
  addGates(app, deps);
  addReadingRoutes(app, deps);
  addWritingRoutes(app, deps);
  app.all('/mcp', (c) => deps.mcp(c.req.raw));
  app.notFound((c) => failure(c as Ctx, 404, 'not-found', 'There is nothing at this address.'));
  app.onError((_error, c) => {
    deps.onDefect('http-defect');
    return failure(c as Ctx, 500, 'defect', 'Something went wrong inside Quipu; see its log.');
  });
  return app;
}

/**
 * What a request passes before a route takes it. The token comes first: whoever has none is
 * answered before the body is waited for, and takes no place from those who have one.
 */
function addGates(app: Hono<Env>, deps: ApiDeps): void {
  let open = 0;
  app.use('*', async (c, next) => {
    const verdict = deps.guard.token(guardInput(c));
    if (!verdict.allow) return failure(c, verdict.status, 'unauthorized', verdict.message);
    if (open >= CONCURRENT_REQUESTS_MAX) {
      return failure(c, 503, 'unavailable', 'Too many requests at once; try again.');
    }
    open += 1;
    try {
      await next();
    } finally {
      open -= 1;
    }
    return undefined;
  });
  app.use(
    '*',
    bodyLimit({
      maxSize: BODY_BYTES_MAX,
      onError: (c) =>
        failure(c as Ctx, 413, 'bad-request', `A body has at most ${BODY_BYTES_MAX} bytes.`),
    }),
  );
}

function guardInput(c: Ctx): GuardInput {
  return {
    host: c.req.header('host'),
    origin: c.req.header('origin'),
    authorization: c.req.header('authorization'),
  };
}

type FailureStatus = 400 | 401 | 403 | 404 | 409 | 413 | 500 | 502 | 503;

function failure(c: Ctx, status: FailureStatus, kind: string, message: string): Response {
  return c.json({ error: { kind, message } }, status, { 'cache-control': 'no-store' });
}

/** What a backend answered, as JSON; `wrap` names the list in the answer where it is one. */
function answer<T>(c: Ctx, result: Result<T, BackendError>, wrap?: (value: T) => object): Response {
  if (!result.ok) {
    const { kind, message } = result.error;
    return failure(c, STATUS_BY_KIND[kind] ?? 500, kind, message);
  }
  const body = wrap === undefined ? (result.value as object) : wrap(result.value);
  return c.json(body, 200, { 'cache-control': 'no-store' });
}

function addOpenRoutes(app: Hono<Env>, deps: ApiDeps): void {
  app.get('/health', (c) =>
    c.json(deps.health(challengeOf(c)), 200, { 'cache-control': 'no-store' }),
  );
  for (const [path, file] of deps.page) {
    app.get(path, (c) => {
      if (c.req.header('if-none-match') === file.etag) return c.body(null, 304, file.headers);
      return c.body(new Uint8Array(file.body), 200, file.headers);
    });
  }
}

function addReadingRoutes(app: Hono<Env>, deps: ApiDeps): void {
  const { backend } = deps;
  app.get('/api/v1/status', async (c) => answer(c, await deps.status()));
  const recall = async (c: Ctx, request: Result<RecallRequest, BackendError>): Promise<Response> =>
    request.ok ? answer(c, await backend.recall(request.value)) : answer(c, request);
  app.get('/api/v1/recall', (c) => recall(c, parseRecall(c.req.query())));
  app.post('/api/v1/recall', async (c) => recall(c, parseRecall(await jsonBody(c))));
  app.get('/api/v1/show/:id', async (c) => {
    const page = { offset: numberOf(c.req.query('offset')), limit: numberOf(c.req.query('limit')) };
    return answer(c, await backend.show(c.req.param('id'), page));
  });
  app.get('/api/v1/sessions', async (c) =>
    answer(c, await backend.sessions(sessionsRequest(c.req.query())), (sessions) => ({
      version: OUTPUT_VERSION,
      sessions,
    })),
  );
  app.get('/api/v1/projects', async (c) =>
    answer(c, await backend.projects(), (projects) => ({ version: OUTPUT_VERSION, projects })),
  );
  app.get('/api/v1/context', async (c) => {
    const { project, tokens } = c.req.query();
    return answer(c, await backend.context({ project, tokens: numberOf(tokens) }));
  });
}

function addWritingRoutes(app: Hono<Env>, deps: ApiDeps): void {
  const { backend } = deps;
  app.post('/api/v1/import', async (c) => {
    const request = parseImport(await jsonBody(c));
    if (!request.ok) return answer(c, request);
    return answer(c, await deps.startImport(request.value), (value) => value as object);
  });
  app.post('/api/v1/remember', async (c) => {
    const request = parseRemember(await jsonBody(c));
    return request.ok ? answer(c, await backend.remember(request.value)) : answer(c, request);
  });
  app.post('/api/v1/printed', async (c) => {
    const request = parseRemember(await jsonBody(c));
    return request.ok ? answer(c, await backend.printed(request.value.text)) : answer(c, request);
  });
  app.post('/api/v1/forget', async (c) => {
    const request = parseForget(await jsonBody(c));
    return request.ok ? answer(c, await backend.forget(request.value.id)) : answer(c, request);
  });
  app.post('/api/v1/sessions/:id/move', async (c) => {
    const request = parseMove(await jsonBody(c));
    if (!request.ok) return answer(c, request);
    return answer(c, await backend.move(c.req.param('id'), request.value.project));
  });
}

/** The body as JSON, or undefined when it is not JSON; the parsers say so. */
async function jsonBody(c: Ctx): Promise<unknown> {
  const text = await c.req.text();
  try {
    return text === '' ? {} : (JSON.parse(text) as unknown);
  } catch (failure) {
    if (failure instanceof SyntaxError) return undefined;
    throw failure;
  }
}

/** NaN where the text is no number: the callee refuses it with a sentence. */
function numberOf(text: string | undefined): number | undefined {
  return text === undefined || text === '' ? undefined : Number(text);
}

function sessionsRequest(query: Record<string, string>): SessionsRequest {
  return {
    project: query['project'],
    agent: query['agent'],
    before: query['before'],
    after: query['after'],
    unattributed: query['unattributed'] === 'true' || query['unattributed'] === '1',
    limit: numberOf(query['limit']),
    offset: numberOf(query['offset']),
  };
}

const CHALLENGE_CHARS_MAX = 128;

function challengeOf(c: Ctx): string {
  const text = c.req.query('challenge') ?? '';
  return text.length <= CHALLENGE_CHARS_MAX ? text : '';
}
