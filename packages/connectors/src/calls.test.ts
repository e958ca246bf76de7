/** Names of calls: joined by id, bounded, safe with any id. */
import { expect, test } from 'vitest';
import { type CallNames, forgetCall, rememberCall, toolOfCall } from './calls.ts';
import { OPEN_CALLS_MAX } from './reading/limits.ts';

test('a call is known by its id until it is answered, the last one of an id first', () => {
  let calls: CallNames = [];
  calls = rememberCall(calls, 'c1', 'Bash');
  calls = rememberCall(calls, '__proto__', 'Read');
  calls = rememberCall(calls, 'c1', 'Grep');
  expect([toolOfCall(calls, 'c1'), toolOfCall(calls, '__proto__')]).toEqual(['Grep', 'Read']);
  calls = forgetCall(calls, 'c1');
  expect([toolOfCall(calls, 'c1'), toolOfCall(calls, 'constructor')]).toEqual(['', '']);
});

test('very many calls without results leave the last ones', () => {
  let calls: CallNames = [];
  for (let n = 0; n < OPEN_CALLS_MAX + 10; n += 1) calls = rememberCall(calls, `c${n}`, 'Bash');
  expect(calls).toHaveLength(OPEN_CALLS_MAX);
  expect([toolOfCall(calls, 'c9'), toolOfCall(calls, 'c10')]).toEqual(['', 'Bash']);
});

test('a call without id or name is not remembered', () => {
  expect(rememberCall(rememberCall([], '', 'Bash'), 'c1', '')).toEqual([]);
});
