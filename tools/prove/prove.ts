/**
 * The four runs that show that a regression test guards a fix.
 *
 *     1  base, with the test copied in     fails, and not because something is missing
 *     2  the change                        passes
 *     3  the change, measured              executes the lines that make the fix
 *     4  the change without those lines    fails again
 *
 * Decides: what each must show; all four are run and told even when an earlier one is not as it
 * must be.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { notExecuted, withoutGuards } from './guard.ts';
import type { ProveOptions } from './options.ts';
import { copyInto, placeAt, placeNow } from './places.ts';
import { runTests, type TestRun } from './run-tests.ts';

export type Evidence = {
  readonly run: 1 | 2 | 3 | 4;
  readonly claim: string;
  /** Why the run does not show its claim, or undefined. */
  readonly fault: string | undefined;
  readonly result: TestRun;
};

export async function prove(
  root: string,
  options: ProveOptions,
  told: (evidence: Evidence) => void,
): Promise<readonly Evidence[]> {
  const evidence: Evidence[] = [];
  const add = (entry: Evidence): void => {
    evidence.push(entry);
    told(entry);
  };
  add(await onBase(root, options));
  const now = placeNow(root);
  try {
    const files = [...new Set(options.guards.map(({ file }) => file))];
    const plain = await runTests(now.folder, options.tests);
    add({ run: 2, claim: 'passes with the change', fault: mustPass(plain), result: plain });
    const measured = await runTests(now.folder, options.tests, files);
    const idle = options.guards.map((guard) =>
      notExecuted(measured.coverage.get(guard.file), guard),
    );
    const fault = mustPass(measured) ?? idle.find((sentence) => sentence !== undefined);
    add({ run: 3, claim: 'executes the guard', fault, result: measured });
    for (const file of files) {
      const path = join(now.folder, file);
      const guards = options.guards.filter((guard) => guard.file === file);
      const text = readFileSync(path, 'utf8');
      writeFileSync(path, withoutGuards(text, guards, options.guardReplace));
    }
    const removed = await runTests(now.folder, options.tests);
    const claim = 'fails when the guard is removed';
    add({ run: 4, claim, fault: mustFail(removed, false), result: removed });
  } finally {
    now.dispose();
  }
  return evidence;
}

async function onBase(root: string, options: ProveOptions): Promise<Evidence> {
  const base = placeAt(root, options.base);
  try {
    for (const path of [...options.tests.map(({ file }) => file), ...options.copies]) {
      copyInto(root, base.folder, path);
    }
    const result = await runTests(base.folder, options.tests);
    const fault = mustFail(result, options.allowMissing);
    return { run: 1, claim: `fails on the base ${options.base}`, fault, result };
  } finally {
    base.dispose();
  }
}

function mustPass(result: TestRun): string | undefined {
  if (result.noReport !== undefined) return 'the runner wrote no report';
  if (result.failed.length > 0) return 'a test fails';
  if (result.passed.length === 0) return 'no such test ran';
  return result.ended === 'exit code 0' ? undefined : `the runner failed: ${result.ended}`;
}

function mustFail(result: TestRun, allowMissing: boolean): string | undefined {
  if (result.noReport !== undefined) return 'the runner wrote no report';
  if (result.failed.length === 0) {
    return result.passed.length === 0 ? 'no such test ran' : 'the test passes';
  }
  if (allowMissing || result.failed.some(({ reason }) => reason !== 'missing')) return undefined;
  return 'it fails only because something is missing or does not parse, which shows nothing';
}
