import { expect, test } from 'vitest';
import { checkTree } from './check-tree.ts';
import { grownSince, heldBy, type Measure, shrunk } from './ratchet.ts';
import { treeOf } from './tree.ts';

const long = (value: number): Measure => ({
  list: 'fileLines',
  key: 'a.ts',
  value,
  file: 'a.ts',
  line: 1,
  what: `${value} lines`,
});
const ratchet = { fileLines: { 'a.ts': 500 } };
const messages = (value: number): readonly string[] =>
  heldBy(ratchet, [long(value)]).map(({ rule, message }) => `${rule}: ${message}`);

test('a measure at its recorded number is tolerated', () => {
  expect(messages(500)).toEqual([]);
});

test('growing past the recorded number fails', () => {
  expect(messages(501)).toEqual(['fileLines: 501 lines; the ratchet holds it at 500']);
});

test('shrinking fails until the smaller number is recorded', () => {
  expect(messages(450)).toEqual(['ratchet: 450 lines; it shrank from 500: record it with --write']);
  expect(shrunk(ratchet, [long(450)])).toEqual({ fileLines: { 'a.ts': 450 } });
});

test('what is within its limit again leaves the list', () => {
  expect(heldBy(ratchet, []).map(({ rule }) => rule)).toEqual(['ratchet']);
  expect(shrunk(ratchet, [])).toEqual({ fileLines: {} });
});

test('writing never records a larger number nor a new entry', () => {
  const other = { ...long(900), key: 'b.ts' };
  expect(shrunk(ratchet, [long(900), other])).toEqual({ fileLines: { 'a.ts': 500 } });
});

test('the list may not grow past any version that was ever committed', () => {
  const history = [ratchet, { fileLines: { 'a.ts': 600 } }];
  expect(grownSince(history, ratchet)).toEqual([]);
  expect(grownSince(history, { fileLines: { 'a.ts': 550 } })).toHaveLength(1);
  expect(grownSince([...history, {}], ratchet)).toHaveLength(1);
});

test('the whole check holds the list to its history', () => {
  const path = 'tools/tidy/ratchet.json';
  const body = Array.from({ length: 450 }, (_, index) => `const n${index} = ${index};`).join('\n');
  const code = `/** What a long file decides. */\n${body}\n`;
  const held = { fileLines: { 'packages/base/src/index.ts': 451 } };
  const tree = treeOf({
    'packages/base/src/index.ts': code,
    [path]: JSON.stringify(held),
  });
  const rules = (history: readonly object[]): readonly string[] =>
    checkTree(tree, { history: history as [] })
      .map(({ rule }) => rule)
      .filter((rule) => rule !== 'invariants');
  expect(rules([held])).toEqual([]);
  expect(rules([{}])).toEqual(['ratchet']);
});
