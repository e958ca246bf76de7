/**
 * How a source is to be read, given what is known of it.
 *
 * Decides, purely: nothing (unchanged), from the cursor on (it only grew), or from the start. Being
 * wrong toward "from the start" costs time and nothing else, since admission knows every message
 * again; being wrong toward "unchanged" loses data. So "unchanged" needs size and change time to be
 * equal, and "from the cursor" needs the digest of every byte before it.
 */
import type { FeedKind } from '@quipu/connectors';
import type { StoredCursor } from '@quipu/memory';

export type SourceState = {
  readonly size: number;
  /** The later of modification and inode change: a copied-back old time does not hide a rewrite. */
  readonly changedMs: number;
};

export type ReadingPlan =
  | { readonly kind: 'unchanged' }
  | { readonly kind: 'resume'; readonly cursor: StoredCursor }
  | { readonly kind: 'anew'; readonly reason: 'new' | 'reader-changed' | 'rewritten' };

export type PlanInput = {
  readonly feed: FeedKind;
  readonly state: SourceState;
  readonly cursor: StoredCursor | undefined;
  readonly readerVersion: number;
  /** Digest of the source's first `cursor.position` bytes now; undefined when it is shorter. */
  readonly prefixDigest: () => Promise<string | undefined>;
};

export async function planReading(input: PlanInput): Promise<ReadingPlan> {
  const { cursor, state } = input;
  if (cursor === undefined) return { kind: 'anew', reason: 'new' };
  if (cursor.readerVersion !== input.readerVersion) {
    return { kind: 'anew', reason: 'reader-changed' };
  }
  // A database tells by its rows what is new; its file may stay the same while its log grows.
  if (input.feed === 'rows') return { kind: 'resume', cursor };
  if (state.size === cursor.size && state.changedMs === cursor.mtimeMs) {
    return { kind: 'unchanged' };
  }
  if (input.feed === 'document') return { kind: 'anew', reason: 'rewritten' };
  if (state.size < cursor.position) return { kind: 'anew', reason: 'rewritten' };
  const digest = await input.prefixDigest();
  if (digest !== cursor.prefixDigest) return { kind: 'anew', reason: 'rewritten' };
  return { kind: 'resume', cursor };
}
