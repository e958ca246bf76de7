/** What is read of a source, by what is known of it. */
import type { StoredCursor } from '@quipu/memory';
import { expect, test } from 'vitest';
import { planReading } from './plan.ts';

const cursor: StoredCursor = {
  position: 50,
  prefixDigest: 'same',
  size: 80,
  mtimeMs: 7,
  readerVersion: 2,
  parser: {},
  pass: { sessions: {} },
};

const plan = (more: Partial<Parameters<typeof planReading>[0]>) =>
  planReading({
    feed: 'lines',
    state: { size: 80, changedMs: 7 },
    cursor,
    readerVersion: 2,
    prefixDigest: async () => 'same',
    ...more,
  }).then((made) => (made.kind === 'anew' ? made.reason : made.kind));

test.each([
  ['nothing is known', { cursor: undefined }, 'new'],
  ['the reader is another, though the file is the same', { readerVersion: 3 }, 'reader-changed'],
  ['size and time are the same', {}, 'unchanged'],
  ['the time is earlier', { state: { size: 80, changedMs: 6 } }, 'resume'],
  ['it grew', { state: { size: 99, changedMs: 8 } }, 'resume'],
  ['it grew and its beginning is another', { prefix: 'other' }, 'rewritten'],
  ['it is shorter than what was read', { state: { size: 49, changedMs: 8 } }, 'rewritten'],
  ['a document changed', { feed: 'document', state: { size: 81, changedMs: 8 } }, 'rewritten'],
  ['a database looks the same', { feed: 'rows' }, 'resume'],
] as const)('%s', async (_, given, expected) => {
  const { prefix, ...more } = { prefix: 'same', ...given } as { prefix: string };
  const grown = prefix === 'other' ? { state: { size: 99, changedMs: 8 } } : {};
  expect(await plan({ ...grown, ...more, prefixDigest: async () => prefix })).toBe(expected);
});
