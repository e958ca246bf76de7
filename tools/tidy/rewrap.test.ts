import { expect, test } from 'vitest';
import { rewrapped } from './rewrap.ts';

const words = (count: number): string => Array.from({ length: count }, () => 'word').join(' ');

test('words that do not fit move to the next line of the paragraph', () => {
  const text = ['/**', ` * ${words(20)}`, ' * and on.', ' */', 'code();'].join('\n');
  const wrapped = ['/**', ` * ${words(19)}`, ' * word and on.', ' */', 'code();'].join('\n');
  expect(rewrapped(text)).toBe(wrapped);
  expect(rewrapped(wrapped)).toBe(wrapped);
});

test('they get a line of their own before a list, a gap or the end', () => {
  for (const next of [' * - item', ' *', ' */']) {
    const text = ['/**', ` * ${words(20)}`, next].join('\n');
    expect(rewrapped(text)).toBe(['/**', ` * ${words(19)}`, ' * word', next].join('\n'));
  }
});

test('code, and a word that is too long to break, stay as they are', () => {
  const text = [`const x = '${words(30)}';`, `// ${'x'.repeat(120)}`].join('\n');
  expect(rewrapped(text)).toBe(text);
});
