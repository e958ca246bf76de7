/**
 * Scores: every signal of every passage of the pool, as one sum.
 *
 * Decides: norms and weights. A signal adds `raw · scale + offset`, where scale and offset are the
 * same for all hits of an answer; the score is the sum, so an answer can be recomputed from its
 * `why`.
 *
 *   words only:      score = lexical
 *   with vectors:    score = z(lexical) + Σ weight · z(cosine)          z over the pool
 *   lexical = (words + bigram weight · bigram) / their maximum + Σ weight · signal
 *
 * A passage without a vector gets 0 of the vector signals: what an average passage gets.
 */
import type { WhyTerm } from '../shapes.ts';
import type { Cosines, DenseScores } from './dense.ts';
import type { LexicalScores } from './lexical.ts';
import type { Passage } from './pool.ts';
import type { FormSignals } from './signals.ts';
import type { Weights } from './weights.ts';

export type ScoreInput = {
  readonly pool: readonly Passage[];
  readonly lexical: LexicalScores;
  readonly forms: readonly FormSignals[];
  readonly sessions: Float64Array;
  readonly identifiers: Float64Array;
  readonly substrings: Float64Array;
  readonly dense: DenseScores | undefined;
  readonly weights: Weights;
  readonly mode: 'words+vectors' | 'words' | 'vectors';
};

/** One signal over the whole pool. */
type Signal = {
  readonly name: string;
  readonly raw: Float64Array;
  scale: number;
  offset: number;
};

export type Scored = {
  readonly scores: Float64Array;
  /** True where words, identifiers or substrings led here, not the form of the passage alone. */
  readonly isSupported: (index: number) => boolean;
  /** The terms of a hit's score: all that add something. */
  readonly why: (index: number) => WhyTerm[];
};

export function scorePool(input: ScoreInput): Scored {
  const lexical = input.mode === 'vectors' ? [] : lexicalSignals(input);
  if (input.mode === 'words+vectors') standardise(lexical, input.pool.length);
  const signals = [...lexical, ...denseSignals(input)];
  const scores = Float64Array.from(input.pool, (_, i) =>
    signals.reduce((sum, signal) => sum + addedBy(signal, i), 0),
  );
  return {
    scores,
    isSupported: (i) =>
      (input.lexical.words[i] ?? 0) > 0 ||
      (input.identifiers[i] ?? 0) > 0 ||
      (input.substrings[i] ?? 0) > 0,
    why: (i) =>
      signals
        .filter((signal) => addedBy(signal, i) !== 0)
        .map((signal) => ({
          signal: signal.name,
          raw: signal.raw[i] ?? 0,
          value: addedBy(signal, i),
          scale: signal.scale,
          offset: signal.offset,
          rank: rankOf(signal, i),
        })),
  };
}

const addedBy = (signal: Signal, i: number): number => {
  const raw = signal.raw[i] ?? 0;
  return Number.isNaN(raw) ? 0 : raw * signal.scale + signal.offset;
};

/** From 1; null where the signal says nothing of this passage. */
function rankOf(signal: Signal, i: number): number | null {
  const own = signal.raw[i] ?? 0;
  if (own === 0 || Number.isNaN(own)) return null;
  let better = 0;
  for (const other of signal.raw) if (other > own) better += 1;
  return better + 1;
}

function lexicalSignals(input: ScoreInput): Signal[] {
  const { weights, lexical, forms } = input;
  const largest = maximum(
    lexical.words.map((words, i) => words + weights.bigram * (lexical.bigrams[i] ?? 0)),
  );
  const form = (name: keyof FormSignals, weight: number): Signal => ({
    name,
    raw: Float64Array.from(forms, (signals) => signals[name]),
    scale: weight,
    offset: 0,
  });
  const normed = (name: string, raw: Float64Array, weight: number): Signal => ({
    name,
    raw,
    scale: weight / maximum(raw),
    offset: 0,
  });
  return [
    { name: 'words', raw: lexical.words, scale: 1 / largest, offset: 0 },
    { name: 'bigram', raw: lexical.bigrams, scale: weights.bigram / largest, offset: 0 },
    normed('identifier', input.identifiers, weights.identifier),
    { name: 'substring', raw: input.substrings, scale: weights.substring, offset: 0 },
    form('author', weights.author),
    form('date', weights.date),
    form('when', weights.when),
    form('length', weights.length),
    form('question', weights.question),
    form('howMany', weights.howMany),
    form('capital', weights.capital),
    normed('session', input.sessions, weights.session),
  ];
}

const maximum = (values: Float64Array): number => {
  let largest = 0;
  for (const value of values) largest = Math.max(largest, value);
  return largest > 0 ? largest : 1;
};

/** Makes the sum of the signals a z-score over the pool; its mean is taken off the first. */
function standardise(signals: readonly Signal[], count: number): void {
  const sums = new Float64Array(count);
  for (const signal of signals) {
    for (let i = 0; i < count; i += 1) sums[i] = (sums[i] ?? 0) + addedBy(signal, i);
  }
  const { mean, deviation } = moments(sums);
  signals.forEach((signal, i) => {
    signal.scale /= deviation;
    signal.offset = i === 0 ? -mean / deviation : 0;
  });
}

function denseSignals(input: ScoreInput): Signal[] {
  const { dense, weights } = input;
  if (dense === undefined || input.mode === 'words') return [];
  // Without the mean question its weight goes to the other query vector.
  const asked = dense.asked;
  const moved = asked === undefined ? 1 : 0;
  return [
    ...(asked === undefined ? [] : pair('vector', asked, weights.vector, weights.vectorWindow)),
    ...pair(
      'vector-centred',
      dense.centred,
      weights.vectorCentred + moved * weights.vector,
      weights.vectorCentredWindow + moved * weights.vectorWindow,
    ),
  ];
}

const pair = (name: string, cosines: Cosines, plain: number, window: number): Signal[] => [
  standardised(name, cosines.plain, plain),
  standardised(`${name}-window`, cosines.window, window),
];

function standardised(name: string, raw: Float64Array, weight: number): Signal {
  const { mean, deviation } = moments(raw);
  return { name, raw, scale: weight / deviation, offset: (-weight * mean) / deviation };
}

/** Mean and standard deviation of what is a number; a deviation of zero counts as one. */
function moments(values: Float64Array): { readonly mean: number; readonly deviation: number } {
  const numbers = values.filter((value) => !Number.isNaN(value));
  if (numbers.length === 0) return { mean: 0, deviation: 1 };
  const mean = numbers.reduce((sum, value) => sum + value, 0) / numbers.length;
  const variance = numbers.reduce((sum, value) => sum + (value - mean) ** 2, 0) / numbers.length;
  return { mean, deviation: variance > 0 ? Math.sqrt(variance) : 1 };
}
