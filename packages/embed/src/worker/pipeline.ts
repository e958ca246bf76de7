/**
 * Texts to vectors inside the worker: tokens, windows, batches of like length, runs of the model.
 *
 * Decides: the order of the work, and that between two runs the caller decides whether to go on.
 */
import { BATCH_TOKENS_MAX } from '../limits.ts';
import { DIMENSIONS, MODEL_TOKENS_MAX } from '../model/manifest.ts';
import type { Tokenizer } from '../tokenizer/unigram.ts';
import { batchesOf, VectorSums, windowsOf } from '../tokenizer/windows.ts';
import type { Encoder } from './runtime.ts';

/**
 * Vectors of the texts, one after the other in one array; undefined when `goOn` said no. `goOn` is
 * awaited between runs of the model.
 */
export async function embedTexts(
  parts: { readonly tokenizer: Tokenizer; readonly encoder: Encoder },
  texts: readonly string[],
  goOn: () => Promise<boolean>,
): Promise<Float32Array | undefined> {
  const encoded = texts.map((text) => parts.tokenizer.encode(text));
  const windows = windowsOf(encoded, MODEL_TOKENS_MAX);
  const sums = new VectorSums(texts.length, DIMENSIONS);
  for (const [run, batch] of batchesOf(windows, BATCH_TOKENS_MAX).entries()) {
    if (run > 0 && !(await goOn())) return undefined;
    const members = batch.flatMap((index) => windows[index] ?? []);
    const vectors = await parts.encoder.encode(members.map((window) => window.ids));
    members.forEach((window, index) => {
      const vector = vectors[index];
      if (vector !== undefined) sums.add(window, vector);
    });
  }
  return sums.finish();
}
