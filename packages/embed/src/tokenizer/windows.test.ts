/** Splitting long texts, batching them, and putting their vectors together. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { batchesOf, VectorSums, windowsOf } from './windows.ts';

const encodings = fc.array(
  fc.array(fc.nat(8_001), { maxLength: 300 }).map((ids) => Int32Array.from(ids)),
  { maxLength: 30 },
);

test('windows of a text laid end to end are the text', () => {
  fc.assert(
    fc.property(encodings, fc.integer({ min: 1, max: 128 }), (encoded, tokensMax) => {
      const windows = windowsOf(encoded, tokensMax);
      for (const window of windows) {
        expect(window.ids.length).toBeGreaterThan(0);
        expect(window.ids.length).toBeLessThanOrEqual(tokensMax);
      }
      const joined = encoded.map((_, text) =>
        windows.filter((window) => window.text === text).flatMap(({ ids }) => [...ids]),
      );
      expect(joined).toEqual(encoded.map((ids) => [...ids]));
    }),
  );
});

test('each window is in one batch, batches fit, and lengths only grow', () => {
  fc.assert(
    fc.property(encodings, fc.integer({ min: 1, max: 600 }), (encoded, tokensMax) => {
      const windows = windowsOf(encoded, 128);
      const batches = batchesOf(windows, tokensMax);
      const lengths = batches.map((batch) => batch.map((i) => windows[i]?.ids.length ?? 0));
      for (const batch of lengths) {
        expect(batch.length === 1 || batch.length * Math.max(...batch) <= tokensMax).toBe(true);
      }
      expect(lengths.flat()).toEqual([...lengths.flat()].sort((a, b) => a - b));
      const all = batches.flat().sort((a, b) => a - b);
      expect(all).toEqual(windows.map((_, index) => index));
    }),
  );
});

test('the vector of a split text weighs its windows by their tokens', () => {
  const sums = new VectorSums(1, 2);
  sums.add({ text: 0, ids: new Int32Array(3) }, Float32Array.of(1, 0));
  sums.add({ text: 0, ids: new Int32Array(4) }, Float32Array.of(0, 1));
  const [x, y] = sums.finish();
  expect(x).toBeCloseTo(3 / 5, 6);
  expect(y).toBeCloseTo(4 / 5, 6);
});

test('a text without windows has the zero vector, and its neighbours keep theirs', () => {
  const sums = new VectorSums(3, 2);
  sums.add({ text: 2, ids: new Int32Array(1) }, Float32Array.of(0, 2));
  expect([...sums.finish()]).toEqual([0, 0, 0, 0, 0, 1]);
});
