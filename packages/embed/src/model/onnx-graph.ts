/**
 * Builds an ONNX model: operators, constants, inputs and outputs, in the order they are named.
 *
 * Decides: how a graph is written down. A value is known by its name; an operator's outputs get
 * names of their own. It does not check types or shapes: the runtime does when it loads the file.
 *
 * Field numbers: onnx.proto (IR version 8).
 */
import { assert } from '@quipu/base';
import { ProtobufWriter } from './protobuf.ts';

/** The name of a value in the graph. */
export type Value = string;
export type ElementType = 'float32' | 'int8' | 'int64';
export type Attribute =
  | { readonly float: number }
  | { readonly integer: number }
  | { readonly integers: readonly number[] };
export type Attributes = Readonly<Record<string, Attribute>>;
/** A number, or the name of a dimension that only the input knows. */
export type Dimension = number | string;

const ELEMENT_CODE = { float32: 1, int8: 3, int64: 7 } as const;
const ATTRIBUTE_CODE = { float: 1, integer: 2, integers: 7 } as const;
const IR_VERSION = 8;

export class OnnxGraph {
  readonly #name: string;
  #nodes: ProtobufWriter[] = [];
  #constants: ProtobufWriter[] = [];
  #inputs: ProtobufWriter[] = [];
  #outputs: ProtobufWriter[] = [];
  #integerLists = new Map<string, Value>();
  #unnamed = 0;

  constructor(name: string) {
    this.#name = name;
  }

  input(name: string, type: ElementType, shape: readonly Dimension[]): Value {
    this.#inputs.push(valueInfo(name, type, shape));
    return name;
  }

  output(name: Value, type: ElementType, shape: readonly Dimension[]): void {
    this.#outputs.push(valueInfo(name, type, shape));
  }

  floats(name: string, shape: readonly number[], values: Float32Array): Value {
    return this.#constant(name, 'float32', shape, littleEndian(values));
  }

  bytes(name: string, shape: readonly number[], values: Int8Array): Value {
    const raw = new Uint8Array(values.buffer, values.byteOffset, values.byteLength);
    return this.#constant(name, 'int8', shape, raw);
  }

  /** A scalar. */
  float(value: number): Value {
    return this.#constant(this.#nextName(), 'float32', [], littleEndian(Float32Array.of(value)));
  }

  /** A list such as axes or a shape; equal lists share one constant. */
  integers(values: readonly number[]): Value {
    const key = values.join();
    const known = this.#integerLists.get(key);
    if (known !== undefined) return known;
    const raw = new DataView(new ArrayBuffer(values.length * 8));
    values.forEach((value, index) => {
      raw.setBigInt64(index * 8, BigInt(value), true);
    });
    const name = this.#constant(
      this.#nextName(),
      'int64',
      [values.length],
      new Uint8Array(raw.buffer),
    );
    this.#integerLists.set(key, name);
    return name;
  }

  /** An operator with one output, named `output` where it is given. */
  apply(
    operator: string,
    inputs: readonly Value[],
    attributes: Attributes = {},
    output = this.#nextName(),
  ): Value {
    this.#node(operator, inputs, [output], attributes);
    return output;
  }

  /** Splits a value along its last axis into three of equal size. */
  splitInThree(value: Value, size: number): readonly [Value, Value, Value] {
    const parts = [this.#nextName(), this.#nextName(), this.#nextName()] as const;
    const sizes = this.integers([size, size, size]);
    this.#node('Split', [value, sizes], parts, { axis: { integer: -1 } });
    return parts;
  }

  finish(operatorSet: number): Uint8Array {
    assert(this.#outputs.length > 0, 'a graph has an output');
    const graph = new ProtobufWriter();
    for (const node of this.#nodes) graph.message(1, node);
    graph.text(2, this.#name);
    for (const constant of this.#constants) graph.message(5, constant);
    for (const input of this.#inputs) graph.message(11, input);
    for (const output of this.#outputs) graph.message(12, output);
    return new ProtobufWriter()
      .integer(1, IR_VERSION)
      .text(2, 'quipu')
      .message(7, graph)
      .message(8, new ProtobufWriter().text(1, '').integer(2, operatorSet))
      .finish();
  }

  #node(
    operator: string,
    inputs: readonly Value[],
    outputs: readonly Value[],
    attributes: Attributes,
  ): void {
    const node = new ProtobufWriter();
    for (const input of inputs) node.text(1, input);
    for (const output of outputs) node.text(2, output);
    node.text(3, outputs.join('+')).text(4, operator);
    for (const [name, value] of Object.entries(attributes)) node.message(5, attribute(name, value));
    this.#nodes.push(node);
  }

  #constant(name: string, type: ElementType, shape: readonly number[], raw: Uint8Array): Value {
    const tensor = new ProtobufWriter();
    for (const size of shape) tensor.integer(1, size);
    tensor.integer(2, ELEMENT_CODE[type]).text(8, name).bytes(9, raw);
    this.#constants.push(tensor);
    return name;
  }

  #nextName(): string {
    this.#unnamed += 1;
    return `v${this.#unnamed}`;
  }
}

function attribute(name: string, value: Attribute): ProtobufWriter {
  const written = new ProtobufWriter().text(1, name);
  if ('float' in value) return written.float(2, value.float).integer(20, ATTRIBUTE_CODE.float);
  if ('integer' in value) {
    return written.integer(3, value.integer).integer(20, ATTRIBUTE_CODE.integer);
  }
  for (const item of value.integers) written.integer(8, item);
  return written.integer(20, ATTRIBUTE_CODE.integers);
}

function valueInfo(
  name: string,
  type: ElementType,
  dimensions: readonly Dimension[],
): ProtobufWriter {
  const shape = new ProtobufWriter();
  for (const dimension of dimensions) {
    const written = new ProtobufWriter();
    if (typeof dimension === 'string') written.text(2, dimension);
    else written.integer(1, dimension);
    shape.message(1, written);
  }
  const tensorType = new ProtobufWriter().integer(1, ELEMENT_CODE[type]).message(2, shape);
  return new ProtobufWriter().text(1, name).message(2, new ProtobufWriter().message(1, tensorType));
}

function littleEndian(values: Float32Array): Uint8Array {
  const raw = new DataView(new ArrayBuffer(values.length * 4));
  for (let i = 0; i < values.length; i += 1) raw.setFloat32(i * 4, values[i] ?? 0, true);
  return new Uint8Array(raw.buffer);
}
