import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, test } from 'vitest';
import { isGreen, type LaneResult, runLane } from './lane.ts';

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

/** The real runner on a project of one test file. */
async function ran(code: string): Promise<LaneResult> {
  const folder = mkdtempSync(join(tmpdir(), 'quipu-canary-'));
  folders.push(folder);
  mkdirSync(join(folder, 'src'));
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  writeFileSync(join(folder, 'vitest.config.ts'), "export default { test: { pool: 'forks' } };\n");
  const path = join(folder, 'src/canary.test.ts');
  writeFileSync(path, `import { expect, test } from 'vitest';\n${code}\n`);
  const reportPath = join(folder, 'report.json');
  const vitest = 'node_modules/vitest/vitest.mjs';
  const reporters = ['--reporter=json', `--outputFile.json=${reportPath}`];
  return runLane({
    name: 'canary',
    reportPath,
    files: [path],
    step: {
      name: 'canary',
      cwd: folder,
      command: [process.execPath, vitest, 'run', ...reporters],
      limitMs: 60_000,
    },
  });
}

test('a project that passes is green, so the canaries below die of what is planted', async () => {
  const lane = await ran("test('fine', () => expect(1).toBe(1)); test.skip('left', () => {});");
  expect(isGreen(lane)).toBe(true);
  expect([lane.passed, lane.failed, lane.skipped]).toEqual([1, 0, ['left']]);
});

test.each([
  ['a failing test', "test('wrong', () => expect(1).toBe(2));"],
  ['a file that throws', "test('fine', () => {}); throw new Error('at load');"],
  ['a worker that is killed', "test('dies', () => { process.kill(process.pid, 'SIGKILL'); });"],
  [
    'a rejection that nobody awaits',
    "test('fine', () => { void Promise.reject(new Error('x')); });",
  ],
  ['a file without tests', 'export {};'],
])('%s turns the lane red', async (_what, code) => {
  const lane = await ran(code);
  expect(isGreen(lane)).toBe(false);
});
