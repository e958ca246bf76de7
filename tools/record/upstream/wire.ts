/**
 * What each wire of the upstream offers.
 *
 * Decides: the two sides of a wire. `asked` reads a request; `events` gives the stream of a reply
 * as server-sent events; `whole` the same reply as one JSON body. Ids come from `Ids`, which never
 * gives one twice, over restarts too: a program that resumes a session takes a repeated id for a
 * rewrite.
 */
import { randomBytes } from 'node:crypto';
import type { Json } from './json.ts';
import type { Asked, Reply } from './script.ts';

export type Said = {
  readonly model: string;
  readonly reply: Reply;
  readonly inputTokens: number;
  readonly outputTokens: number;
};

export type WireEvent = { readonly event?: string; readonly body: unknown };

export type Wire = {
  readonly asked: (body: Json, path: string) => Asked;
  readonly events: (said: Said, ids: Ids) => readonly WireEvent[];
  readonly whole: (said: Said, ids: Ids) => unknown;
  /** What ends the stream after the last event, if anything does. */
  readonly end: string;
};

export class Ids {
  readonly #run = randomBytes(6).toString('hex');
  #count = 0;

  next(prefix: string): string {
    this.#count += 1;
    return `${prefix}_${this.#run}${String(this.#count).padStart(6, '0')}`;
  }
}

/** What stands for a provider's signature over hidden thoughts. */
export const SIGNATURE = Buffer.from('signature of scripted thoughts').toString('base64');
