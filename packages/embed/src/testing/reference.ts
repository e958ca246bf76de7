/**
 * Vectors of the model's own TensorFlow.js runtime, for tests.
 * How they were made: `fixtures/make-reference.cjs`.
 */
import { readFileSync } from 'node:fs';
import { assert } from '@quipu/base';

export type ReferenceEntry = {
  readonly text: string;
  readonly tokens: readonly number[];
  /** In proportion to the vector, not at unit length. */
  readonly vector: Float32Array;
};

export function referenceEntries(): ReferenceEntry[] {
  const path = new URL('../../fixtures/reference-vectors.json', import.meta.url);
  const parsed: unknown = JSON.parse(readFileSync(path, 'utf8'));
  assert(Array.isArray(parsed) && parsed.length > 0, 'the fixture is a list');
  return parsed.map((entry: { text: string; tokens: number[]; vector: string }) => {
    const bytes = Uint8Array.from(Buffer.from(entry.vector, 'base64'));
    return { ...entry, vector: Float32Array.from(new Int16Array(bytes.buffer)) };
  });
}

export function cosine(a: Float32Array, b: Float32Array): number {
  assert(a.length === b.length, 'vectors of one model have one length');
  let product = 0;
  let squaresA = 0;
  let squaresB = 0;
  for (let i = 0; i < a.length; i += 1) {
    product += (a[i] ?? 0) * (b[i] ?? 0);
    squaresA += (a[i] ?? 0) ** 2;
    squaresB += (b[i] ?? 0) ** 2;
  }
  return product / Math.sqrt(squaresA * squaresB);
}
