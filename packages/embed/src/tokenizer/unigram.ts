/**
 * Text to token ids: a sentencepiece unigram tokenizer.
 *
 * Decides: the cut with the highest sum of piece scores (Viterbi over the trie of pieces; of equal
 * cuts the one whose last piece is shorter). What no piece covers becomes the unknown token, a run
 * of it once. Before that the text is normalised as the model was trained: NFKC, a run of white
 * space or control characters is one space, none at the ends, spaces written `▁`, one in front.
 *
 * Does not decide: where a long text is split (`windows.ts`).
 *
 * Source: T. Kudo, "Subword Regularization" (2018), §3; sentencepiece's `nmt_nfkc` normalisation.
 */
import { err, ok, type Result } from '@quipu/base';
import { PieceTrie } from './piece-trie.ts';

export type Tokenizer = {
  /** No token for a text without visible characters. Linear in the length of the text. */
  readonly encode: (text: string) => Int32Array;
};

export type VocabularyError = { readonly kind: 'vocabulary-unreadable' };

const UNKNOWN_ID = 0;
/** Pieces before this one are markers (`<s>` and the like), which text never yields. */
const FIRST_PIECE = 6;
const SPACE = '▁';

/** Seven pieces (all with a colon) have no published score; the model's own runtime takes 0. */
type Listed = readonly [text: string, score: number | null];

/** `vocabulary` is the JSON text: a list of `[piece, score]`, its index the id. */
export function createTokenizer(vocabulary: string): Result<Tokenizer, VocabularyError> {
  const parsed = parseVocabulary(vocabulary);
  if (parsed === undefined) return err({ kind: 'vocabulary-unreadable' });
  const pieces = parsed.map(([text, score], id) => ({ text, score: score ?? 0, id }));
  const trie = new PieceTrie(pieces.slice(FIRST_PIECE));
  return ok({ encode: (text) => bestCut(trie, normalise(text)) });
}

export function normalise(text: string): string {
  const plain = text
    .normalize('NFKC')
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim();
  return plain === '' ? '' : `${SPACE}${plain.replaceAll(' ', SPACE)}`;
}

function bestCut(trie: PieceTrie, text: string): Int32Array {
  const length = text.length;
  const best = new Float64Array(length + 1).fill(Number.NEGATIVE_INFINITY);
  const idBefore = new Int32Array(length + 1);
  const startBefore = new Int32Array(length + 1);
  best[0] = 0;
  for (let start = 0; start < length; start += 1) {
    const reached = best[start] ?? Number.NEGATIVE_INFINITY;
    if (reached === Number.NEGATIVE_INFINITY) continue;
    let node = 0;
    let covered = false;
    for (let end = start; end < length; ) {
      node = trie.step(node, text.charCodeAt(end));
      if (node < 0) break;
      end += 1;
      const id = trie.idAt(node);
      if (id < 0) continue;
      covered = true;
      const score = reached + trie.scoreAt(node);
      if (score >= (best[end] ?? 0)) {
        best[end] = score;
        idBefore[end] = id;
        startBefore[end] = start;
      }
    }
    if (covered) continue;
    // Its score does not matter: no piece starts here. The halves of a pair are one run anyway.
    const end = start + 1;
    if (reached >= (best[end] ?? 0)) {
      best[end] = reached;
      idBefore[end] = UNKNOWN_ID;
      startBefore[end] = start;
    }
  }
  return followBack(length, idBefore, startBefore);
}

function followBack(length: number, idBefore: Int32Array, startBefore: Int32Array): Int32Array {
  const ids: number[] = [];
  let unknownRun = false;
  for (let end = length; end > 0; end = startBefore[end] ?? 0) {
    const id = idBefore[end] ?? UNKNOWN_ID;
    if (!(unknownRun && id === UNKNOWN_ID)) ids.push(id);
    unknownRun = id === UNKNOWN_ID;
  }
  return Int32Array.from(ids).reverse();
}

function parseVocabulary(text: string): readonly Listed[] | undefined {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
  if (!Array.isArray(parsed) || parsed.length <= FIRST_PIECE) return undefined;
  return parsed.every(isPiece) ? parsed : undefined;
}

function isPiece(value: unknown): value is Listed {
  if (!Array.isArray(value) || value.length !== 2) return false;
  const [text, score]: unknown[] = value;
  return typeof text === 'string' && text !== '' && (typeof score === 'number' || score === null);
}
