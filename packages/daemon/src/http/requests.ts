/**
 * Requests parsed at the edge: what the API takes, and what it says when it cannot.
 */
import { err, ok, type Result } from '@quipu/base';
import type { RecallRequest, RememberInput } from '@quipu/memory';
import { z } from 'zod';
import type { BackendError } from '../backend.ts';
import type { ImportRequest } from './app.ts';

const TEXT_CHARS_MAX = 20_000;
const NAME_CHARS_MAX = 4_096;

const name = z.string().max(NAME_CHARS_MAX);

export const recallShape = z.object({
  query: z.string().max(TEXT_CHARS_MAX),
  project: name.optional(),
  session: name.optional(),
  agent: name.optional(),
  kind: name.optional(),
  role: z.enum(['user', 'assistant', 'system', 'tool']).optional(),
  before: name.optional(),
  after: name.optional(),
  path: name.optional(),
  limit: z.coerce.number().int().optional(),
  tokens: z.coerce.number().int().optional(),
  mode: z.enum(['auto', 'words', 'vectors']).optional(),
});

const importShape = z.object({
  agents: z.array(name).max(32).optional(),
  path: name.optional(),
  wait: z.boolean().optional(),
});

const rememberShape = z.object({
  text: z.string().max(1_000_000),
  project: name.optional(),
  author: name.optional(),
});

const forgetShape = z.object({ id: name });
const moveShape = z.object({ project: name });

export const parseRecall = (input: unknown): Result<RecallRequest, BackendError> =>
  parse(recallShape, withQuery(input));
export const parseImport = (input: unknown): Result<ImportRequest, BackendError> =>
  parse(importShape, input);
export const parseRemember = (input: unknown): Result<RememberInput, BackendError> =>
  parse(rememberShape, input);
export const parseForget = (input: unknown): Result<{ id: string }, BackendError> =>
  parse(forgetShape, input);
export const parseMove = (input: unknown): Result<{ project: string }, BackendError> =>
  parse(moveShape, input);

/** `q` is the short name of `query` in an address. */
function withQuery(input: unknown): unknown {
  if (typeof input !== 'object' || input === null || !('q' in input) || 'query' in input) {
    return input;
  }
  const { q, ...rest } = input;
  return { ...rest, query: q };
}

function parse<T>(shape: z.ZodType<T>, input: unknown): Result<T, BackendError> {
  if (input === undefined) {
    return err({ kind: 'bad-request', message: 'The body is not JSON.' });
  }
  const parsed = shape.safeParse(input);
  if (parsed.success) return ok(parsed.data);
  const issue = parsed.error.issues[0];
  const field = issue?.path.join('.') ?? '';
  return err({
    kind: 'bad-request',
    message: field === '' ? 'The body is a JSON object.' : `${field}: ${issue?.message ?? 'wrong'}`,
  });
}
