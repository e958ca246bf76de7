/**
 * Recall: from a question to cited passages, with the reason for each.
 *
 *   request ─▶ filters ─▶ scope ─▶ posting lists, vectors ─▶ pool
 *           ─▶ signals ─▶ sum ─▶ copies, newer above ─▶ hits
 *
 * Decides: the order of the steps and what is said when one finds nothing. A query never waits for
 * the model: without its vector, or without the store's, words answer and a note says so.
 *
 * Invariants: MEMORY-8 (no hit outside the filters), MEMORY-9 (a hit's score is the sum of its
 * terms), MEMORY-10 (same store, query and time: same answer).
 */
import { ok, type Result } from '@quipu/base';
import type { Kernel } from '@quipu/kernel';
import type { Store } from '@quipu/store';
import { type MemoryError, memoryError } from '../errors.ts';
import { type Hit, OUTPUT_VERSION, type RecallRequest, type RecallResponse } from '../shapes.ts';
import { withinBudget } from './budget.ts';
import { type DenseScores, denseScores, nearestPositions } from './dense.ts';
import { checkRequest, type Filters, resolveFilters } from './filters.ts';
import { collapseCopies, liftNewer, rankMessages, toHits } from './hits.ts';
import { QUESTION_TERM } from './indexing.ts';
import {
  commonTerm,
  lexicalScores,
  sessionScores,
  type TermPostings,
  termPostings,
} from './lexical.ts';
import {
  COMMON_POSTINGS_MIN,
  COMMON_SHARE,
  POOL_SUBSTRING_MAX,
  POOL_VECTORS_MAX,
  POOL_WHOLE_MAX,
  SESSION_PASSAGES_MAX,
} from './limits.ts';
import { choosePool, type Passage } from './pool.ts';
import {
  firstPostings,
  postingsOfIdentifier,
  postingsOfSubstring,
  postingsOfTerm,
} from './postings.ts';
import { type ParsedQuery, parseQuery } from './query.ts';
import { bitmap, loadScope, type Scope } from './scope.ts';
import { scorePool } from './score.ts';
import { formSignals } from './signals.ts';
import { termsOf } from './terms.ts';
import { readVectorModel, type VectorModel } from './vectors.ts';
import { type Weights, weightsFor } from './weights.ts';

/** What turns a query into a vector. `embed` answers undefined at once when it is not ready. */
export type QueryEmbedder = {
  readonly model: string;
  readonly embed: (text: string) => Promise<Float32Array | undefined>;
};

export type RecallDeps = {
  readonly store: Store;
  readonly kernel: Pick<Kernel, 'clock'>;
  readonly embedder?: QueryEmbedder | undefined;
  /** Other weights than the usual ones, for measuring what each signal is worth. */
  readonly weights?: Partial<Weights> | undefined;
};

export async function recall(
  deps: RecallDeps,
  request: RecallRequest,
): Promise<Result<RecallResponse, MemoryError>> {
  const startedMs = deps.kernel.clock.monotonicMs();
  const bounds = checkRequest(request);
  if (!bounds.ok) return bounds;
  const now = deps.kernel.clock.now();
  const read = readRequest(deps.store, request, now);
  if (!read.ok) return read;
  const notes = [...read.value.filters.empty];
  const vector = await queryVector(deps, request, read.value.query, notes);
  const found =
    read.value.filters.empty.length > 0
      ? { hits: [], mode: 'words' as const }
      : search(deps, request, read.value, vector, bounds.value.limit, notes);
  const { tokens } = bounds.value;
  const hits = tokens === undefined ? found.hits : await withinBudget(found.hits, tokens);
  if (hits.length < found.hits.length) {
    notes.push(`The token budget left out ${found.hits.length - hits.length} further hits.`);
  }
  return ok({
    version: OUTPUT_VERSION,
    tookMs: Math.round((deps.kernel.clock.monotonicMs() - startedMs) * 10) / 10,
    hits,
    mode: found.mode,
    notes,
  });
}

type ReadRequest = { readonly query: ParsedQuery; readonly filters: Filters };

function readRequest(
  store: Store,
  request: RecallRequest,
  now: number,
): Result<ReadRequest, MemoryError> {
  const first = parseQuery(request.query, { now, speakers: [] });
  const filters = resolveFilters(store, request, first, now);
  if (!filters.ok) return filters;
  const speakers = speakersOf(store, filters.value);
  const query = speakers.length === 0 ? first : parseQuery(request.query, { now, speakers });
  if (!asksSomething(query)) {
    return memoryError(
      'bad-request',
      'The query has no word to look for. Write what you want to find, for example: ' +
        'retry policy of the upload.',
    );
  }
  return ok({ query, filters: filters.value });
}

const asksSomething = (query: ParsedQuery): boolean =>
  /[\p{L}\p{N}]/u.test(query.text) || query.phrases.some((phrase) => phrase.trim().length > 2);

function speakersOf(store: Store, filters: Filters): string[] {
  const { projectId } = filters.scope;
  const rows = store.all(
    `SELECT DISTINCT cs.authors FROM chunk_sessions cs
     ${projectId === undefined ? '' : OF_PROJECT}
     WHERE cs.authors <> '' LIMIT ${SPEAKER_SETS_MAX}`,
    projectId === undefined ? [] : [projectId],
  ) as { authors: string }[];
  return [...new Set(rows.flatMap((row) => row.authors.split('\n')))];
}

const OF_PROJECT = 'JOIN sessions s ON s.id = cs.session_id AND s.project_id = ?';
const SPEAKER_SETS_MAX = 1_000;

type QueryVector = { readonly model: VectorModel; readonly vector: Float32Array };

async function queryVector(
  deps: RecallDeps,
  request: RecallRequest,
  query: ParsedQuery,
  notes: string[],
): Promise<QueryVector | undefined> {
  if (request.mode === 'words') return undefined;
  if (deps.embedder === undefined) {
    notes.push('Answered from words: no embedding model is in use.');
    return undefined;
  }
  const model = readVectorModel(deps.store, deps.embedder.model);
  if (model === undefined) {
    notes.push('Answered from words: vectors have not been computed yet.');
    return undefined;
  }
  const vector = await deps.embedder.embed(query.text);
  if (vector === undefined || vector.length !== model.dimensions) {
    notes.push('Answered from words: the embedding model is not ready.');
    return undefined;
  }
  return { model, vector };
}

type Found = { readonly hits: readonly Hit[]; readonly mode: RecallResponse['mode'] };

function search(
  deps: RecallDeps,
  request: RecallRequest,
  read: ReadRequest,
  vector: QueryVector | undefined,
  limit: number,
  notes: string[],
): Found {
  const { store } = deps;
  const { query } = read;
  const mode =
    vector === undefined ? 'words' : request.mode === 'vectors' ? 'vectors' : 'words+vectors';
  const scope = narrowed(store, loadScope(store, read.filters.scope), read, notes);
  if (scope.chunks === 0) {
    notes.push('Nothing is stored that these filters allow.');
    return { hits: [], mode };
  }
  const weights = { ...weightsFor(scope.averageTerms), ...deps.weights };
  const lists = lookUp(store, scope, query);
  const nearest =
    vector === undefined || scope.chunks <= POOL_WHOLE_MAX
      ? []
      : nearestPositions(store, scope, vector.model, vector.vector, POOL_VECTORS_MAX);
  const pool = choosePool(store, scope, { ...lists, nearest, times: query.times }, weights);
  const dense =
    vector === undefined
      ? undefined
      : denseScores(
          store,
          scope,
          vector.model,
          vector.vector,
          pool.map((passage) => passage.position),
        );
  if (dense !== undefined && dense.missing > 0) {
    notes.push('Some passages have no vector yet; for those only words were compared.');
  }
  return { hits: rank({ store, scope, query, weights, lists, pool, dense, mode, limit }), mode };
}

type Lists = {
  readonly terms: readonly TermPostings[];
  readonly identifiers: readonly TermPostings[];
  readonly substrings: ReadonlySet<number>;
  readonly questions: Uint8Array;
};

/** Asks the indexes for everything that the query names. */
function lookUp(store: Store, scope: Scope, query: ParsedQuery): Lists {
  const held = totals(store);
  const most = Math.max(COMMON_POSTINGS_MIN, Math.floor(held.chunks * COMMON_SHARE));
  const terms = lookUpTerms(store, scope, query.terms, { ...held, most });
  const identifiers = query.identifiers
    .map((name) => termPostings(scope, name, postingsOfIdentifier(store, name)))
    .filter((list) => list.positions.length > 0);
  const substrings = new Set<number>();
  const isWithin = (id: number): boolean => scope.positionOf(id) >= 0;
  const known = new Set(terms.filter((list) => list.positions.length > 0).map((list) => list.term));
  for (const word of query.substrings) {
    if (!isUnknown(termsOf(word), query.terms, known)) continue;
    for (const id of postingsOfSubstring(store, word, isWithin, POOL_SUBSTRING_MAX).ids) {
      substrings.add(scope.positionOf(id));
    }
  }
  // What must be there leads here; in a question a phrase is a wish, not a condition.
  for (const phrase of query.phrases) {
    for (const id of postingsOfSubstring(store, phrase, isWithin, POOL_SUBSTRING_MAX).ids) {
      substrings.add(scope.positionOf(id));
    }
  }
  const questions = bitmap(scope, postingsOfTerm(store, QUESTION_TERM));
  return { terms, identifiers, substrings, questions };
}

/**
 * The lists of the query's terms. In a large store a very common term's list is left unread, unless
 * there is no rarer term to find candidates by.
 */
function lookUpTerms(
  store: Store,
  scope: Scope,
  terms: readonly string[],
  held: Totals & { readonly most: number },
): TermPostings[] {
  const { chunks, sessions, most } = held;
  const read = terms.map((term) => ({ term, ids: firstPostings(store, term, most) }));
  const hasRare = read.some(({ ids }) => ids.length > 0 && ids.length < most);
  return read.map(({ term, ids }) => {
    if (ids.length < most) return termPostings(scope, term, ids);
    if (!hasRare) return termPostings(scope, term, postingsOfTerm(store, term));
    // Sessions are numbered as they come: how far the list got says how dense it is.
    const reached = Math.floor((ids.at(-1) ?? 0) / SESSION_PASSAGES_MAX);
    const density = (ids.length * Math.max(1, sessions)) / (chunks * Math.max(1, reached));
    return commonTerm(scope, term, Math.min(1, density));
  });
}

type Totals = { readonly chunks: number; readonly sessions: number };

function totals(store: Store): Totals {
  return store.get(
    `SELECT coalesce(sum(chunks), 0) AS chunks, coalesce(max(number), 0) AS sessions
     FROM chunk_sessions`,
  ) as { chunks: number; sessions: number };
}

/** Words that were to be looked up and that no passage has: a part of a longer one, perhaps. */
const isUnknown = (
  terms: readonly string[],
  asked: readonly string[],
  known: ReadonlySet<string>,
): boolean => terms.some((term) => asked.includes(term)) && !terms.some((term) => known.has(term));

/** Quoted phrases, excluded words and a path, each as a further limit on the scope. */
function narrowed(store: Store, scope: Scope, read: ReadRequest, notes: string[]): Scope {
  let allowed = scope.allowed;
  const isWithin = (id: number): boolean => scope.positionOf(id) >= 0;
  const require = (text: string, what: string): void => {
    const match = postingsOfSubstring(store, text, isWithin);
    const map = bitmap(scope, match.ids);
    allowed = allowed === undefined ? map : map.map((bit, i) => bit & (allowed?.[i] ?? 0));
    if (match.ids.length === 0) notes.push(`${what} matches nothing.`);
    if (match.cut) notes.push(`${what} is very common: only the newest places were looked at.`);
  };
  const required = isQuestion(read.query) ? [] : read.query.phrases;
  for (const phrase of required) require(phrase, `The phrase "${phrase.slice(0, 80)}"`);
  if (read.filters.path !== undefined) require(read.filters.path, 'The path filter');
  for (const word of read.query.excluded) {
    const without = new Uint8Array(scope.size).fill(1);
    const lists = termsOf(word).map((term) => bitmap(scope, postingsOfTerm(store, term)));
    without.forEach((_, i) => {
      if (lists.length > 0 && lists.every((list) => list[i] === 1)) without[i] = 0;
    });
    allowed = allowed === undefined ? without : without.map((bit, i) => bit & (allowed?.[i] ?? 0));
  }
  if (allowed !== undefined && scope.chunks > 0 && !allowed.includes(1) && notes.length === 0) {
    notes.push('Nothing is stored that these filters allow.');
  }
  return { ...scope, allowed };
}

/** A question that quotes a title does not ask for the title's very words in the answer. */
const isQuestion = (query: ParsedQuery): boolean => query.text.trimEnd().endsWith('?');

type RankInput = {
  readonly store: Store;
  readonly scope: Scope;
  readonly query: ParsedQuery;
  readonly weights: Weights;
  readonly lists: Lists;
  readonly pool: readonly Passage[];
  readonly dense: DenseScores | undefined;
  readonly mode: RecallResponse['mode'];
  readonly limit: number;
};

function rank(input: RankInput): Hit[] {
  const { scope, query, weights, lists, pool, dense } = input;
  const { terms, questions } = lists;
  const lexical = lexicalScores(scope, terms, questions, pool, weights, query.ordered);
  const hasSpeakers = pool.some((passage) => passage.author !== '');
  const perSession = sessionScores(scope, terms, weights.k1);
  const scored = scorePool({
    pool,
    lexical,
    forms: pool.map((passage) =>
      formSignals(query, { ...passage, termCount: passage.terms.length }, hasSpeakers),
    ),
    sessions: Float64Array.from(pool, (p) => perSession[scope.sessionAt(p.position)] ?? 0),
    identifiers: Float64Array.from(pool, (p) => identifierStrength(lists.identifiers, p.position)),
    substrings: Float64Array.from(pool, (p) => (lists.substrings.has(p.position) ? 1 : 0)),
    dense,
    weights,
    mode: input.mode,
  });
  const timed = query.terms.length === 0 && query.times.length > 0;
  const ranked = rankMessages(
    pool,
    scored,
    (i) => timed || dense !== undefined || scored.isSupported(i),
  );
  const ordered = liftNewer(collapseCopies(ranked), terms, weights.supersession, (passage) =>
    scope.sessionAt(passage.position),
  );
  return toHits(input.store, ordered.slice(0, Math.max(input.limit, 0)), {
    scored,
    matched: (i) => lexical.matched[i] ?? [],
    similarity: (i) => {
      const value = dense?.similarity[i];
      return value === undefined || Number.isNaN(value) ? null : value;
    },
  });
}

const identifierStrength = (lists: readonly TermPostings[], position: number): number =>
  lists.reduce((sum, list) => sum + (list.present[position] === 1 ? list.idf : 0), 0);
