/**
 * The Universal Sentence Encoder Lite as an ONNX graph.
 *
 *   ids ─▶ 2 · embedding + timing ─▶ layer 0 (256 → 512) ─▶ layer 1 (512) ─▶ mean over tokens
 *       ─▶ dense ─▶ tanh ─▶ unit length
 *
 *   layer:  x ─▶ norm ─▶ 4-headed attention ─▶ + residual ─▶ y ─▶ norm ─▶ dense ReLU dense ─▶ + y
 *
 * Decides: which tensor of the published graph plays which part. The published graph doubles the
 * embedding before it adds the timing signal, and layer 0 brings its input to 512 by a dense layer
 * for the residual. What ONNX has as one operator (layer normalisation, softmax) replaces the dozen
 * that TensorFlow has.
 *
 * Inputs: `input_ids`, `attention_mask` (int64, batch × tokens, at most 128 tokens; 1 where a token
 * is). Output: `sentence_embedding` (float32, batch × 512, unit length).
 */
import { assert } from '@quipu/base';
import { DIMENSIONS, MODEL_TOKENS_MAX } from './manifest.ts';
import { OnnxGraph, type Value } from './onnx-graph.ts';
import { quantise } from './quantise.ts';
import type { Weights } from './tfjs-weights.ts';

export type Precision = 'float32' | 'int8';

const VOCABULARY = 8_002;
const EMBEDDING = 256;
const HEADS = 4;
const HIDDEN = 1_536;
const NORM_EPSILON = 1e-6;
/** Added to the attention that a padded place would get. */
const MASKED = -1e9;
/** ONNX 17 is the first with `LayerNormalization`. */
const OPERATOR_SET = 17;
/** Sines are rounded to 2⁻²⁰ so that the file is the same whatever mathematics library made it. */
const SINE_STEPS = 2 ** 20;

export function buildSentenceEncoder(weights: Weights, precision: Precision): Uint8Array {
  return new EncoderBuilder(weights, precision).build();
}

class EncoderBuilder {
  readonly #graph = new OnnxGraph('sentence-encoder');
  readonly #weights: Weights;
  readonly #precision: Precision;

  constructor(weights: Weights, precision: Precision) {
    this.#weights = weights;
    this.#precision = precision;
  }

  build(): Uint8Array {
    const graph = this.#graph;
    const ids = graph.input('input_ids', 'int64', ['batch', 'tokens']);
    const mask = graph.input('attention_mask', 'int64', ['batch', 'tokens']);
    const present = graph.apply('Cast', [mask], { to: { integer: 1 } });
    const absent = graph.apply('Sub', [graph.float(1), present]);
    const spread = graph.apply('Unsqueeze', [absent, graph.integers([1, 2])]);
    const bias = graph.apply('Mul', [spread, graph.float(MASKED)]);

    let state = this.#embed(ids);
    state = this.#layer(0, state, bias, EMBEDDING);
    state = this.#layer(1, state, bias, DIMENSIONS);

    const mean = this.#meanOverTokens(state, present);
    const pooled = this.#dense(mean, 'pool', 'tanh_layer_0/weights', 'tanh_layer_0/bias', {
      from: DIMENSIONS,
      to: DIMENSIONS,
    });
    this.#unitLength(graph.apply('Tanh', [pooled]), 'sentence_embedding');
    graph.output('sentence_embedding', 'float32', ['batch', DIMENSIONS]);
    return graph.finish(OPERATOR_SET);
  }

  #embed(ids: Value): Value {
    const graph = this.#graph;
    const embedded = this.#gather(ids);
    const tokens = graph.apply('Slice', [
      graph.apply('Shape', [ids]),
      graph.integers([1]),
      graph.integers([2]),
    ]);
    const table = graph.floats('timing', [MODEL_TOKENS_MAX, EMBEDDING], this.#timing());
    const first = graph.integers([0]);
    const timing = graph.apply('Slice', [table, first, tokens, first]);
    return graph.apply('Add', [graph.apply('Add', [embedded, embedded]), timing]);
  }

  #gather(ids: Value): Value {
    const graph = this.#graph;
    const values = this.#tensor('module/Embeddings_en', VOCABULARY * EMBEDDING);
    const shape = [VOCABULARY, EMBEDDING] as const;
    if (this.#precision === 'float32') {
      return graph.apply('Gather', [graph.floats('embedding', shape, values), ids]);
    }
    const rows = quantise({ rows: VOCABULARY, columns: EMBEDDING, values }, 'row');
    const table = graph.bytes('embedding', shape, rows.bytes);
    const scales = graph.floats('embedding.scales', [VOCABULARY, 1], rows.scales);
    const picked = graph.apply('Cast', [graph.apply('Gather', [table, ids])], {
      to: { integer: 1 },
    });
    return graph.apply('Mul', [picked, graph.apply('Gather', [scales, ids])]);
  }

  /** Sines in the first half of each row, cosines in the second (Vaswani et al., 2017). */
  #timing(): Float32Array {
    const half = EMBEDDING / 2;
    const frequencies = this.#tensor('TimingSignal/ExpandDims_1', half);
    const rounded = (value: number): number => Math.round(value * SINE_STEPS) / SINE_STEPS;
    const table = new Float32Array(MODEL_TOKENS_MAX * EMBEDDING);
    for (let position = 0; position < MODEL_TOKENS_MAX; position += 1) {
      for (let k = 0; k < half; k += 1) {
        const angle = position * (frequencies[k] ?? 0);
        table[position * EMBEDDING + k] = rounded(Math.sin(angle));
        table[position * EMBEDDING + half + k] = rounded(Math.cos(angle));
      }
    }
    return table;
  }

  #layer(index: 0 | 1, input: Value, bias: Value, width: number): Value {
    const graph = this.#graph;
    const path = `Layer_${index}/TransformerLayer/`;
    const name = `layer${index}`;
    const residual =
      width === DIMENSIONS
        ? input
        : this.#dense(input, `${name}.widen`, `${path}dense/kernel`, `${path}dense/bias`, {
            from: width,
            to: DIMENSIONS,
          });
    const attended = this.#attention(index, this.#norm(input, `${name}.norm1`, path, width), bias);
    const middle = graph.apply('Add', [attended, residual]);

    const normed = this.#norm(middle, `${name}.norm2`, `${path}FFN/`, DIMENSIONS);
    const inner = this.#dense(
      normed,
      `${name}.inner`,
      `TransformerStack/${path}FFN/conv1/Tensordot/Reshape_1`,
      `${path}FFN/conv1/bias`,
      { from: DIMENSIONS, to: HIDDEN },
    );
    const outer = this.#dense(
      graph.apply('Relu', [inner]),
      `${name}.outer`,
      `TransformerStack/${path}FFN/conv2/Tensordot/Reshape_1`,
      `${path}FFN/conv2/bias`,
      { from: HIDDEN, to: DIMENSIONS },
    );
    return graph.apply('Add', [outer, middle]);
  }

  #attention(index: 0 | 1, input: Value, bias: Value): Value {
    const graph = this.#graph;
    const width = index === 0 ? EMBEDDING : DIMENSIONS;
    const perHead = width / HEADS;
    const path = `Layer_${index}/TransformerLayer/MultiheadAttention/`;
    const name = `layer${index}`;
    const joined = this.#dense(
      input,
      `${name}.qkv`,
      `${path}qkv_transform_single/kernel/part_0`,
      `${path}qkv_transform_single/bias`,
      { from: width, to: 3 * width },
    );
    const [query, key, value] = graph.splitInThree(joined, width);
    const heads = (part: Value, order: readonly number[]): Value =>
      graph.apply(
        'Transpose',
        [graph.apply('Reshape', [part, graph.integers([0, 0, HEADS, perHead])])],
        { perm: { integers: order } },
      );
    const scaled = graph.apply('Mul', [
      heads(query, [0, 2, 1, 3]),
      graph.float(1 / Math.sqrt(perHead)),
    ]);
    const scores = graph.apply('MatMul', [scaled, heads(key, [0, 2, 3, 1])]);
    const shares = graph.apply('Softmax', [graph.apply('Add', [scores, bias])], {
      axis: { integer: -1 },
    });
    const mixed = graph.apply(
      'Transpose',
      [graph.apply('MatMul', [shares, heads(value, [0, 2, 1, 3])])],
      { perm: { integers: [0, 2, 1, 3] } },
    );
    return this.#dense(
      graph.apply('Reshape', [mixed, graph.integers([0, 0, width])]),
      `${name}.mix`,
      `${path}output_transform_single/kernel/part_0`,
      `${path}output_transform_single/bias`,
      { from: width, to: DIMENSIONS },
    );
  }

  #norm(input: Value, name: string, path: string, width: number): Value {
    const graph = this.#graph;
    const place = `${path}layer_prepostprocess/layer_norm/layer_norm_`;
    const scale = graph.floats(`${name}.scale`, [width], this.#tensor(`${place}scale`, width));
    const shift = graph.floats(`${name}.bias`, [width], this.#tensor(`${place}bias`, width));
    return graph.apply('LayerNormalization', [input, scale, shift], {
      axis: { integer: -1 },
      epsilon: { float: NORM_EPSILON },
    });
  }

  #dense(
    input: Value,
    name: string,
    kernelPath: string,
    biasPath: string,
    size: { readonly from: number; readonly to: number },
  ): Value {
    const graph = this.#graph;
    const values = this.#tensor(kernelPath, size.from * size.to);
    const shift = graph.floats(`${name}.bias`, [size.to], this.#tensor(biasPath, size.to));
    const kernel =
      this.#precision === 'float32'
        ? graph.floats(`${name}.kernel`, [size.from, size.to], values)
        : this.#quantisedKernel(name, values, size);
    return graph.apply('Add', [graph.apply('MatMul', [input, kernel]), shift]);
  }

  #quantisedKernel(
    name: string,
    values: Float32Array,
    size: { readonly from: number; readonly to: number },
  ): Value {
    const graph = this.#graph;
    const columns = quantise({ rows: size.from, columns: size.to, values }, 'column');
    const bytes = graph.bytes(`${name}.kernel`, [size.from, size.to], columns.bytes);
    const scales = graph.floats(`${name}.scales`, [size.to], columns.scales);
    // Not `DequantizeLinear`: runtimes leave that to each run, but compute this once, at load.
    const cast = graph.apply('Cast', [bytes], { to: { integer: 1 } });
    return graph.apply('Mul', [cast, scales]);
  }

  #meanOverTokens(state: Value, present: Value): Value {
    const graph = this.#graph;
    const axis = graph.integers([1]);
    const weight = graph.apply('Unsqueeze', [present, graph.integers([2])]);
    const sum = graph.apply('ReduceSum', [graph.apply('Mul', [state, weight]), axis], {
      keepdims: { integer: 0 },
    });
    const count = graph.apply('ReduceSum', [present, axis], { keepdims: { integer: 1 } });
    return graph.apply('Div', [sum, graph.apply('Max', [count, graph.float(1)])]);
  }

  #unitLength(value: Value, output: string): void {
    const graph = this.#graph;
    const squares = graph.apply('Mul', [value, value]);
    const sum = graph.apply('ReduceSum', [squares, graph.integers([1])], {
      keepdims: { integer: 1 },
    });
    graph.apply('Div', [value, graph.apply('Sqrt', [sum])], {}, output);
  }

  /** The one tensor whose name ends so; some names carry a suffix of the exporter's. */
  #tensor(ending: string, length: number): Float32Array {
    const found = [...this.#weights].filter(
      ([name]) => name.endsWith(ending) || name.endsWith(`${ending}/ConcatPartitions/concat`),
    );
    const [match] = found;
    assert(match !== undefined && found.length === 1, `one tensor is named ${ending}`);
    const { values } = match[1];
    assert(values.length === length, `tensor ${ending} has ${length} values`);
    return values;
  }
}
