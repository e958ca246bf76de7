/**
 * Weights as 8-bit integers with one scale a column (or a row): a quarter of the size.
 *
 * Decides: symmetric quantisation, `scale = max |w| / 127` over the column, no zero point. The
 * runtime multiplies back before it computes, so a result does not depend on what else is in a
 * batch.
 */
import { assert } from '@quipu/base';

export type Quantised = {
  readonly bytes: Int8Array;
  /** One for each column or row. */
  readonly scales: Float32Array;
};

export type Matrix = {
  readonly rows: number;
  readonly columns: number;
  /** Row by row. */
  readonly values: Float32Array;
};

const STEPS = 127;

/** One scale for each column (`by: 'column'`) or each row. */
export function quantise(matrix: Matrix, by: 'column' | 'row'): Quantised {
  const { rows, columns, values } = matrix;
  assert(values.length === rows * columns, 'a matrix holds rows × columns values');
  const scales = new Float32Array(by === 'column' ? columns : rows);
  const groupOf = (index: number): number =>
    by === 'column' ? index % columns : Math.floor(index / columns);
  for (let i = 0; i < values.length; i += 1) {
    const group = groupOf(i);
    scales[group] = Math.max(scales[group] ?? 0, Math.abs(values[i] ?? 0));
  }
  // A group of zeros keeps a scale that can be divided by.
  for (let g = 0; g < scales.length; g += 1) scales[g] = (scales[g] || 1) / STEPS;
  const bytes = new Int8Array(values.length);
  for (let i = 0; i < values.length; i += 1) {
    bytes[i] = Math.round((values[i] ?? 0) / (scales[groupOf(i)] ?? 1));
  }
  return { bytes, scales };
}
