/**
 * Vectors for what has none yet: in the background, resumable, with progress.
 *
 * Decides: passages go to the model a batch at a time, in order of id; what is stored is what has
 * been done, so a killed run goes on where it was. A failure of the model ends the run by category;
 * nothing is marked as done that is not.
 */
import type { Embedder } from '@quipu/embed';
import type { Store } from '@quipu/store';
import { BACKFILL_BATCH_CHUNKS } from '../limits.ts';
import {
  pendingChunks,
  readVectorModel,
  storeQuestionMean,
  storeVectors,
} from '../recall/index.ts';
import { GENERIC_QUESTIONS } from './questions.ts';

export type BackfillOptions = {
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((done: number, total: number) => void) | undefined;
};

export type BackfillReport = {
  readonly stored: number;
  readonly pending: number;
  /** Why it ended before the end; null when it did not. */
  readonly category: string | null;
};

export async function backfillVectors(
  store: Store,
  embedder: Embedder | undefined,
  options: BackfillOptions,
): Promise<BackfillReport> {
  if (embedder === undefined) return { stored: 0, pending: pending(store, ''), category: 'off' };
  const model = embedder.model.digest;
  const total = pending(store, model);
  if (total === 0) return { stored: 0, pending: 0, category: null };
  let stored = 0;
  let after = 0;
  let interruptions = 0;
  const report = (category: string | null): BackfillReport => ({
    stored,
    pending: pending(store, model),
    category,
  });
  for (;;) {
    if (options.signal?.aborted === true) return report('cancelled');
    const batch = pendingChunks(store, { model, limit: BACKFILL_BATCH_CHUNKS, after });
    const last = batch.at(-1);
    if (last === undefined) break;
    const vectors = await embedder.embed(
      batch.map((chunk) => chunk.text),
      { priority: 'background', signal: options.signal },
    );
    if (!vectors.ok) {
      // The worker went away with the batch; another one starts for the next attempt.
      interruptions += 1;
      if (vectors.error.kind === 'interrupted' && interruptions <= INTERRUPTIONS_MAX) continue;
      return report(vectors.error.category);
    }
    const rows = batch.flatMap((chunk, at) => {
      const vector = vectors.value[at];
      return vector === undefined ? [] : [{ chunkId: chunk.id, text: chunk.text, vector }];
    });
    stored += storeVectors(store, model, rows);
    after = last.id;
    options.onProgress?.(stored, total);
  }
  const category = await tellQuestionMean(store, embedder, model);
  return report(category);
}

/** Workers that may be lost during one run. */
const INTERRUPTIONS_MAX = 5;

async function tellQuestionMean(
  store: Store,
  embedder: Embedder,
  model: string,
): Promise<string | null> {
  const known = readVectorModel(store, model);
  if (known === undefined || known.questionMean !== undefined) return null;
  const vectors = await embedder.embed([...GENERIC_QUESTIONS], { priority: 'background' });
  if (!vectors.ok) return vectors.error.category;
  storeQuestionMean(store, model, vectors.value);
  return null;
}

/** Passages that take part in ranking and have no vector by the model. */
function pending(store: Store, model: string): number {
  const row = store.get(
    `SELECT count(*) AS n FROM chunks c WHERE c.ranked = 1 AND NOT EXISTS
       (SELECT 1 FROM chunk_vectors v WHERE v.model = ? AND v.chunk_id = c.id)`,
    [model],
  ) as { n: number };
  return row.n;
}
