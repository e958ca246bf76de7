/**
 * The pieces of a vocabulary as a trie over UTF-16 units, laid out in flat arrays.
 *
 * Layout: an edge is the pair (node, unit), hashed into one open-addressing table. A node is the
 * number of the edge that leads to it; node 0 is the root. Building happens once; walking allocates
 * nothing.
 */
import { assert } from '@quipu/base';

export type Piece = { readonly text: string; readonly id: number; readonly score: number };

const NONE = -1;
/** Units fit 16 bits, so that node · 2¹⁶ + unit is an exact key. */
const UNITS = 65_536;

export class PieceTrie {
  #keys: Float64Array;
  #targets: Int32Array;
  #mask: number;
  #ids: Int32Array;
  #scores: Float64Array;
  #nodes = 1;

  constructor(pieces: readonly Piece[]) {
    const nodesMax = 1 + pieces.reduce((sum, piece) => sum + piece.text.length, 0);
    let slots = 16;
    while (slots < nodesMax * 2) slots *= 2;
    this.#mask = slots - 1;
    this.#keys = new Float64Array(slots).fill(NONE);
    this.#targets = new Int32Array(slots);
    this.#ids = new Int32Array(nodesMax).fill(NONE);
    this.#scores = new Float64Array(nodesMax);
    for (const piece of pieces) this.#insert(piece);
  }

  /** The node behind this unit, or -1. */
  step(node: number, unit: number): number {
    const slot = this.#slotOf(node, unit);
    return this.#keys[slot] === NONE ? NONE : (this.#targets[slot] ?? NONE);
  }

  /** The id of the piece that ends at this node, or -1. */
  idAt(node: number): number {
    return this.#ids[node] ?? NONE;
  }

  scoreAt(node: number): number {
    return this.#scores[node] ?? 0;
  }

  /** A piece listed twice has the id and score of its last listing. */
  #insert(piece: Piece): void {
    assert(piece.text.length > 0, 'a piece has text');
    let node = 0;
    for (let i = 0; i < piece.text.length; i += 1) {
      const unit = piece.text.charCodeAt(i);
      const slot = this.#slotOf(node, unit);
      if (this.#keys[slot] === NONE) {
        this.#keys[slot] = node * UNITS + unit;
        this.#targets[slot] = this.#nodes;
        this.#nodes += 1;
      }
      node = this.#targets[slot] ?? NONE;
    }
    this.#ids[node] = piece.id;
    this.#scores[node] = piece.score;
  }

  /** Where the edge is, or the free slot where it would be. */
  #slotOf(node: number, unit: number): number {
    const key = node * UNITS + unit;
    // Fibonacci hashing on both halves of the key.
    let slot = (Math.imul(node, 0x9e3779b1) ^ Math.imul(unit, 0x85ebca6b)) >>> 0;
    slot = (slot ^ (slot >>> 15)) & this.#mask;
    while (this.#keys[slot] !== NONE && this.#keys[slot] !== key) slot = (slot + 1) & this.#mask;
    return slot;
  }
}
