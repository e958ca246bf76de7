/**
 * What waits for the worker: two lanes of slices, bounded together, a share reserved for queries.
 *
 * Decides: whether a request is let in, and which slice goes to the worker next. Queries go first
 * and may use the whole room; background work may not use the reserved share. A slice in the worker
 * still takes its place, until `release`.
 */
import { assert } from '@quipu/base';
import {
  BACKGROUND_SLICES_IN_WORKER,
  QUERY_SLICES_IN_WORKER,
  SLICE_CHARS_MAX,
  SLICE_TEXTS_MAX,
  WAITING_CHARS_FOR_QUERIES,
  WAITING_CHARS_MAX,
  WAITING_TEXTS_FOR_QUERIES,
  WAITING_TEXTS_MAX,
} from '../limits.ts';
import type { Priority } from './protocol.ts';

export type Slice = {
  readonly id: number;
  /** The request that it is a part of. */
  readonly request: number;
  readonly priority: Priority;
  /** Index of the first text in the request. */
  readonly start: number;
  readonly texts: readonly string[];
};

type Lane = { readonly waiting: Slice[]; readonly inWorker: Map<number, Slice> };

export class WaitingRoom {
  readonly #lanes: Readonly<Record<Priority, Lane>> = {
    query: { waiting: [], inWorker: new Map() },
    background: { waiting: [], inWorker: new Map() },
  };
  #texts = 0;
  #chars = 0;
  #nextId = 1;

  /** Cuts the request into slices and takes them all, or returns false and takes none. */
  admit(request: number, priority: Priority, texts: readonly string[]): boolean {
    const chars = charsOf(texts);
    const isQuery = priority === 'query';
    const textsMax = WAITING_TEXTS_MAX - (isQuery ? 0 : WAITING_TEXTS_FOR_QUERIES);
    const charsMax = WAITING_CHARS_MAX - (isQuery ? 0 : WAITING_CHARS_FOR_QUERIES);
    if (this.#texts + texts.length > textsMax || this.#chars + chars > charsMax) return false;
    this.#texts += texts.length;
    this.#chars += chars;
    for (const { start, end } of cuts(texts)) {
      const id = this.#nextId;
      this.#nextId += 1;
      const slice = { id, request, priority, start, texts: texts.slice(start, end) };
      this.#lanes[priority].waiting.push(slice);
    }
    return true;
  }

  /** The next slice for the worker, now counted as in it; undefined when it has enough. */
  next(): Slice | undefined {
    return (
      this.#take(this.#lanes.query, QUERY_SLICES_IN_WORKER) ??
      this.#take(this.#lanes.background, BACKGROUND_SLICES_IN_WORKER)
    );
  }

  /** The worker answered this slice. Undefined when it is not in the worker. */
  release(id: number): Slice | undefined {
    for (const lane of Object.values(this.#lanes)) {
      const slice = lane.inWorker.get(id);
      if (slice === undefined) continue;
      lane.inWorker.delete(id);
      this.#leave(slice);
      return slice;
    }
    return undefined;
  }

  /** Drops what waits of a request; returns the ids of its slices that are in the worker. */
  withdraw(request: number): number[] {
    const inWorker: number[] = [];
    for (const lane of Object.values(this.#lanes)) {
      const gone = lane.waiting.filter((slice) => slice.request === request);
      if (gone.length > 0) {
        lane.waiting.splice(
          0,
          lane.waiting.length,
          ...lane.waiting.filter((slice) => slice.request !== request),
        );
      }
      for (const slice of gone) this.#leave(slice);
      for (const slice of lane.inWorker.values()) {
        if (slice.request === request) inWorker.push(slice.id);
      }
    }
    return inWorker;
  }

  /** The worker is gone, and with it everything: returns what was waiting or in it. */
  clear(): Slice[] {
    const all: Slice[] = [];
    for (const lane of Object.values(this.#lanes)) {
      all.push(...lane.inWorker.values(), ...lane.waiting);
      lane.inWorker.clear();
      lane.waiting.length = 0;
    }
    for (const slice of all) this.#leave(slice);
    assert(this.#texts === 0, 'an empty room holds no text');
    return all;
  }

  get isEmpty(): boolean {
    return this.#texts === 0;
  }

  #take(lane: Lane, inWorkerMax: number): Slice | undefined {
    if (lane.inWorker.size >= inWorkerMax) return undefined;
    const slice = lane.waiting.shift();
    if (slice !== undefined) lane.inWorker.set(slice.id, slice);
    return slice;
  }

  #leave(slice: Slice): void {
    this.#texts -= slice.texts.length;
    this.#chars -= charsOf(slice.texts);
  }
}

/** Runs of texts that stay within a slice's limits; a text longer than one is alone. */
function cuts(texts: readonly string[]): { start: number; end: number }[] {
  const result: { start: number; end: number }[] = [];
  let start = 0;
  let chars = 0;
  texts.forEach((text, index) => {
    const isFull = index - start >= SLICE_TEXTS_MAX || chars + text.length > SLICE_CHARS_MAX;
    if (index > start && isFull) {
      result.push({ start, end: index });
      start = index;
      chars = 0;
    }
    chars += text.length;
  });
  if (start < texts.length) result.push({ start, end: texts.length });
  return result;
}

function charsOf(texts: readonly string[]): number {
  return texts.reduce((sum, text) => sum + text.length, 0);
}
