/**
 * Lexical ranking: which passages share words with the query, their neighbours' words included.
 *
 * Decides: candidates (from posting lists alone) and the exact scores of those chosen.
 *
 *   tf(p) = own + borrow(p) · Σ near[d] · (is the term at p ± d?)
 *               + afterQuestion · (is it at p − 1, a question?)
 *   borrow(p) = min(1, borrowTerms / own content terms)²
 *
 * Neighbours lend a term once however often they have it, which is what a posting list tells; on
 * LoCoMo that costs nothing. Statistics are those of the scope: other projects change nothing.
 * Formula: BM25 (Robertson and Zaragoza, 2009), idf = ln(1 + (N − df + ½) / (df + ½)).
 */
import { WINDOW_PASSAGES } from './limits.ts';
import type { Scope } from './scope.ts';
import type { Weights } from './weights.ts';

export type TermPostings = {
  readonly term: string;
  /** Positions, ascending. */
  readonly positions: Int32Array;
  /** 1 at each of them. */
  readonly present: Uint8Array;
  readonly idf: number;
};

export function termPostings(scope: Scope, term: string, ids: readonly number[]): TermPostings {
  const present = new Uint8Array(scope.size);
  const positions = new Int32Array(ids.length);
  let count = 0;
  for (const id of ids) {
    const position = scope.positionOf(id);
    if (position < 0) continue;
    present[position] = 1;
    positions[count] = position;
    count += 1;
  }
  const own = positions.subarray(0, count);
  return { term, positions: own, present, idf: idf(scope.chunks, windowCount(scope, own)) };
}

/**
 * A term that a great part of a large scope has: it tells passages apart by so little that its list
 * is not worth reading. It counts where a passage itself has it, and brings no candidates.
 */
export function commonTerm(scope: Scope, term: string, share: number): TermPostings {
  const matching = Math.min(1, share * (2 * WINDOW_PASSAGES + 1)) * scope.chunks;
  return {
    term,
    positions: new Int32Array(0),
    present: new Uint8Array(0),
    idf: idf(scope.chunks, matching),
  };
}

const idf = (total: number, matching: number): number =>
  Math.log(1 + (Math.max(total, matching) - matching + 0.5) / (matching + 0.5));

/** Passages that have the term in their window. */
function windowCount(scope: Scope, positions: Int32Array): number {
  let count = 0;
  let covered = -1;
  let session = 0;
  for (const position of positions) {
    while ((scope.sessions[session + 1]?.base ?? Number.POSITIVE_INFINITY) <= position)
      session += 1;
    const first = scope.sessions[session]?.base ?? 0;
    const last = first + (scope.sessions[session]?.places ?? 0) - 1;
    const from = Math.max(position - WINDOW_PASSAGES, first, covered + 1);
    const to = Math.min(position + WINDOW_PASSAGES, last);
    if (to >= from) count += to - from + 1;
    covered = Math.max(covered, to);
  }
  return count;
}

/**
 * Rough scores of all positions: each term adds its idf, shared out over the window. An upper
 * bound in spirit: lengths are not known yet.
 */
export function roughScores(
  scope: Scope,
  terms: readonly TermPostings[],
  weights: Weights,
): Float32Array {
  const scores = new Float32Array(scope.size);
  for (const { positions, idf: weight } of terms) {
    for (const position of positions) {
      add(scores, position, weight);
      for (let distance = 1; distance <= WINDOW_PASSAGES; distance += 1) {
        const share = weight * (weights.near[distance - 1] ?? 0);
        add(scores, position - distance, share);
        add(scores, position + distance, share);
      }
    }
  }
  return scores;
}

function add(scores: Float32Array, position: number, amount: number): void {
  if (position >= 0 && position < scores.length)
    scores[position] = (scores[position] ?? 0) + amount;
}

/** The positions with the highest scores above zero that are allowed, at most `count`. */
export function bestPositions(
  scores: Float32Array,
  allowed: Uint8Array | undefined,
  count: number,
): number[] {
  const floor = scoreFloor(scores, allowed, count);
  const positions: number[] = [];
  for (let i = 0; i < scores.length; i += 1) {
    const score = scores[i] as number;
    if (score > 0 && score >= floor && (allowed === undefined || allowed[i] === 1)) {
      positions.push(i);
    }
  }
  if (positions.length <= count) return positions;
  const sorted = Float32Array.from(positions, (position) => scores[position] ?? 0).sort();
  const threshold = sorted[sorted.length - count] ?? 0;
  const above = positions.filter((position) => (scores[position] ?? 0) > threshold);
  // Of equals the later ones: what is newer.
  const equal = positions.filter((position) => scores[position] === threshold);
  return above.concat(equal.slice(above.length - count));
}

const FLOOR_BUCKETS = 1_024;

/** A score that at least `count` allowed positions reach, and not many more; found by counting. */
function scoreFloor(scores: Float32Array, allowed: Uint8Array | undefined, count: number): number {
  let most = 0;
  for (let i = 0; i < scores.length; i += 1) {
    const score = scores[i] as number;
    if (score > most && (allowed === undefined || allowed[i] === 1)) most = score;
  }
  if (most === 0) return 0;
  const buckets = new Uint32Array(FLOOR_BUCKETS + 1);
  const scale = FLOOR_BUCKETS / most;
  for (let i = 0; i < scores.length; i += 1) {
    const score = scores[i] as number;
    if (score > 0 && (allowed === undefined || allowed[i] === 1)) {
      const bucket = Math.floor(score * scale);
      buckets[bucket] = (buckets[bucket] as number) + 1;
    }
  }
  let reached = 0;
  for (let bucket = FLOOR_BUCKETS; bucket > 0; bucket -= 1) {
    reached += buckets[bucket] as number;
    // One bucket lower, so that rounding keeps out nothing that belongs in.
    if (reached >= count) return (bucket - 1) / scale;
  }
  return 0;
}

export type LexicalInput = {
  readonly position: number;
  readonly terms: readonly string[];
};

export type LexicalScores = {
  /** Window BM25 of each passage, and BM25 of its pairs of terms. */
  readonly words: Float64Array;
  readonly bigrams: Float64Array;
  readonly matched: readonly (readonly string[])[];
};

export function lexicalScores(
  scope: Scope,
  terms: readonly TermPostings[],
  questions: Uint8Array,
  pool: readonly LexicalInput[],
  weights: Weights,
  ordered: readonly string[],
): LexicalScores {
  const words = new Float64Array(pool.length);
  const wanted = new Set(terms.map((term) => term.term));
  const matched = pool.map((passage, i) => {
    const counts = countTerms(passage.terms, wanted);
    const norm = lengthNorm(passage.terms.length, scope.averageTerms, weights);
    const found: string[] = [];
    let score = 0;
    for (const term of terms) {
      const own = counts.get(term.term) ?? 0;
      const tf = own + borrowed(term.present, questions, passage, weights);
      if (tf > 0) score += (term.idf * tf * (weights.k1 + 1)) / (tf + norm);
      if (own > 0) found.push(term.term);
    }
    words[i] = score;
    return found;
  });
  return { words, bigrams: bigramScores(scope, pool, weights, ordered), matched };
}

const lengthNorm = (terms: number, average: number, weights: Weights): number =>
  weights.k1 * (1 - weights.b + (weights.b * terms) / average);

function borrowed(
  present: Uint8Array,
  questions: Uint8Array,
  passage: LexicalInput,
  weights: Weights,
): number {
  const { position } = passage;
  const share = Math.min(1, weights.borrowTerms / Math.max(1, passage.terms.length)) ** 2;
  let near = 0;
  for (let distance = 1; distance <= WINDOW_PASSAGES; distance += 1) {
    const at = (present[position - distance] ?? 0) + (present[position + distance] ?? 0);
    near += (weights.near[distance - 1] ?? 0) * at;
  }
  const asked = present[position - 1] === 1 && questions[position - 1] === 1;
  return share * near + (asked ? weights.afterQuestion : 0);
}

function countTerms(terms: readonly string[], wanted: ReadonlySet<string>): Map<string, number> {
  const counts = new Map<string, number>();
  for (const term of terms) {
    if (wanted.has(term)) counts.set(term, (counts.get(term) ?? 0) + 1);
  }
  return counts;
}

/**
 * Pairs of query terms that stand side by side, in the passage itself. Rare by nature: counted in
 * the pool.
 */
function bigramScores(
  scope: Scope,
  pool: readonly LexicalInput[],
  weights: Weights,
  ordered: readonly string[],
): Float64Array {
  const pairs = new Set(ordered.slice(1).map((term, i) => `${ordered[i] ?? ''} ${term}`));
  const scores = new Float64Array(pool.length);
  if (pairs.size === 0) return scores;
  const firsts = new Set(ordered.slice(0, -1));
  const counts = pool.map((passage) => countPairs(passage.terms, firsts, pairs));
  for (const pair of pairs) {
    const matching = counts.filter((count) => count.has(pair)).length;
    if (matching === 0) continue;
    const weight = idf(scope.chunks, matching);
    counts.forEach((count, i) => {
      const tf = count.get(pair) ?? 0;
      if (tf === 0) return;
      const norm = lengthNorm(pool[i]?.terms.length ?? 0, scope.averageTerms, weights);
      scores[i] = (scores[i] ?? 0) + (weight * tf * (weights.k1 + 1)) / (tf + norm);
    });
  }
  return scores;
}

function countPairs(
  terms: readonly string[],
  firsts: ReadonlySet<string>,
  pairs: ReadonlySet<string>,
): Map<string, number> {
  const counts = new Map<string, number>();
  for (let i = 1; i < terms.length; i += 1) {
    if (!firsts.has(terms[i - 1] ?? '')) continue;
    const pair = `${terms[i - 1]} ${terms[i]}`;
    if (pairs.has(pair)) counts.set(pair, (counts.get(pair) ?? 0) + 1);
  }
  return counts;
}

const SESSION_B = 0.75;

/** BM25 of whole sessions, by index in `scope.sessions`. */
export function sessionScores(
  scope: Scope,
  terms: readonly TermPostings[],
  k1: number,
): Float64Array {
  const scores = new Float64Array(scope.sessions.length);
  const average = Math.max(1, (scope.averageTerms * scope.chunks) / Math.max(1, scores.length));
  for (const { positions } of terms) {
    const counts = new Map<number, number>();
    let session = 0;
    for (const position of positions) {
      while ((scope.sessions[session + 1]?.base ?? Number.POSITIVE_INFINITY) <= position)
        session += 1;
      counts.set(session, (counts.get(session) ?? 0) + 1);
    }
    const weight = idf(scores.length, counts.size);
    for (const [index, tf] of counts) {
      const length = (scope.sessions[index]?.terms ?? 0) / average;
      const norm = k1 * (1 - SESSION_B + SESSION_B * length);
      scores[index] = (scores[index] ?? 0) + (weight * tf * (k1 + 1)) / (tf + norm);
    }
  }
  return scores;
}
