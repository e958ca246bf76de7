/** Claims about time: a megabyte of crafted text takes seconds at most, ordinary text far less. */
import { describe, expect, it } from 'vitest';
import { createRedactor } from './redactor.ts';

const redactor = createRedactor();
const MEGABYTE = 1_000_000;
const repeated = (piece: string): string => piece.repeat(Math.ceil(MEGABYTE / piece.length));

/** Slow machines included; before each guard was there, these took minutes. */
const SECONDS_MAX = 20;

const CRAFTED: Readonly<Record<string, string>> = {
  'names without end': repeated('password='),
  'quotes without end': `password="${repeated('aB3')}`,
  'escaped quotes': repeated('password=\\"'),
  'token words': repeated('token'),
  'beginnings of a JWT': repeated('eyJ'),
  'beginnings of addresses': repeated('://a:'),
  'ends of private keys': repeated('-----END PRIVATE KEY-----\n'),
  'beginnings of private keys': repeated('-----BEGIN PRIVATE KEY-----\nabc '),
  'key material without end': `-----BEGIN PRIVATE KEY-----\n${repeated(`${'AAAA'.repeat(16)}\n`)}`,
  'base64 without end': repeated('aGVsbG8gd29y\n'),
  'base64 of text': Buffer.from(repeated('just readable text ')).toString('base64'),
  'joined quotes': repeated('a"+"a'),
  'wrapped tokens': repeated('ghp_a1\n'),
  'continued lines': repeated('a\\\n'),
  'cookies without end': `cookie: ${repeated('a=b;')}`,
  'one letter': repeated('a'),
  blanks: repeated(' '),
  backslashes: repeated('\\'),
  placeholders: repeated('[redacted:x]'),
};

describe('crafted text is searched in bounded time', () => {
  it.each(Object.entries(CRAFTED))('%s', (_, text) => {
    const start = performance.now();
    redactor.redact(text);
    expect((performance.now() - start) / 1000).toBeLessThan(SECONDS_MAX);
  });
});

describe('a value longer than any limit', () => {
  it('goes to its end', () => {
    const value = 'aB3dE5gH7jK9'.repeat(3_000);
    expect(redactor.redact(`PASSWORD=${value} end`).text).toBe('PASSWORD=[redacted:password] end');
  });
});
