import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { closingLine, isGreen, type LaneResult, runLane } from './lane.ts';

const folder = mkdtempSync(join(tmpdir(), 'quipu-lane-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const one = (status: string, fullName = `a ${status} test`) => ({ fullName, status });
const file = (name: string, status: string, assertionResults: readonly object[]) => ({
  name,
  status,
  assertionResults,
});

/** A runner that writes the report it is given and ends as it is told. */
async function ranWith(report: unknown, ending = 'process.exit(0)', files: readonly string[] = []) {
  const reportPath = join(folder, 'report.json');
  const text = typeof report === 'string' ? report : JSON.stringify(report);
  const script = join(folder, 'runner.cjs');
  const [to, body] = [JSON.stringify(reportPath), JSON.stringify(text)];
  const write = `require('node:fs').writeFileSync(${to}, ${body});`;
  writeFileSync(script, `${report === undefined ? '' : write}\n${ending};\n`);
  return runLane({
    name: 'lane',
    reportPath,
    files,
    step: { name: 'lane', command: [process.execPath, script], cwd: folder },
  });
}

const GREEN = { testResults: [file('/a.test.ts', 'passed', [one('passed')])] };

describe('a lane is green only when the report says so and the runner agrees', () => {
  test('a report with passed tests and exit code 0 is green', async () => {
    const lane = await ranWith(GREEN, undefined, ['/a.test.ts']);
    expect({ ...lane, ms: 0 }).toEqual({
      name: 'lane',
      passed: 1,
      failed: 0,
      skipped: [],
      failures: [],
      faults: [],
      ms: 0,
    });
    expect(isGreen(lane)).toBe(true);
  });

  test.each([
    ['a failed test', { testResults: [file('/a', 'failed', [one('passed'), one('failed')])] }, 1],
    ['a file that does not load', { testResults: [file('/a', 'failed', [])] }, 1],
    [
      'a failed test under exit code 0',
      { testResults: [file('/a', 'failed', [one('failed')])] },
      0,
    ],
    ['a failure that no test shows', GREEN, 1],
    ['a report without any test', { testResults: [] }, 0],
    ['only skipped tests', { testResults: [file('/a', 'passed', [one('skipped')])] }, 0],
    ['a report cut off', '{"testResults": [', 0],
    ['an empty report', '', 0],
    ['a report of another shape', '{}', 0],
    ['no report', undefined, 0],
  ])('%s is not', async (_what, report, code) => {
    const lane = await ranWith(report, `process.exit(${code})`);
    expect(isGreen(lane)).toBe(false);
    expect(closingLine([lane], 0)).not.toMatch(/ 0 failed/);
  });

  test('a runner that is killed is not, though its report is whole', async () => {
    const lane = await ranWith(GREEN, "process.kill(process.pid, 'SIGKILL')");
    expect(lane.faults).toEqual(['the runner failed though no test did: was ended by SIGKILL']);
    expect(isGreen(lane)).toBe(false);
  });

  test('a test file that is not in the report is a fault', async () => {
    const lane = await ranWith(GREEN, undefined, ['/a.test.ts', '/b.test.ts']);
    expect(lane.faults).toEqual(['/b.test.ts is not in the report']);
  });

  test('the report of an earlier run is never read', async () => {
    await ranWith(GREEN);
    const lane = await ranWith(undefined);
    expect(lane.faults[1]).toBe('there is no report (ENOENT)');
  });
});

test('the closing line adds up lanes, counts a fault as failed, and names skips if any', () => {
  const lane = (passed: number, failed: number, skipped: number, faults: number): LaneResult => ({
    name: 'lane',
    passed,
    failed,
    skipped: Array.from({ length: skipped }, () => 'one'),
    failures: [],
    faults: Array.from({ length: faults }, () => 'why'),
    ms: 1,
  });
  expect(closingLine([lane(3, 0, 0, 0), lane(2, 0, 0, 0)], 0)).toBe('5 passed, 0 failed');
  expect(closingLine([lane(3, 1, 2, 1), lane(2, 0, 1, 1)], 1)).toBe(
    '5 passed, 3 failed, 3 skipped',
  );
});
