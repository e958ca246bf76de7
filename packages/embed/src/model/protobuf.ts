/**
 * Writes protocol buffers: as much of the wire format as an ONNX file needs.
 *
 * A message is a run of fields, each a tag (`number · 8 + wire type`) and a value: a varint (wire
 * type 0), a length and that many bytes (2), or 4 bytes little-endian (5). Negative integers are
 * written as their 64-bit two's complement, ten bytes long.
 *
 * Source: protobuf.dev, "Encoding".
 */
const VARINT = 0;
const LENGTH_DELIMITED = 2;
const FIXED_32 = 5;

export class ProtobufWriter {
  #pieces: Uint8Array[] = [];
  #length = 0;

  integer(field: number, value: number): this {
    return this.#tag(field, VARINT).#varint(value);
  }

  float(field: number, value: number): this {
    const piece = new Uint8Array(4);
    new DataView(piece.buffer).setFloat32(0, value, true);
    return this.#tag(field, FIXED_32).#push(piece);
  }

  bytes(field: number, value: Uint8Array): this {
    return this.#tag(field, LENGTH_DELIMITED).#varint(value.length).#push(value);
  }

  text(field: number, value: string): this {
    return this.bytes(field, new TextEncoder().encode(value));
  }

  /** The nested message is not copied: it must not be written to afterwards. */
  message(field: number, value: ProtobufWriter): this {
    this.#tag(field, LENGTH_DELIMITED).#varint(value.#length);
    for (const piece of value.#pieces) this.#push(piece);
    return this;
  }

  finish(): Uint8Array {
    const result = new Uint8Array(this.#length);
    let offset = 0;
    for (const piece of this.#pieces) {
      result.set(piece, offset);
      offset += piece.length;
    }
    return result;
  }

  #tag(field: number, wireType: number): this {
    return this.#varint(field * 8 + wireType);
  }

  #varint(value: number): this {
    let rest = BigInt.asUintN(64, BigInt(value));
    const piece: number[] = [];
    while (rest > 127n) {
      piece.push(Number(rest & 127n) | 128);
      rest >>= 7n;
    }
    piece.push(Number(rest));
    return this.#push(Uint8Array.from(piece));
  }

  #push(piece: Uint8Array): this {
    this.#pieces.push(piece);
    this.#length += piece.length;
    return this;
  }
}
