/** Cleaning a recording: what of a value stays, and what gives way. */
import { describe, expect, test } from 'vitest';
import { knownFrom, renamed, strippedValue } from './strip.ts';

const PROSE =
  'You are an assistant that helps people with their code and answers every question at length.';
const KNOWN = knownFrom(
  ['Why is the cart empty after midnight?'],
  [
    ['/tmp/run1/home', '/home/dev'],
    ['/tmp/run1', '/nowhere'],
  ],
);
const left = (text: string): string => `[vendor text left out: ${Buffer.byteLength(text)} bytes]`;

describe('a text', () => {
  test('of the vendor gives way, of the script or a few words stays', () => {
    expect(strippedValue(PROSE, KNOWN)).toBe(left(PROSE));
    expect(strippedValue('Why is the cart empty after midnight?', KNOWN)).toContain('cart');
    expect(strippedValue('Edited one file.', KNOWN)).toBe('Edited one file.');
  });

  test('is taken line by line: known lines stay between what gives way', () => {
    const words = 'Why is the cart empty after midnight?';
    expect(strippedValue(`${PROSE}\n${words}\n${PROSE}`, KNOWN)).toBe(
      `${left(PROSE)}\n${words}\n${left(PROSE)}`,
    );
  });

  test('in angle brackets keeps its tag', () => {
    expect(strippedValue(`<rules>${PROSE}</rules>`, KNOWN)).toBe(`<rules>${left(PROSE)}</rules>`);
  });

  test('that is a path of many names is no prose', () => {
    const path =
      '/home/dev/.pi/agent/sessions/--home-dev-uploads--/' +
      '2026-12-01T13-32-50-456Z_01a231ce-dd96-73ff-afa4-cff2102a91a7-ab-cd-ef.jsonl';
    expect(strippedValue(path, KNOWN)).toBe(path);
  });

  test('that holds JSON is cleaned within, and left as it is where nothing is taken', () => {
    expect(strippedValue(JSON.stringify({ prompt: PROSE }), KNOWN)).toBe(
      JSON.stringify({ prompt: left(PROSE) }),
    );
    expect(strippedValue('{ "a":  1 }', KNOWN)).toBe('{ "a":  1 }');
  });
});

test('tools keep their names only', () => {
  const tools = [
    { name: 'read', description: PROSE, input_schema: {} },
    { type: 'function', function: { name: 'edit', description: PROSE } },
  ];
  expect(strippedValue(tools, KNOWN)).toEqual([{ name: 'read' }, { name: 'edit' }]);
});

test("the machine's paths are renamed, the longest first, in keys too", () => {
  expect(renamed('/tmp/run1/home/a and /tmp/run1/b', KNOWN)).toBe('/home/dev/a and /nowhere/b');
  expect(strippedValue({ '/tmp/run1/home': 1 }, KNOWN)).toEqual({ '/home/dev': 1 });
});
