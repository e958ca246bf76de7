import { expect, test } from 'vitest';
import { notExecuted, withoutGuards } from './guard.ts';
import { parseOptions } from './options.ts';

const guard = (first: number, last = first) => ({ file: 'a.ts', first, last });

test('guards are taken out by the numbers of the text as it is, whatever their order', () => {
  expect(withoutGuards('1\n2\n3\n4\n5', [guard(2), guard(4, 5)], undefined)).toBe('1\n3');
  expect(withoutGuards('1\n2\n3\n4\n5', [guard(4, 5), guard(2)], 'x')).toBe('1\nx\n3\nx');
  expect(() => withoutGuards('1\n2', [guard(3)], undefined)).toThrow('has 2 lines');
});

const coverage = {
  statementMap: {
    '0': { start: { line: 1 }, end: { line: 9 } },
    '1': { start: { line: 2 }, end: { line: 4 } },
    '2': { start: { line: 3 }, end: { line: 3 } },
  },
  s: { '0': 5, '1': 5, '2': 0 },
};

test('a guard is executed when every statement that begins on it ran', () => {
  expect(notExecuted(coverage, guard(2))).toBeUndefined();
  expect(notExecuted(coverage, guard(2, 3))).toBe('a.ts:2-3: never executed: line 3');
});

test('a line inside a statement counts with the smallest statement around it', () => {
  expect(notExecuted(coverage, guard(4))).toBeUndefined();
  expect(notExecuted(coverage, guard(12))).toBe('a.ts:12-12: no statement stands there');
  expect(notExecuted(undefined, guard(2))).toBe('a.ts:2-2: the test does not load this file');
});

test('arguments are read whole, and a mistake is a sentence', () => {
  const needed = ['--test', 'a/x.test.ts:says: no', '--base', 'HEAD~1', '--guard', 'a/x.ts:3-5'];
  expect(parseOptions([...needed, '--allow-missing', '--copy', 'a/f.json'])).toEqual({
    tests: [{ file: 'a/x.test.ts', name: 'says: no' }],
    base: 'HEAD~1',
    guards: [{ file: 'a/x.ts', first: 3, last: 5 }],
    guardReplace: undefined,
    copies: ['a/f.json'],
    allowMissing: true,
  });
  expect(parseOptions(needed.slice(2))).toBe('--test, --base and --guard are all needed.');
  expect(parseOptions(['--guard', 'a.ts'])).toBe("'a.ts' is not FILE:LINE or FILE:LINE-LINE.");
  expect(parseOptions(['--guard', 'a.ts:5-3'])).toContain('lines count from 1');
  expect(parseOptions(['--frob'])).toBe("'--frob' is no option.");
  expect(parseOptions(['--test'])).toBe('--test needs a value.');
});
