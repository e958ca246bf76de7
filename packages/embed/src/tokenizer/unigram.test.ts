/** The tokenizer against its model's own, and against an independent implementation. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Tokenizer as OracleTokenizer } from '@huggingface/tokenizers';
import { assert } from '@quipu/base';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { findModelSource } from '../shell/deployment.ts';
import { referenceEntries } from '../testing/reference.ts';
import { createTokenizer, normalise } from './unigram.ts';

const vocabularyText = readFileSync(join(findModelSource() ?? '', 'vocab.json'), 'utf8');
const vocabulary: [string, number | null][] = JSON.parse(vocabularyText);
const created = createTokenizer(vocabularyText);
assert(created.ok, 'the vocabulary is readable');
const tokenizer = created.value;
const encode = (text: string): number[] => [...tokenizer.encode(text)];

/** The vocabulary in the layout of `tokenizer.json`; normalisation is this package's own. */
const oracle = new OracleTokenizer(
  {
    version: '1.0',
    truncation: null,
    padding: null,
    added_tokens: [],
    normalizer: null,
    pre_tokenizer: null,
    post_processor: null,
    decoder: null,
    model: {
      type: 'Unigram',
      unk_id: 0,
      // Markers never match; a piece listed twice counts as its last listing.
      vocab: vocabulary.map(([piece, score], id) => [
        id > 0 && (id < 6 || vocabulary.findLastIndex(([other]) => other === piece) !== id)
          ? `\u0000${id}`
          : piece,
        score ?? 0,
      ]),
    },
  },
  {},
);

function oracleIds(text: string): number[] {
  const { ids } = oracle.encode(normalise(text), { add_special_tokens: false });
  return ids.filter((id: number, index: number) => !(id === 0 && ids[index - 1] === 0));
}

test('the published tokens of the reference texts are found', () => {
  for (const { text, tokens } of referenceEntries()) expect(encode(text), text).toEqual(tokens);
});

test.each([
  ['nothing', ''],
  ['only white space', ' \n\t  '],
  ['only control characters', '\u0000\u0007'],
])('%s has no token', (_, text) => {
  expect(encode(text)).toEqual([]);
});

test('white space of any kind and length is one space, and none at the ends', () => {
  expect(encode('  a\n\n\tb ')).toEqual(encode('a b'));
});

test('a run of unknown characters is one unknown token', () => {
  expect(encode('猫猫猫')).toEqual(encode('猫'));
  expect(encode('猫').filter((id) => id === 0)).toHaveLength(1);
});

test('half a surrogate pair is unknown and harms nothing around it', () => {
  const ids = encode('before \ud83d after');
  expect(ids.slice(0, 1)).toEqual(encode('before'));
  expect(ids.at(-1)).toBe(encode('after').at(-1));
  expect(ids).toContain(0);
});

test('markers of the vocabulary are not reachable from text', () => {
  for (const id of encode('<s> </s> extra_token_id_1')) expect(id === 0 || id >= 6).toBe(true);
});

const fragments = fc.oneof(
  fc.constantFrom(...vocabulary.slice(6).map(([piece]) => piece.replaceAll('▁', ' '))),
  fc.string({ unit: 'grapheme', maxLength: 12 }),
  fc.string({ unit: 'binary', maxLength: 12 }),
  fc.constantFrom('🚀', '👩‍💻', '数据库', 'ção', 'ﬁ', '\r\n', '\u0301', ':', '://', '”5', '\ud800'),
);
const texts = fc.array(fragments, { maxLength: 40 }).map((parts) => parts.join(''));

function scoreOf(ids: readonly number[]): number {
  return ids.reduce((sum, id) => sum + (id === 0 ? 0 : (vocabulary[id]?.[1] ?? 0)), 0);
}

test('its cuts score as well as those of an independent implementation', () => {
  let equal = 0;
  let total = 0;
  fc.assert(
    fc.property(texts, (text) => {
      const own = encode(text);
      const other = oracleIds(text);
      total += 1;
      if (own.join() === other.join()) equal += 1;
      // Equal scores may be cut differently; a worse score is a wrong cut.
      expect(scoreOf(own)).toBeGreaterThanOrEqual(scoreOf(other) - 1e-6);
    }),
    { numRuns: 400 },
  );
  expect(equal / total).toBeGreaterThan(0.95);
});

test('known pieces put together again are the normalised text', () => {
  fc.assert(
    fc.property(texts, (text) => {
      const ids = encode(text);
      fc.pre(!ids.includes(0));
      expect(ids.map((id) => vocabulary[id]?.[0]).join('')).toBe(normalise(text));
    }),
    { numRuns: 300 },
  );
});

test('a text of two million characters is cut in one piece', () => {
  const ids = tokenizer.encode('abandoned '.repeat(200_000));
  expect(ids.length).toBeGreaterThan(200_000);
});

test.each([
  ['no JSON', 'x'],
  ['no list', '{}'],
  ['a piece without text', JSON.stringify(Array(8).fill(['', 1]))],
  ['a score that is no number', JSON.stringify(Array(8).fill(['a', 'b']))],
])('a vocabulary that is %s is refused', (_, text) => {
  expect(createTokenizer(text)).toEqual({ ok: false, error: { kind: 'vocabulary-unreadable' } });
});
