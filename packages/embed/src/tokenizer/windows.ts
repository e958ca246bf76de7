/**
 * Long texts in pieces that the model can take, and their vectors put together again.
 *
 * Decides: a text is cut every `tokensMax` tokens, nothing is dropped, and its vector is the mean
 * of the pieces' vectors weighted by their tokens, at unit length. A text without tokens has the
 * zero vector: it resembles nothing.
 */
import { assert } from '@quipu/base';

export type Window = {
  /** Which text of the request. */
  readonly text: number;
  readonly ids: Int32Array;
};

export function windowsOf(encoded: readonly Int32Array[], tokensMax: number): Window[] {
  assert(tokensMax > 0, 'a window holds a token');
  const windows: Window[] = [];
  encoded.forEach((ids, text) => {
    for (let start = 0; start < ids.length; start += tokensMax) {
      windows.push({ text, ids: ids.subarray(start, start + tokensMax) });
    }
  });
  return windows;
}

/**
 * Groups windows of like length, shortest first, so that little is padded. The result holds the
 * windows' indices. A batch has at most `tokensMax` tokens, padding counted, and at least one
 * window.
 */
export function batchesOf(windows: readonly Window[], tokensMax: number): number[][] {
  const lengthOf = (index: number): number => windows[index]?.ids.length ?? 0;
  const order = windows.map((_, index) => index).sort((a, b) => lengthOf(a) - lengthOf(b));
  const batches: number[][] = [];
  let batch: number[] = [];
  for (const index of order) {
    if (batch.length > 0 && (batch.length + 1) * lengthOf(index) > tokensMax) {
      batches.push(batch);
      batch = [];
    }
    batch.push(index);
  }
  if (batch.length > 0) batches.push(batch);
  return batches;
}

/** Adds vectors of windows up to vectors of texts. */
export class VectorSums {
  readonly #dimensions: number;
  readonly #sums: Float32Array;

  constructor(texts: number, dimensions: number) {
    this.#dimensions = dimensions;
    this.#sums = new Float32Array(texts * dimensions);
  }

  add(window: Window, vector: Float32Array): void {
    assert(vector.length === this.#dimensions, 'a vector has the dimensions of its model');
    const offset = window.text * this.#dimensions;
    for (let i = 0; i < vector.length; i += 1) {
      this.#sums[offset + i] = (this.#sums[offset + i] ?? 0) + (vector[i] ?? 0) * window.ids.length;
    }
  }

  /** Text after text, each at unit length or zero. */
  finish(): Float32Array {
    for (let offset = 0; offset < this.#sums.length; offset += this.#dimensions) {
      const vector = this.#sums.subarray(offset, offset + this.#dimensions);
      let squares = 0;
      for (const value of vector) squares += value * value;
      if (squares === 0) continue;
      const length = Math.sqrt(squares);
      for (let i = 0; i < vector.length; i += 1) vector[i] = (vector[i] ?? 0) / length;
    }
    return this.#sums;
  }
}
