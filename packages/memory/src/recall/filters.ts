/**
 * Filters: from what a person wrote to what the scope takes.
 *
 * Decides: which requests make no sense (an error with a sentence) and which merely find nothing (a
 * note that names the filter). A filter in the query's text loses against the same one given beside
 * it.
 */
import { ok, type Result } from '@quipu/base';
import type { Store } from '@quipu/store';
import { type MemoryError, memoryError } from '../errors.ts';
import { findProject, findThing } from '../reading/ids.ts';
import type { RecallRequest } from '../shapes.ts';
import { readTime } from './calendar.ts';
import { HITS_DEFAULT, HITS_MAX, QUERY_CHARS_MAX, TOKENS_MAX } from './limits.ts';
import type { ParsedQuery } from './query.ts';
import type { ScopeFilters } from './scope.ts';

export type Filters = {
  readonly scope: ScopeFilters;
  readonly path: string | undefined;
  /** Sentences about filters that nothing can match; then there are no hits. */
  readonly empty: readonly string[];
};

const KINDS = ['text', 'reasoning', 'tool_call', 'tool_result', 'memory'];
const ROLES = ['user', 'assistant', 'system', 'tool'];
const MODES = ['auto', 'words', 'vectors'];

export type Bounds = { readonly limit: number; readonly tokens: number | undefined };

export function checkRequest(request: RecallRequest): Result<Bounds, MemoryError> {
  const bad = (message: string): Result<never, MemoryError> => memoryError('bad-request', message);
  if (request.query.length > QUERY_CHARS_MAX) {
    return bad(`The query is longer than ${QUERY_CHARS_MAX} characters. Shorten it.`);
  }
  const limit = request.limit ?? HITS_DEFAULT;
  if (!Number.isInteger(limit) || limit < 1 || limit > HITS_MAX) {
    return bad(`The limit is a whole number from 1 to ${HITS_MAX}.`);
  }
  const { tokens } = request;
  if (tokens !== undefined && (!Number.isInteger(tokens) || tokens < 1 || tokens > TOKENS_MAX)) {
    return bad(`The token budget is a whole number from 1 to ${TOKENS_MAX}.`);
  }
  if (request.mode !== undefined && !MODES.includes(request.mode)) {
    return bad(`The mode is one of ${MODES.join(', ')}.`);
  }
  return ok({ limit, tokens });
}

export function resolveFilters(
  store: Store,
  request: RecallRequest,
  query: ParsedQuery,
  now: number,
): Result<Filters, MemoryError> {
  const given = { ...query.filters, ...defined(request) };
  const empty: string[] = [];
  if (given.kind !== undefined && !KINDS.includes(given.kind)) {
    return memoryError('bad-request', `The kind is one of ${KINDS.join(', ')}.`);
  }
  if (given.role !== undefined && !ROLES.includes(given.role)) {
    return memoryError('bad-request', `The role is one of ${ROLES.join(', ')}.`);
  }
  const before = readBound(given.before, 'before', now);
  if (!before.ok) return before;
  const after = readBound(given.after, 'after', now);
  if (!after.ok) return after;
  if (before.value !== undefined && after.value !== undefined && before.value <= after.value) {
    empty.push('No time is before one date and after the other: look at the two date filters.');
  }
  const projectId = resolveProject(store, given.project, empty);
  if (!projectId.ok) return projectId;
  const sessionId = resolveSession(store, given.session, empty);
  if (!sessionId.ok) return sessionId;
  if (given.agent !== undefined && !hasAgent(store, given.agent)) {
    empty.push(`No session of the agent '${clip(given.agent)}' is stored.`);
  }
  return ok({
    scope: {
      projectId: projectId.value,
      sessionId: sessionId.value,
      agent: given.agent,
      kind: given.kind,
      role: given.role,
      beforeMs: before.value,
      afterMs: after.value,
    },
    path: given.path === undefined || given.path.trim() === '' ? undefined : given.path.trim(),
    empty,
  });
}

type Given = Partial<
  Record<'project' | 'session' | 'agent' | 'kind' | 'role' | 'before' | 'after' | 'path', string>
>;

function defined(request: RecallRequest): Given {
  const { project, session, agent, kind, role, before, after, path } = request;
  const all = { project, session, agent, kind, role, before, after, path };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
}

function readBound(
  text: string | undefined,
  name: string,
  now: number,
): Result<number | undefined, MemoryError> {
  if (text === undefined) return ok(undefined);
  const time = readTime(text, now);
  if (time !== undefined) return ok(time.from);
  return memoryError(
    'bad-request',
    `'${clip(text)}' (${name}) is not a date. Write 2026-05-07, "8 May 2026", ` +
      '"last Tuesday" or "two weeks ago".',
  );
}

function resolveProject(
  store: Store,
  text: string | undefined,
  empty: string[],
): Result<string | undefined, MemoryError> {
  if (text === undefined) return ok(undefined);
  const found = findProject(store, text);
  if (found.ok || found.error.kind !== 'not-found') return found;
  empty.push(found.error.message);
  return ok(undefined);
}

function resolveSession(
  store: Store,
  text: string | undefined,
  empty: string[],
): Result<string | undefined, MemoryError> {
  if (text === undefined) return ok(undefined);
  if (text.startsWith('ses_')) {
    const thing = findThing(store, text);
    if (thing.ok) return ok(thing.value.id);
    if (thing.error.kind !== 'not-found') return thing;
  }
  const rows = store.all('SELECT id FROM sessions WHERE external_id = ? LIMIT 2', [text]) as {
    id: string;
  }[];
  if (rows.length > 1) {
    return memoryError(
      'ambiguous-id',
      'Several agents have a session of that id. Use its ses_ id.',
    );
  }
  const [row] = rows;
  if (row !== undefined) return ok(row.id);
  empty.push(`No session has the id '${clip(text)}'.`);
  return ok(undefined);
}

const hasAgent = (store: Store, agent: string): boolean =>
  store.get('SELECT 1 AS n FROM sessions WHERE agent = ? LIMIT 1', [agent]) !== undefined;

const CLIP_CHARS = 80;
const clip = (text: string): string =>
  text.length > CLIP_CHARS ? `${text.slice(0, CLIP_CHARS)}…` : text;
