/**
 * Terms: what of a text the word index knows.
 *
 *   text ─▶ runs of letters and digits ─▶ lower case, marks off ─▶ not a stop word
 *        ─▶ irregular form ─▶ Porter
 *
 * Decides: the same function for passages and queries, so that they meet. A run in camel case gives
 * itself and its parts; Chinese, Japanese and Korean runs give pairs of characters. Dates and
 * speakers are fields, not terms. Whole identifiers have an index of their own (`identifiers.ts`).
 * Source: measured (`docs/BENCHMARKS.md`); Porter by the `stemmer` package.
 */
import { stemmer } from 'stemmer';
import { IRREGULAR, STOP_WORDS } from './words.ts';

/** Raise when the same text gives other terms: stored passages are then indexed anew. */
export const TERMS_VERSION = 1;

/** Longer runs are no words (digests, base64); they are found as substrings. */
const WORD_CHARS_MAX = 40;

const RUN = /[\p{L}\p{N}\p{M}]+/gu;
const MARKS = /\p{M}+/gu;
const POSSESSIVE = /['’]s\b/gi;
const PLAIN = /^[a-z0-9]+$/;
const CJK = '\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Hangul}ー';
const PAIRED = new RegExp(`[${CJK}]+|[^${CJK}]+`, 'gu');
const HAS_PAIRED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u;
const CAMEL = /[a-z0-9][A-Z]|[A-Z]{2}[a-z]/;
const CAMEL_PARTS = /[A-Z]+(?![a-z])[0-9]*|[A-Z]?[a-z]+[0-9]*|[0-9]+/g;

/** Lower case, compatibility forms and diacritics folded. */
export function foldText(text: string): string {
  const lower = text.toLowerCase();
  return isAscii(lower)
    ? lower
    : lower.normalize('NFKD').replace(MARKS, '').normalize('NFC').toLowerCase();
}

function isAscii(text: string): boolean {
  for (let i = 0; i < text.length; i += 1) if (text.charCodeAt(i) > 0x7f) return false;
  return true;
}

/** The content terms of a text in their order, repeats kept. */
export function termsOf(text: string): string[] {
  const terms: string[] = [];
  const add = (word: string): void => {
    const term = termOf(foldText(word));
    if (term !== undefined) terms.push(term);
  };
  for (const [run] of text.replace(POSSESSIVE, '').matchAll(RUN)) {
    if (isAscii(run)) {
      add(run);
      if (CAMEL.test(run) && run.length <= WORD_CHARS_MAX) {
        for (const [part] of run.matchAll(CAMEL_PARTS)) if (part.length < run.length) add(part);
      }
    } else if (HAS_PAIRED.test(run)) {
      for (const [piece] of run.matchAll(PAIRED)) {
        if (HAS_PAIRED.test(piece)) terms.push(...pairsOf(foldText(piece)));
        else add(piece);
      }
    } else {
      add(run);
    }
  }
  return terms;
}

function pairsOf(run: string): string[] {
  const characters = [...run];
  if (characters.length < 2) return characters;
  return characters.slice(1).map((character, i) => `${characters[i] ?? ''}${character}`);
}

/** The term of one folded word; undefined for stop words, single letters and over-long runs. */
export function termOf(word: string): string | undefined {
  if (word.length === 0 || word.length > WORD_CHARS_MAX || STOP_WORDS.has(word)) return undefined;
  if (!PLAIN.test(word)) return word;
  if (word.length === 1 && !/[0-9]/.test(word)) return undefined;
  const known = cache.get(word);
  if (known !== undefined) return known;
  const term = stemmer(IRREGULAR.get(word) ?? word);
  if (cache.size >= CACHE_WORDS_MAX) cache.clear();
  cache.set(word, term);
  return term;
}

/** Stems are pure and words repeat: remembering them makes indexing several times faster. */
const CACHE_WORDS_MAX = 20_000;
const cache = new Map<string, string>();
