import { expect, test } from 'vitest';
import { ambient } from './rules/ambient.ts';
import { treeOf } from './tree.ts';

const PLACE = 'packages/store/src/open.ts';
const count = (code: string, path = PLACE): number => ambient(treeOf({ [path]: code })).length;

test.each([
  'const at = Date.now();',
  "const at = Date['now']();",
  'const at = globalThis.Date.now();',
  "const at = globalThis['Date'].now();",
  'const at = new Date();',
  'const at = new Date;',
  'const at = new globalThis.Date();',
  'const at = Date();',
  'const Clock = Date;',
  'const { now } = Date;',
  'const dice = Math.random();',
  'const { random: roll } = Math;',
  'const maths = Math;',
  'const at = Math[name]();',
  'setTimeout(run, 5);',
  'const later = setTimeout;',
  'const timers = { setTimeout };',
  'globalThis.setTimeout(run, 5);',
  'window.setInterval(run, 5);',
  'setImmediate(run);',
  'const at = performance.now();',
  "import { setTimeout as sleep } from 'node:timers/promises';",
  "import timers from 'node:timers';",
  "import { performance } from 'node:perf_hooks';",
  "import { randomBytes } from 'node:crypto';",
  "import { randomUUID as id } from 'node:crypto';",
  "import * as c from 'node:crypto'; const id = c.randomUUID();",
  'const id = crypto.randomUUID();',
  'crypto.getRandomValues(bytes);',
  'const at = process.hrtime.bigint();',
  "import { hrtime } from 'node:process';",
  'const { hrtime } = process;',
  'const signal = AbortSignal.timeout(5);',
])('%s touches the ambient world once', (code) => {
  expect(count(code)).toBe(1);
});

test.each([
  'const at = new Date(clock.now());',
  'const at = Date.parse(text);',
  'const is = value instanceof Date;',
  'const at: Date = given;',
  'const size = Math.max(1, 2);',
  'timers.after(5, run);',
  'server.setTimeout(5);',
  'type Timers = { setTimeout: () => void };',
  'const names = { setTimeout: 1 };',
  "import { createHash } from 'node:crypto';",
  '// Date.now() in a comment',
  "const text = 'Date.now()';",
])('%s does not', (code) => {
  expect(count(code)).toBe(0);
});

test('kernel, tests, tools and the bench may touch it', () => {
  const code = 'const at = Date.now();';
  const free = [
    'packages/kernel/src/real.ts',
    'packages/web/src/browser.ts',
    'packages/store/src/open.test.ts',
    'tools/check/main.ts',
    'bench/main.ts',
  ];
  expect(free.map((path) => count(code, path))).toEqual([0, 0, 0, 0, 0]);
  expect(count(code, 'packages/web/src/main.tsx')).toBe(1);
});
