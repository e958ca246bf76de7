/** What replaces a statement stands above it, however many versions there are. */
import { expect, test } from 'vitest';
import { liftNewer, type Ranked } from './hits.ts';

/** A hit of a session of its own; `at` says which came later. */
function hit(id: number, score: number, text: string, at: number): Ranked {
  const terms = text.toLowerCase().split(' ');
  const passage = {
    position: id,
    id,
    messageId: `m${id}`,
    partOrdinal: 0,
    kind: 'text',
    role: 'user',
    author: '',
    at,
    ranked: true,
    text,
    terms,
  } as const;
  return { index: id, passage, score, copies: [], supersedes: [], lift: 0 };
}

const lifted = (hits: readonly Ranked[]): Ranked[] =>
  liftNewer(hits, [], 0.3, (passage) => passage.id);
const orderOf = (hits: readonly Ranked[]): string[] => hits.map((each) => each.passage.messageId);

test('of three versions the newest stands first, then the one before it', () => {
  const hits = [
    hit(0, 1, 'use port 7443 for staging', 1),
    hit(1, 0.9, 'now use port 8443 for staging', 2),
    hit(2, 0.8, 'now use port 9443 for staging', 3),
    hit(3, 0.7, 'lunch at noon', 1),
    hit(4, 0.6, 'tea at four', 1),
  ];
  const order = lifted(hits);
  expect(orderOf(order)).toEqual(['m2', 'm1', 'm0', 'm3', 'm4']);
  expect(order.slice(0, 2).map((each) => each.supersedes)).toEqual([['m1'], ['m0']]);
  for (const each of order) {
    expect(each.score - each.lift).toBeCloseTo(hits[each.index]?.score ?? 0, 12);
  }
});

test('the order stays that of the scores where others have the score of what is replaced', () => {
  const order = lifted([
    hit(0, 1, 'lunch at noon', 1),
    hit(1, 1, 'use port 7443 for staging', 1),
    hit(2, 0.5, 'now use port 8443 for staging', 2),
  ]);
  const scores = order.map((each) => each.score);
  expect(scores).toEqual([...scores].sort((a, b) => b - a));
  expect(orderOf(order).indexOf('m2')).toBeLessThan(orderOf(order).indexOf('m1'));
});
