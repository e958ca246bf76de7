/** The conversion against vectors of the model's own runtime, in both ONNX runtimes. */
import { assert } from '@quipu/base';
import { expect, test } from 'vitest';
import type { Runtime } from '../core/protocol.ts';
import { findModelSource, findNativeRuntime, findWasmRuntime } from '../shell/deployment.ts';
import { cosine, referenceEntries } from '../testing/reference.ts';
import { type Encoder, openEncoder } from '../worker/runtime.ts';
import { buildSentenceEncoder, type Precision } from './sentence-encoder.ts';
import { readWeights } from './tfjs-weights.ts';

const reference = referenceEntries();

async function encoderOf(precision: Precision, runtime: Runtime): Promise<Encoder> {
  const weights = readWeights(findModelSource() ?? '');
  assert(weights.ok, 'the model is installed');
  const opened = await openEncoder(buildSentenceEncoder(weights.value, precision), {
    directory: '',
    modelSource: undefined,
    native: findNativeRuntime(),
    wasm: findWasmRuntime(),
    forceWasm: runtime === 'wasm',
    intraOpThreads: 1,
    lowPriority: false,
    nowMs: 1,
    nonce: '0',
  });
  assert(opened.ok, 'the encoder opens');
  assert(opened.value.runtime === runtime, 'the wanted runtime is used');
  return opened.value;
}

test.each([
  ['float32', 'native', 0.999999],
  ['float32', 'wasm', 0.999999],
  ['int8', 'native', 0.998],
  ['int8', 'wasm', 0.998],
] as const)('%s weights in the %s runtime give the published vectors', async (...row) => {
  const [precision, runtime, least] = row;
  const encoder = await encoderOf(precision, runtime);
  for (const { text, tokens, vector } of reference) {
    const [own] = await encoder.encode([Int32Array.from(tokens)]);
    assert(own !== undefined, 'a vector of each text');
    expect(cosine(own, vector), text).toBeGreaterThan(least);
    expect(cosine(own, own)).toBeCloseTo(1, 6);
  }
});

test('a vector does not depend on what else is in its batch', async () => {
  const encoder = await encoderOf('int8', 'native');
  const batch = reference.map(({ tokens }) => Int32Array.from(tokens));
  const together = await encoder.encode(batch);
  for (const [index, ids] of batch.entries()) {
    const [alone] = await encoder.encode([ids]);
    const other = together[index];
    assert(alone !== undefined && other !== undefined, 'a vector of each text');
    expect(cosine(alone, other)).toBeGreaterThan(0.999999);
  }
});
