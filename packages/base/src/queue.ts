/**
 * A first-in first-out queue with a stated capacity. Decides: a full queue is an answer (`false`),
 * never silent growth and never a silent drop.
 */
import { assert } from './assert.ts';

export class BoundedQueue<T> {
  readonly capacity: number;
  #items: T[] = [];
  #head = 0;

  constructor(capacity: number) {
    assert(Number.isInteger(capacity) && capacity > 0, 'queue capacity is a positive whole number');
    this.capacity = capacity;
  }

  get size(): number {
    return this.#items.length - this.#head;
  }

  /** Returns false, and takes nothing, when the queue is full. */
  push(item: T): boolean {
    if (this.size >= this.capacity) return false;
    this.#items.push(item);
    return true;
  }

  shift(): T | undefined {
    if (this.size === 0) return undefined;
    const item = this.#items[this.#head];
    this.#head += 1;
    if (this.#head > 64 && this.#head * 2 > this.#items.length) {
      this.#items = this.#items.slice(this.#head);
      this.#head = 0;
    }
    return item;
  }
}
