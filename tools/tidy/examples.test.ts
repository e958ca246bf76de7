import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { docExamples } from './rules/docs.ts';
import { treeOf } from './tree.ts';

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const page = (...code: string[]): string => ['# Page', '', '```ts', ...code, '```', ''].join('\n');

test('an example that does not compile is found at its line of the page', () => {
  const wrong = page("import { ok } from '@quipu/base';", "const five: number = ok('5');", 'five;');
  const findings = docExamples(treeOf({ 'docs/page.md': wrong }), root);
  expect(findings.map(({ file, line }) => `${file}:${line}`)).toEqual(['docs/page.md:5']);
  expect(findings[0]?.message).toContain('not assignable');
});

test('an example that compiles, and one that does not claim to, are no findings', () => {
  const right = page("import { ok } from '@quipu/base';", 'ok(5);');
  const other = '```ts ignore\nconst broken =\n```\n';
  expect(docExamples(treeOf({ 'docs/a.md': right, 'docs/b.md': other }), root)).toEqual([]);
});
