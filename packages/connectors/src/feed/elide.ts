/**
 * Cutting a line that is too long to hold, byte by byte, so that what is left still parses.
 *
 * Decides: within JSON strings longer than `STRING_HEAD_BYTES + STRING_TAIL_BYTES` the middle is
 * left out and a marker says how many bytes that were. Both cuts are made at a clean place: outside
 * an escape (`\n`, `\uXXXX`) and between characters. Structure outside strings is kept as it is.
 * What is no JSON is kept up to `KEPT_BYTES_MAX`. Memory: what is kept, whatever comes.
 */
import { KEPT_BYTES_MAX, STRING_HEAD_BYTES, STRING_TAIL_BYTES } from './limits.ts';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const LOWER_U = 0x75;

export class Elider {
  readonly #kept: Buffer[] = [];
  #keptBytes = 0;
  #elided = 0;
  #inString = false;
  /** The head of this string is kept, and what comes goes into the ring. */
  #long = false;
  /** Bytes left of an escape that has begun; 0 outside one. */
  #escape = 0;
  #stringBytes = 0;
  /** The last bytes of a long string, and for each whether the place before it is clean. */
  readonly #ring = Buffer.alloc(STRING_TAIL_BYTES);
  readonly #clean = new Uint8Array(STRING_TAIL_BYTES);
  #ringBytes = 0;

  /** Bytes left out so far. */
  get elidedBytes(): number {
    return this.#elided;
  }

  write(bytes: Buffer): void {
    let from = this.#long ? bytes.length : 0;
    for (let at = 0; at < bytes.length; at += 1) {
      const byte = bytes[at] ?? 0;
      if (!this.#inString) {
        if (byte === QUOTE) this.#openString();
        continue;
      }
      if (this.#escape === 0 && byte === QUOTE) {
        if (this.#long) from = at;
        this.#closeString();
        continue;
      }
      const clean = this.#escape === 0 && (byte & 0xc0) !== 0x80;
      if (!this.#long && clean && this.#stringBytes >= STRING_HEAD_BYTES) {
        this.#keep(bytes.subarray(from, at));
        from = bytes.length;
        this.#long = true;
      }
      if (this.#long) this.#toRing(byte, clean);
      this.#stringBytes += 1;
      if (this.#escape > 0) {
        this.#escape = this.#escape === 1 && byte === LOWER_U ? 4 : this.#escape - 1;
      } else if (byte === BACKSLASH) this.#escape = 1;
    }
    if (from < bytes.length) this.#keep(bytes.subarray(from));
  }

  /** What is left of the line. Nothing may be written afterwards. */
  end(): Buffer {
    if (this.#inString) this.#closeString();
    return Buffer.concat(this.#kept);
  }

  #openString(): void {
    this.#inString = true;
    this.#stringBytes = 0;
    this.#ringBytes = 0;
  }

  #toRing(byte: number, clean: boolean): void {
    const at = this.#ringBytes % STRING_TAIL_BYTES;
    this.#ring[at] = byte;
    this.#clean[at] = clean ? 1 : 0;
    this.#ringBytes += 1;
  }

  #keep(bytes: Buffer): void {
    const room = KEPT_BYTES_MAX - this.#keptBytes;
    const taken = Math.min(room, bytes.length);
    this.#elided += bytes.length - taken;
    if (taken <= 0) return;
    this.#kept.push(Buffer.from(bytes.subarray(0, taken)));
    this.#keptBytes += taken;
  }

  /** Writes the marker and the end of a long string, from the first clean place of the ring on. */
  #closeString(): void {
    this.#inString = false;
    this.#escape = 0;
    if (!this.#long) return;
    this.#long = false;
    const held = Math.min(this.#ringBytes, STRING_TAIL_BYTES);
    let start = this.#ringBytes - held;
    if (start > 0) {
      while (start < this.#ringBytes && this.#clean[start % STRING_TAIL_BYTES] === 0) start += 1;
      this.#elided += start;
      this.#keep(Buffer.from(` […${start} bytes left out…] `));
    }
    const tail = Buffer.alloc(this.#ringBytes - start);
    for (let at = 0; at < tail.length; at += 1) {
      tail[at] = this.#ring[(start + at) % STRING_TAIL_BYTES] ?? 0;
    }
    this.#keep(tail);
  }
}
