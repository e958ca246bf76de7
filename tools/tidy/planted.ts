/**
 * One violation for each rule, planted in a tree made of strings, and the tree without it.
 *
 * Decides: the evidence that a rule can fail. `finds` is everything that the whole check says about
 * the tree, so a plant also shows that no other rule fires beside the one it is for.
 */
export type Planted = {
  readonly rule: string;
  readonly what: string;
  readonly files: Readonly<Record<string, string>>;
  /** `file:line rule`, all of them. */
  readonly finds: readonly string[];
  readonly says?: string;
  /** The same without the violation: nothing is found. */
  readonly twin: Readonly<Record<string, string>>;
};

const H = '/** What this file decides. */\n';
const MANIFESTS = {
  'packages/memory/package.json': JSON.stringify({
    name: '@quipu/memory',
    dependencies: { '@quipu/store': '0', '@quipu/connectors': '0', '@quipu/daemon': '0' },
  }),
  'packages/store/package.json': JSON.stringify({ name: '@quipu/store' }),
};
const memory = (code: string, more: Readonly<Record<string, string>> = {}) => ({
  ...MANIFESTS,
  'packages/memory/src/index.ts': `${H}${code}\n`,
  'packages/store/src/index.ts': H,
  ...more,
});
const edge = (what: string, bad: string, good: string, says: string): Planted => ({
  rule: 'layers',
  what,
  files: memory(bad),
  finds: ['packages/memory/src/index.ts:2 layers'],
  says,
  twin: memory(good),
});

const SECOND_ENTRY = {
  'packages/store/package.json': JSON.stringify({
    name: '@quipu/store',
    exports: { './thread': { source: './src/thread.ts' } },
  }),
  'packages/store/src/thread.ts': H,
};

const LAYER_EDGES: readonly Planted[] = [
  {
    ...edge('a part that is no entry', '', '', "import '@quipu/store'"),
    files: memory("import { x } from '@quipu/store/other';", SECOND_ENTRY),
    twin: memory("import { x } from '@quipu/store/thread';", SECOND_ENTRY),
  },
  edge(
    'an import upwards',
    "import { x } from '@quipu/daemon';",
    "import { x } from '@quipu/store';",
    'memory (4) → daemon (6) does not go down; allowed from memory: base, kernel, checker, store',
  ),
  edge(
    'a type from the same level',
    "import type { X } from '@quipu/connectors';",
    "import type { X } from '@quipu/store';",
    'memory (4) → connectors (4)',
  ),
  edge(
    'a dynamic import upwards',
    "await import('@quipu/daemon');",
    "await import('@quipu/store');",
    'does not go down',
  ),
  edge(
    'an export from above',
    "export { x } from '@quipu/daemon';",
    "export { x } from '@quipu/store';",
    'does not go down',
  ),
  edge(
    'a type query from above',
    "export type X = import('@quipu/daemon').X;",
    "export type X = import('@quipu/store').X;",
    'does not go down',
  ),
  edge(
    'a require from above',
    "const x = require('@quipu/daemon');",
    "const x = require('@quipu/store');",
    'does not go down',
  ),
  edge(
    'an import past the index',
    "import { x } from '@quipu/store/src/open.ts';",
    "import { x } from '@quipu/store';",
    "import '@quipu/store'",
  ),
  edge(
    'a path into another package',
    "import { x } from '../../store/src/index.ts';",
    "import { x } from '@quipu/store';",
    "reaches into package 'store' by path",
  ),
  edge(
    'a computed import without a reason',
    'await import(path);',
    'await import(/* computed: chosen by the machine */ path);',
    'hides its edge',
  ),
];

const INVARIANT = '/**\n * What this file decides.\n *\n * Invariant: STORE-1 (it holds).\n */\n';
const store = (code: string, more: Readonly<Record<string, string>> = {}) => ({
  'packages/store/src/index.ts': code,
  ...more,
});
const lines = (count: number, make: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => make(index)).join('\n');
const body = (count: number): string =>
  `${H}export function long() {\n${lines(count - 2, (index) => `  run(${index});`)}\n}\n`;
const machine = ['', 'work', 'main', 'x'].join('/');

const ONE_EACH: readonly Planted[] = [
  {
    rule: 'dependencies',
    what: 'a package that is only hoisted by chance',
    files: memory("import x from 'left-pad';"),
    finds: ['packages/memory/src/index.ts:2 dependencies'],
    says: 'packages/memory/package.json does not name it',
    twin: memory("import x from 'node:fs';"),
  },
  {
    rule: 'header',
    what: 'a source that opens with its imports',
    files: store("import 'node:fs';\n/** Too late to say what it is. */\n"),
    finds: ['packages/store/src/index.ts:1 header'],
    twin: store(`#!/usr/bin/env node\n${H}import 'node:fs';\n`),
  },
  {
    rule: 'names',
    what: 'a file that is filed under somewhere',
    files: store(`${H}import './string-utils.ts';\n`, { 'packages/store/src/string-utils.ts': H }),
    finds: ['packages/store/src/string-utils.ts:1 names'],
    twin: store(`${H}import './data-directory.ts';\n`, {
      'packages/store/src/data-directory.ts': H,
    }),
  },
  {
    rule: 'names',
    what: 'an exported symbol without a concept',
    files: store(`${H}export const x = 1;\nexport class StoreManager {}\n`),
    finds: ['packages/store/src/index.ts:3 names'],
    twin: store(`${H}export const x = 1;\nclass StoreManager {}\n`),
  },
  {
    rule: 'core',
    what: 'a Node module in a core',
    files: store(`${H}import './core/step.ts';\n`, {
      'packages/store/src/core/step.ts': `${H}import 'node:path';\n`,
    }),
    finds: ['packages/store/src/core/step.ts:2 core'],
    twin: store(`${H}import './shell/step.ts';\n`, {
      'packages/store/src/shell/step.ts': `${H}import 'node:path';\n`,
    }),
  },
  {
    rule: 'core',
    what: 'waiting in a core',
    files: store(`${H}import './core/step.ts';\n`, {
      'packages/store/src/core/step.ts': `${H}export const step = async () => 1;\n`,
    }),
    finds: ['packages/store/src/core/step.ts:2 core'],
    twin: store(`${H}import './core/step.ts';\n`, {
      'packages/store/src/core/step.ts': `${H}export const step = () => 1;\n`,
    }),
  },
  {
    rule: 'invariants',
    what: 'evidence for an id that no header states',
    files: store(INVARIANT, { 'packages/store/src/a.test.ts': '// Verifies: STORE-1, STORE-2\n' }),
    finds: ['packages/store/src/a.test.ts:1 invariants'],
    says: 'STORE-2 is stated in no header',
    twin: store(INVARIANT, { 'packages/store/src/a.test.ts': "test('Verifies: STORE-1', run);\n" }),
  },
  {
    rule: 'invariants',
    what: 'an id stated twice',
    files: store(`${INVARIANT}import './b.ts';\n`, { 'packages/store/src/b.ts': INVARIANT }),
    finds: ['packages/store/src/index.ts:1 invariants'],
    says: 'already stated in packages/store/src/b.ts',
    twin: store(`${INVARIANT}import './b.ts';\n`, {
      'packages/store/src/b.ts': '/** What holds by STORE-1, and UTF-8 (no id). */\n',
    }),
  },
  {
    rule: 'invariants',
    what: 'a page that is behind the tree',
    files: store(INVARIANT, { 'docs/INVARIANTS.md': '# Invariants\n' }),
    finds: ['docs/INVARIANTS.md:1 invariants'],
    twin: store(INVARIANT),
  },
  {
    rule: 'dead-files',
    what: 'a source that nothing reaches',
    files: store(H, { 'packages/store/src/alone.ts': H }),
    finds: ['packages/store/src/alone.ts:1 dead-files'],
    twin: store(`${H}export * from './middle.ts';\n`, {
      'packages/store/src/middle.ts': `${H}const url = new URL('./alone.ts', import.meta.url);\n`,
      'packages/store/src/alone.ts': H,
    }),
  },
  {
    rule: 'words',
    what: 'a folder of one machine',
    files: store(`${H}const place = '${machine}';\n`),
    finds: ['packages/store/src/index.ts:2 words'],
    twin: store(`${H}const place = '/home/dev${machine}';\n`),
  },
  {
    rule: 'words',
    what: 'a registry in the lockfile',
    files: { 'package-lock.json': '{\n "resolved": "https://registry.example/x.tgz"\n}' },
    finds: ['package-lock.json:2 words'],
    says: 'registry.example',
    twin: { 'package-lock.json': '{\n "resolved": "packages/store"\n}' },
  },
  {
    rule: 'words',
    what: 'a note to oneself',
    files: store(`${H}// ${'TO'}DO: later\n`),
    finds: ['packages/store/src/index.ts:2 words'],
    twin: store(`${H}// what is done later, and by whom\n`),
  },
  {
    rule: 'doc-links',
    what: 'a link that leads nowhere',
    files: { 'docs/a.md': '# A\n\n[b](b.md)\n' },
    finds: ['docs/a.md:3 doc-links'],
    twin: { 'docs/a.md': '# A\n\n[b](b.md), [web](https://example.org)\n', 'docs/b.md': '# B\n' },
  },
  {
    rule: 'doc-links',
    what: 'a heading that is not there',
    files: { 'docs/a.md': '# A\n\n[b](b.md#three)\n', 'docs/b.md': '# One `two`\n' },
    finds: ['docs/a.md:3 doc-links'],
    twin: { 'docs/a.md': '# A\n\n[b](b.md#one-two)\n', 'docs/b.md': '# One `two`\n' },
  },
  {
    rule: 'ambient',
    what: 'the clock outside the kernel',
    files: store(`${H}export const at = Date.now();\n`),
    finds: ['packages/store/src/index.ts:2 ambient'],
    says: 'Date.now',
    twin: store(`${H}export const at = clock.now();\n`),
  },
  {
    rule: 'fileLines',
    what: 'a file of 401 lines',
    files: store(`${H}${lines(400, (index) => `run(${index});`)}\n`),
    finds: ['packages/store/src/index.ts:1 fileLines'],
    twin: store(`${H}${lines(399, (index) => `run(${index});`)}\n`),
  },
  {
    rule: 'functionLines',
    what: 'a function of 71 lines',
    files: store(body(71)),
    finds: ['packages/store/src/index.ts:2 functionLines'],
    says: "'long' has 71 lines",
    twin: store(body(70)),
  },
  {
    rule: 'wideLines',
    what: 'a line of 101 columns',
    files: store(`${H}// ${'ä'.repeat(98)}\n`),
    finds: ['packages/store/src/index.ts:2 wideLines'],
    twin: store(`${H}// ${'ä'.repeat(97)}\n`),
  },
  {
    rule: 'ratchet',
    what: 'an exemption that nothing needs',
    files: store(H, { 'tools/tidy/ratchet.json': '{"ambient":{"packages/store/src/index.ts":1}}' }),
    finds: ['tools/tidy/ratchet.json:1 ratchet'],
    twin: store(H, { 'tools/tidy/ratchet.json': '{"ambient":{}}' }),
  },
];

export const PLANTED: readonly Planted[] = [...LAYER_EDGES, ...ONE_EACH];
