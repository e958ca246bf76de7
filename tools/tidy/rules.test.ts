import { describe, expect, test } from 'vitest';
import { checkTree, RULES } from './check-tree.ts';
import { PLANTED } from './planted.ts';
import { invariantsPage } from './rules/invariants.ts';
import { type Tree, treeOf } from './tree.ts';

const rulesOf = (files: Readonly<Record<string, string>>): readonly string[] =>
  findingsOf(files).map(({ file, line, rule }) => `${file}:${line} ${rule}`);

const findingsOf = (files: Readonly<Record<string, string>>) =>
  checkTree(withPage(treeOf(files)), { history: [] });

/** The tree with its generated page, so that only what is planted is found. */
function withPage(tree: Tree): Tree {
  const files = Object.fromEntries(tree.paths.map((path) => [path, tree.text(path)]));
  return treeOf({ 'docs/INVARIANTS.md': invariantsPage(tree), ...files });
}

describe('each planted violation is found where it stands, and its twin is clean', () => {
  test.each(PLANTED)('$rule: $what', ({ files, finds, says, twin }) => {
    const findings = findingsOf(files);
    expect(findings.map(({ file, line, rule }) => `${file}:${line} ${rule}`)).toEqual(finds);
    if (says !== undefined) expect(findings[0]?.message).toContain(says);
    expect(rulesOf(twin)).toEqual([]);
  });
});

test('every rule and every list of the ratchet has a planted violation', () => {
  const planted = new Set(PLANTED.map(({ rule }) => rule));
  const lists = ['ambient', 'fileLines', 'functionLines', 'wideLines', 'ratchet'];
  expect([...Object.keys(RULES), ...lists].filter((rule) => !planted.has(rule))).toEqual([]);
});

test('the order of layers names every folder that may hold code', () => {
  const findings = findingsOf({ 'packages/novel/src/index.ts': '/** What novel decides. */\n' });
  expect(findings.map(({ rule, message }) => `${rule}: ${message}`)).toEqual([
    "layers: package 'novel' has no layer number: add it to packages.ts",
  ]);
});
