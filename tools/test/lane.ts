/**
 * One run of the test runner, judged by the runner's own report.
 *
 * Decides: when a lane is green: the runner ended with 0, its report is there and can be read,
 * every test file that was to run is in it, at least one test passed, none failed. Each other way
 * to end is a fault with a sentence; a lane that crashed is never green.
 */
import { readFileSync, rmSync } from 'node:fs';
import { runStep, type Step } from '../steps/run-step.ts';

export type LaneSpec = {
  readonly name: string;
  /** Writes the report to `reportPath`. */
  readonly step: Step;
  readonly reportPath: string;
  /** Test files that must be in the report, as absolute paths. */
  readonly files: readonly string[];
};

export type LaneResult = {
  readonly name: string;
  readonly passed: number;
  readonly failed: number;
  readonly skipped: readonly string[];
  /** What else is wrong, in sentences. */
  readonly faults: readonly string[];
  readonly failures: readonly string[];
  readonly ms: number;
};

export async function runLane(spec: LaneSpec): Promise<LaneResult> {
  rmSync(spec.reportPath, { force: true });
  const outcome = await runStep(spec.step);
  const report = reportAt(spec.reportPath);
  const base = { name: spec.name, ms: outcome.ms };
  if (typeof report === 'string') {
    const faults = [outcome.fault ?? 'the runner ended with 0', report];
    return { ...base, passed: 0, failed: 0, skipped: [], failures: [], faults };
  }
  const tests = report.flatMap((file) => file.tests);
  const brokenFiles = report.filter(({ broken, tests: own }) => {
    return broken && !own.some(({ status }) => status === 'failed');
  });
  const failures = [
    ...tests.filter(({ status }) => status === 'failed').map(({ name }) => name),
    ...brokenFiles.map(({ path }) => `${path} (the file itself)`),
  ];
  const passed = tests.filter(({ status }) => status === 'passed').length;
  const others = tests.filter(({ status }) => status !== 'passed' && status !== 'failed');
  const faults = [
    ...(outcome.fault !== undefined && failures.length === 0
      ? [`the runner failed though no test did: ${outcome.fault}`]
      : []),
    ...(outcome.fault === undefined && failures.length > 0
      ? ['the runner ended with 0 though a test failed']
      : []),
    ...(passed + failures.length === 0 ? ['no test ran'] : []),
    ...missing(spec.files, report),
  ];
  const skipped = others.map(({ name }) => name);
  return { ...base, passed, failed: failures.length, skipped, failures, faults };
}

type FileReport = {
  readonly path: string;
  readonly broken: boolean;
  readonly tests: readonly { readonly name: string; readonly status: string }[];
};

/** The report, or a sentence why there is none. Only the fields that are judged are read. */
function reportAt(path: string): readonly FileReport[] | string {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (failure) {
    return `there is no report (${(failure as NodeJS.ErrnoException).code})`;
  }
  try {
    const { testResults } = JSON.parse(text) as { testResults: RawFile[] };
    return testResults.map((file) => ({
      path: file.name,
      broken: file.status !== 'passed',
      tests: file.assertionResults.map(({ fullName, status }) => ({ name: fullName, status })),
    }));
  } catch (failure) {
    return `the report cannot be read (${(failure as Error).message})`;
  }
}

type RawFile = {
  readonly name: string;
  readonly status: string;
  readonly assertionResults: readonly { readonly fullName: string; readonly status: string }[];
};

function missing(wanted: readonly string[], report: readonly FileReport[]): string[] {
  const ran = new Set(report.map(({ path }) => path));
  const left = wanted.filter((path) => !ran.has(path));
  return left.map((path) => `${path} is not in the report`);
}

/** The closing line: counts of the reports; what failed without a failed test counts as failed. */
export function closingLine(lanes: readonly LaneResult[], stepsFailed: number): string {
  const sum = (of: (lane: LaneResult) => number): number =>
    lanes.reduce((total, lane) => total + of(lane), 0);
  const failed = sum((lane) => lane.failed + (lane.failed === 0 ? lane.faults.length : 0));
  const skipped = sum((lane) => lane.skipped.length);
  const counts = `${sum((lane) => lane.passed)} passed, ${failed + stepsFailed} failed`;
  return skipped === 0 ? counts : `${counts}, ${skipped} skipped`;
}

export const isGreen = (lane: LaneResult): boolean => lane.failed + lane.faults.length === 0;
