/** Accessors over unknown JSON: wrong types, prototype keys, deep nesting, times. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  base64Digest,
  compactJson,
  firstStringAt,
  isTrueAt,
  listAt,
  numberAt,
  objectAt,
  parseJson,
  parseObject,
  stringAt,
  timeOf,
  valueAt,
} from './json.ts';

describe('access', () => {
  test('a prototype key finds what the transcript holds, never what the language does', () => {
    expect(valueAt({}, 'constructor')).toBe(undefined);
    expect(valueAt({}, '__proto__')).toBe(undefined);
    expect(stringAt(parseObject('{"__proto__":"mine"}'), '__proto__')).toBe('mine');
  });

  test('another type answers the empty value of the type asked for', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.string(), (value, key) => {
        expect(typeof stringAt(value, key)).toBe('string');
        expect(Array.isArray(listAt(value, key))).toBe(true);
        expect([true, false]).toContain(isTrueAt(value, key));
        const number = numberAt(value, key);
        expect(number === undefined || Number.isFinite(number)).toBe(true);
        const object = objectAt(value, key);
        expect(object === undefined || !Array.isArray(object)).toBe(true);
      }),
    );
  });

  test('a list or a scalar is not an object', () => {
    expect(parseObject('[1]')).toBe(undefined);
    expect(parseObject('7')).toBe(undefined);
    expect(parseObject('null')).toBe(undefined);
    expect(parseObject('{"a":')).toBe(undefined);
  });

  test('the first non-empty string wins', () => {
    expect(firstStringAt({ a: '', b: 7, c: 'yes', d: 'no' }, 'a', 'b', 'c', 'd')).toBe('yes');
    expect(firstStringAt({ a: 1 }, 'a')).toBe('');
  });

  test('nesting of 200,000 levels neither throws when read nor when written', () => {
    const deep = parseJson(`${'['.repeat(200_000)}${']'.repeat(200_000)}`);
    expect(typeof compactJson(deep)).toBe('string');
    expect(compactJson({ a: 1, b: 'x' })).toBe('{"a":1,"b":"x"}');
    expect(compactJson('text')).toBe('text');
    expect(compactJson(undefined)).toBe('');
  });
});

test('a lone surrogate becomes U+FFFD, a text that looks like its escape stays', () => {
  expect(compactJson({ a: 'x\uD800\uDBFF', '\uDC00': 1 })).toBe('{"a":"x\uFFFD\uFFFD","\uFFFD":1}');
  expect(compactJson({ a: '\\ud800', b: '\u{1F600}' })).toBe('{"a":"\\\\ud800","b":"\u{1F600}"}');
  expect(compactJson({ a: '\\\uD800' })).toBe('{"a":"\\\\\uFFFD"}');
});

describe('times', () => {
  const expected = Date.UTC(2026, 11, 1, 4, 58, 4, 123);
  test.each([
    ['2026-12-01T04:58:04.123Z', expected],
    ['2026-12-01T04:58:04.123', expected],
    ['2026-12-01 04:58:04.123', expected],
    ['2026-12-01 04:58:04,123', expected],
    ['2026-12-01T05:58:04.123+01:00', expected],
    ['2026-12-01T05:58:04.123+0100', expected],
    ['2026-12-01T04:58:04.123456Z', expected],
    ['2026-12-01', Date.UTC(2026, 11, 1)],
    ['2026-12-01T04:58', Date.UTC(2026, 11, 1, 4, 58)],
    [expected, expected],
    [Math.trunc(expected / 1000), expected - 123],
    [expected * 1000, expected],
    [String(expected), expected],
    ['yesterday', undefined],
    ['2026-13-01T00:00:00Z', undefined],
    ['', undefined],
    [-1, undefined],
    [Number.NaN, undefined],
    [null, undefined],
    [12, undefined],
    ['2026-12-01T04:58:04 Mars', undefined],
  ])('%j is %j', (value, ms) => {
    expect(timeOf(value)).toBe(ms);
  });

  test('no text makes it throw', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.double(), fc.jsonValue()), (value) => {
        const ms = timeOf(value);
        expect(ms === undefined || Number.isInteger(ms)).toBe(true);
      }),
    );
  });
});

test('an inline image is known by the digest of its bytes', () => {
  expect(base64Digest('aGVsbG8=')).toBe(
    '2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824',
  );
  expect(base64Digest('')).toBe('');
});
