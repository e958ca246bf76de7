import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ProveOptions } from './options.ts';
import { type Evidence, prove } from './prove.ts';

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const repository = mkdtempSync(join(tmpdir(), 'quipu-proved-'));
const git = (...args: string[]): string =>
  execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@example.org', ...args], {
    cwd: repository,
    encoding: 'utf8',
  });
const write = (path: string, ...lines: string[]): void => {
  mkdirSync(dirname(join(repository, path)), { recursive: true });
  writeFileSync(join(repository, path), `${lines.join('\n')}\n`);
};

/** A repository of two packages; the fix is in one, its test in the other. */
beforeAll(() => {
  write('package.json', '{"type":"module","private":true}');
  write('.gitignore', 'node_modules');
  write('vitest.config.ts', "export default { test: { pool: 'forks' } };");
  write('packages/half/package.json', '{"name":"@own/half","type":"module","exports":"./half.ts"}');
  write(
    'packages/half/half.ts',
    'export function half(n: number): number {',
    '  return n / 2;',
    '}',
  );
  write('packages/use/package.json', '{"name":"@own/use","type":"module"}');
  const modules = join(repository, 'node_modules');
  mkdirSync(join(modules, '@own'), { recursive: true });
  symlinkSync('../../packages/half', join(modules, '@own/half'));
  for (const name of readdirSync(join(root, 'node_modules'))) {
    if (name !== '@quipu') symlinkSync(join(root, 'node_modules', name), join(modules, name));
  }
  git('init', '--quiet');
  git('add', '.');
  git('commit', '--quiet', '--message', 'Halve');
  // The change is not committed: the tree as it is now is what is proved.
  write(
    'packages/half/half.ts',
    'export function half(n: number): number {',
    "  if (n % 2 !== 0) throw new RangeError('odd');",
    "  if (n > 1e9) throw new RangeError('large');",
    '  return n / 2;',
    '}',
    'export const third = (n: number): number => n / 3;',
  );
  write(
    'packages/use/half.test.ts',
    "import { half } from '@own/half';",
    "import { expect, test } from 'vitest';",
    "test('an odd number is refused', () => expect(() => half(3)).toThrow('odd'));",
    "test('an even number is halved', () => expect(half(4)).toBe(2));",
  );
  write(
    'packages/use/third.test.ts',
    "import { half, third } from '@own/half';",
    "import { expect, test } from 'vitest';",
    "test('a third', () => { expect(third(9)).toBe(3); expect(() => half(3)).toThrow('odd'); });",
  );
});
afterAll(() => rmSync(repository, { recursive: true, force: true }));

async function runs(over: Partial<ProveOptions>): Promise<readonly Evidence[]> {
  const options: ProveOptions = {
    tests: [{ file: 'packages/use/half.test.ts', name: 'an odd number is refused' }],
    base: 'HEAD',
    guards: [{ file: 'packages/half/half.ts', first: 2, last: 2 }],
    guardReplace: undefined,
    copies: [],
    allowMissing: false,
    ...over,
  };
  return prove(repository, options, () => {});
}

const faults = (evidence: readonly Evidence[]) => evidence.map(({ fault }) => fault);

describe('four runs', () => {
  test('a real guard with a real test is proved, across packages, and leaves nothing', async () => {
    const before = git('status', '--porcelain');
    const evidence = await runs({});
    expect(faults(evidence)).toEqual([undefined, undefined, undefined, undefined]);
    expect(evidence.map(({ result }) => result.failed.map(({ reason }) => reason))).toEqual([
      ['assertion'],
      [],
      [],
      ['assertion'],
    ]);
    expect(git('status', '--porcelain')).toBe(before);
    expect(git('worktree', 'list').trim().split('\n')).toHaveLength(1);
  });

  test('a test that passes on the base, and without the guard, proves nothing', async () => {
    const tests = [{ file: 'packages/use/half.test.ts', name: 'an even number is halved' }];
    const guards = [{ file: 'packages/half/half.ts', first: 3, last: 3 }];
    const evidence = await runs({ tests, guards });
    expect(faults(evidence)[0]).toBe('the test passes');
    expect(faults(evidence)[3]).toBe('the test passes');
  });

  test('a guard that the test never reaches is not proved by its failure elsewhere', async () => {
    const evidence = await runs({ guards: [{ file: 'packages/half/half.ts', first: 3, last: 4 }] });
    expect(faults(evidence)[2]).toBe('packages/half/half.ts:3-4: never executed: line 3, 4');
    expect(faults(evidence)[3]).toBe('the test passes');
  });

  test('a failure because a name is missing shows nothing unless it is allowed', async () => {
    const tests = [{ file: 'packages/use/third.test.ts', name: undefined }];
    expect(faults(await runs({ tests }))[0]).toMatch(/something is missing/);
    expect(faults(await runs({ tests, allowMissing: true }))[0]).toBeUndefined();
  });

  test('code that no longer parses without the guard shows nothing either', async () => {
    const guards = [{ file: 'packages/half/half.ts', first: 1, last: 2 }];
    expect(faults(await runs({ guards }))[3]).toMatch(/does not parse/);
    const guardReplace = 'export function half(n: number): number {';
    expect(faults(await runs({ guards, guardReplace }))[3]).toBeUndefined();
  });

  test('a name that no test has is no proof', async () => {
    const tests = [{ file: 'packages/use/half.test.ts', name: 'nowhere' }];
    expect(new Set(faults(await runs({ tests })))).toEqual(new Set(['no such test ran']));
  });
});
