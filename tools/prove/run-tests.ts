/**
 * One run of the named tests in a place, and why they failed if they did.
 *
 * Decides: the reasons. `missing` is a failure of loading (a module, a name or the syntax is not
 * there): it shows that the test is new, not that it catches anything. `assertion` is an
 * expectation that did not hold, or an error that the code threw; `timeout` is a test that waited
 * for what never came.
 */
import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runStep } from '../steps/run-step.ts';
import type { FileCoverage } from './guard.ts';
import type { Wanted } from './options.ts';

export type Reason = 'assertion' | 'timeout' | 'missing';

export type TestRun = {
  readonly command: string;
  readonly ended: string;
  readonly passed: readonly string[];
  readonly failed: readonly {
    readonly name: string;
    readonly reason: Reason;
    readonly message: string;
  }[];
  /** Set when there is no report at all. */
  readonly noReport: string | undefined;
  readonly coverage: ReadonlyMap<string, FileCoverage>;
};

export async function runTests(
  folder: string,
  tests: readonly Wanted[],
  coverageOf: readonly string[] = [],
): Promise<TestRun> {
  const scratch = mkdtempSync(join(tmpdir(), 'quipu-prove-run-'));
  const reportPath = join(scratch, 'report.json');
  const args = [
    'run',
    ...new Set(tests.map(({ file }) => file)),
    ...namePattern(tests),
    '--retry=0',
    ...(coverageOf.length === 0
      ? []
      : [
          '--coverage.enabled',
          '--coverage.provider=v8',
          '--coverage.reporter=json',
          `--coverage.reportsDirectory=${join(scratch, 'coverage')}`,
          ...coverageOf.map((file) => `--coverage.include=${file}`),
        ]),
  ];
  const outcome = await runStep({
    name: 'tests',
    cwd: folder,
    command: [
      process.execPath,
      'node_modules/vitest/vitest.mjs',
      ...args,
      '--reporter=json',
      `--outputFile.json=${reportPath}`,
    ],
    env: { NO_COLOR: '1' },
    limitMs: 10 * 60_000,
  });
  const command = ['vitest', ...args.map((arg) => arg.replace(scratch, '…'))].join(' ');
  const result = { command, ended: outcome.fault ?? 'exit code 0' };
  const coverage = coverageIn(scratch, folder);
  const text = existsSync(reportPath) ? readFileSync(reportPath, 'utf8') : '';
  rmSync(scratch, { recursive: true, force: true });
  if (text === '') {
    const noReport = outcome.output.trim().split('\n').slice(-12).join('\n');
    return { ...result, passed: [], failed: [], noReport, coverage };
  }
  return {
    ...result,
    ...judged(JSON.parse(text) as RawReport, tests),
    coverage,
    noReport: undefined,
  };
}

type RawReport = {
  readonly testResults: readonly {
    readonly name: string;
    readonly status: string;
    readonly message?: string;
    readonly assertionResults: readonly {
      readonly fullName: string;
      readonly title: string;
      readonly status: string;
      readonly failureMessages?: readonly string[];
    }[];
  }[];
};

function judged(report: RawReport, tests: readonly Wanted[]): Pick<TestRun, 'passed' | 'failed'> {
  const passed: string[] = [];
  const failed: { name: string; reason: Reason; message: string }[] = [];
  for (const file of report.testResults) {
    const wanted = tests.filter((test) => file.name.endsWith(test.file));
    if (wanted.length === 0) continue;
    const own = file.assertionResults.filter(({ fullName }) =>
      wanted.some(({ name }) => name === undefined || fullName.includes(name)),
    );
    for (const { fullName, status, failureMessages } of own) {
      if (status === 'passed') passed.push(fullName);
      if (status !== 'failed') continue;
      const message = failureMessages?.join('\n') ?? '';
      failed.push({ name: fullName, reason: reasonOf(message), message });
    }
    if (file.status !== 'passed' && file.assertionResults.length === 0) {
      failed.push({ name: file.name, reason: 'missing', message: file.message ?? '' });
    }
  }
  return { passed, failed };
}

const MISSING = new RegExp(
  [
    'Cannot find (?:module|package)',
    'Failed to (?:load|resolve)',
    'does not provide an export',
    'is not a (?:function|constructor)',
    'ReferenceError|SyntaxError|Transform failed|Parse failure',
  ].join('|'),
);

function reasonOf(message: string): Reason {
  const head = message.split('\n')[0] ?? '';
  if (/timed out in \d+ ?ms/i.test(head)) return 'timeout';
  return MISSING.test(head) ? 'missing' : 'assertion';
}

function namePattern(tests: readonly Wanted[]): string[] {
  const names = tests.flatMap(({ name }) => (name === undefined ? [] : [name]));
  if (names.length !== tests.length) return [];
  return ['-t', names.map((name) => name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('|')];
}

function coverageIn(scratch: string, folder: string): ReadonlyMap<string, FileCoverage> {
  const path = join(scratch, 'coverage', 'coverage-final.json');
  if (!existsSync(path)) return new Map();
  const files = JSON.parse(readFileSync(path, 'utf8')) as Record<string, FileCoverage>;
  const root = realpathSync(folder);
  return new Map(
    Object.entries(files).map(([file, coverage]) => [file.replace(`${root}/`, ''), coverage]),
  );
}
