/**
 * `npm run check`: format, lint, types, tidy and the unit tests, in under a minute.
 *
 * Decides: what a person runs before each commit. The unit tests start first because they take
 * longest; the rest runs beside them. The exit code is 1 when any step fails.
 */

import { dirname } from 'node:path';
import { performance } from 'node:perf_hooks';
import { fileURLToPath } from 'node:url';
import { runSteps, type Step, tell } from '../steps/run-step.ts';
import { staticChecks } from '../steps/static-checks.ts';

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const unit: Step = {
  name: 'unit tests',
  command: [process.execPath, 'node_modules/vitest/vitest.mjs', 'run', '--project', 'unit'],
  cwd: root,
  env: { NO_COLOR: '1' },
};

const started = performance.now();
const outcomes = await runSteps([unit, ...staticChecks(root)], 2, tell);
const failed = outcomes.filter(({ fault }) => fault !== undefined).map(({ name }) => name);
const total = ((performance.now() - started) / 1000).toFixed(1);
console.log(
  failed.length === 0 ? `all ok, ${total} s` : `failed: ${failed.join(', ')}, ${total} s`,
);
process.exitCode = failed.length === 0 ? 0 : 1;
