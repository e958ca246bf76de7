/**
 * `npm test`: everything that CI checks, closed by a line `N passed, N failed`.
 *
 * Decides: the order (static checks and the build, then the lanes one after another, since tests
 * that start processes want the machine for themselves) and that nothing is left out after a
 * failure: one run shows all that is wrong.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runSteps, type Step, tell } from '../steps/run-step.ts';
import { staticChecks } from '../steps/static-checks.ts';
import { closingLine, isGreen, type LaneResult, runLane } from './lane.ts';
import { lanes } from './lanes.ts';

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const reports = mkdtempSync(join(tmpdir(), 'quipu-reports-'));
const build: Step = { name: 'build', command: [process.execPath, 'tools/build.mjs'], cwd: root };

const steps = await runSteps([build, ...staticChecks(root)], 2, tell);
const broken = steps.filter(({ fault }) => fault !== undefined);
const results: LaneResult[] = [];
for (const spec of lanes(root, reports)) {
  console.log(`\n== ${spec.name}: ${spec.files.length} test files`);
  const result = await runLane(spec);
  results.push(result);
}
rmSync(reports, { recursive: true, force: true });

console.log('');
for (const lane of results) {
  const counts = `${lane.passed} passed, ${lane.failed} failed, ${lane.skipped.length} skipped`;
  console.log(`${lane.name}: ${counts} in ${(lane.ms / 1000).toFixed(0)} s`);
  for (const name of lane.skipped) console.log(`  skipped: ${name}`);
  for (const name of lane.failures) console.log(`  failed: ${name}`);
  for (const fault of lane.faults) console.log(`  fault: ${fault}`);
}
for (const { name, fault } of broken) console.log(`step failed: ${name} (${fault})`);
console.log(closingLine(results, broken.length));
process.exitCode = broken.length === 0 && results.every(isGreen) ? 0 : 1;
