/**
 * The weights of ranking.
 *
 * Decides: how much each signal counts. They are the published ones of the measured recipe, chosen
 * on all ten conversations of LoCoMo by its authors and not fitted again here; identifier,
 * substring and role weights are for agents' sessions, of which LoCoMo has none.
 * `docs/BENCHMARKS.md` shows what the answer loses without each: a bench passes other weights
 * explicitly.
 */
import { assert } from '@quipu/base';

export type Weights = {
  /** Share of a neighbour's terms, by distance from 1 to 3 passages. */
  readonly near: readonly [number, number, number];
  /** Added share of the previous passage's terms when that ends in a question mark. */
  readonly afterQuestion: number;
  /** Content terms up to which a passage borrows in full. */
  readonly borrowTerms: number;
  readonly k1: number;
  readonly b: number;
  readonly bigram: number;
  readonly author: number;
  readonly date: number;
  readonly when: number;
  readonly length: number;
  readonly question: number;
  readonly howMany: number;
  readonly capital: number;
  readonly session: number;
  readonly identifier: number;
  readonly substring: number;
  /** Cosine with the query less the mean question; of the passage, and of its window. */
  readonly vector: number;
  readonly vectorWindow: number;
  /** The same with the query less the store's mean. */
  readonly vectorCentred: number;
  readonly vectorCentredWindow: number;
  /** Cosine of terms from which a newer statement is placed above an older hit; above 1: never. */
  readonly supersession: number;
};

/** Sessions of short turns. */
export const TURNS: Weights = {
  near: [0.5, 0.3, 0.15],
  afterQuestion: 0.5,
  borrowTerms: 20,
  k1: 1.2,
  b: 0.6,
  bigram: 0.2,
  author: 0.2,
  date: 0.5,
  when: 0.25,
  length: 0.3,
  question: -0.1,
  howMany: 0.1,
  capital: 0.1,
  session: 0.1,
  identifier: 0.5,
  substring: 0.3,
  vector: 0.15,
  vectorWindow: 0.25,
  vectorCentred: 0.15,
  vectorCentredWindow: 0.25,
  supersession: 0.5,
};

/** Long, self-contained passages: agents' sessions, assistants' answers. */
export const DOCUMENTS: Weights = {
  ...TURNS,
  b: 0.75,
  author: 0.3,
  vector: 0,
  vectorWindow: 0,
  vectorCentred: 1,
  vectorCentredWindow: 0,
};

/** Average content terms a passage from which a scope is one of documents. */
export const DOCUMENT_TERMS = 20;

export const weightsFor = (averageTerms: number): Weights =>
  averageTerms > DOCUMENT_TERMS ? DOCUMENTS : TURNS;

assert(TURNS.near[0] >= TURNS.near[1] && TURNS.near[1] >= TURNS.near[2], 'nearer lends more');
