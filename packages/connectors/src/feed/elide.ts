/**
 * Cutting a line that is too long to hold, byte by byte, so that what is left still parses.
 *
 * Decides: within JSON strings longer than `STRING_HEAD_BYTES + STRING_TAIL_BYTES` the middle is
 * left out and a marker says how many bytes that were. Escapes (`\n`, `\uXXXX`) and multi-byte
 * characters are never cut in two. Structure outside strings is kept as it is. What is no JSON is
 * kept up to `KEPT_BYTES_MAX`. Memory: what is kept, whatever comes.
 */
import { KEPT_BYTES_MAX, STRING_HEAD_BYTES, STRING_TAIL_BYTES } from './limits.ts';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const LOWER_U = 0x75;

/** Longest thing that may not be cut: a surrogate pair of two `\uXXXX` escapes. */
const ATOM_BYTES_MAX = 12;

export class Elider {
  #kept: Buffer[] = [];
  #keptBytes = 0;
  #elided = 0;
  #inString = false;
  /** Bytes left of an escape that has begun; 0 outside one. */
  #escape = 0;
  #stringBytes = 0;
  /** The last bytes of a long string, as a ring, and how many have been put into it. */
  readonly #tail = Buffer.alloc(STRING_TAIL_BYTES + ATOM_BYTES_MAX);
  #tailBytes = 0;

  /** Bytes left out so far. */
  get elidedBytes(): number {
    return this.#elided;
  }

  write(bytes: Buffer): void {
    let from = 0;
    for (let at = 0; at < bytes.length; at += 1) {
      const byte = bytes[at] ?? 0;
      if (!this.#inString) {
        if (byte === QUOTE) {
          this.#inString = true;
          this.#stringBytes = 0;
          this.#tailBytes = 0;
        }
        continue;
      }
      if (this.#escape > 0) {
        this.#escape = this.#escape === 1 && byte === LOWER_U ? 4 : this.#escape - 1;
      } else if (byte === BACKSLASH) this.#escape = 1;
      else if (byte === QUOTE) {
        if (this.#stringBytes > STRING_HEAD_BYTES) {
          this.#closeLongString();
          from = at;
        }
        this.#inString = false;
        continue;
      }
      this.#stringBytes += 1;
      if (this.#stringBytes === STRING_HEAD_BYTES) {
        this.#keep(bytes.subarray(from, at + 1));
        from = bytes.length;
      }
      if (this.#stringBytes > STRING_HEAD_BYTES) {
        this.#tail[this.#tailBytes % this.#tail.length] = byte;
        this.#tailBytes += 1;
        from = bytes.length;
      }
    }
    if (from < bytes.length) this.#keep(bytes.subarray(from));
  }

  /** What is left of the line. Nothing may be written afterwards. */
  end(): Buffer {
    if (this.#inString && this.#stringBytes > STRING_HEAD_BYTES) this.#closeLongString();
    return Buffer.concat(this.#kept);
  }

  #keep(bytes: Buffer): void {
    const room = KEPT_BYTES_MAX - this.#keptBytes;
    const taken = Math.min(room, bytes.length);
    this.#elided += bytes.length - taken;
    if (taken <= 0) return;
    this.#kept.push(Buffer.from(bytes.subarray(0, taken)));
    this.#keptBytes += taken;
  }

  /** The ring holds the end of a string whose head is kept: writes the marker and a clean tail. */
  #closeLongString(): void {
    const size = this.#tail.length;
    const held = Math.min(this.#tailBytes, size);
    const start = this.#tailBytes - held;
    const ring = Buffer.alloc(held);
    for (let at = 0; at < held; at += 1) ring[at] = this.#tail[(start + at) % size] ?? 0;
    if (this.#tailBytes <= size) {
      this.#keep(ring);
      return;
    }
    const cutAt = cleanStart(ring);
    const head = cleanHead(this.#kept);
    this.#keptBytes -= head;
    const elided = start + cutAt + head;
    this.#elided += elided;
    this.#keep(Buffer.from(` […${elided} bytes left out…] `));
    this.#keep(ring.subarray(cutAt));
  }
}

/** The first place in the ring from which no escape or character is broken. */
function cleanStart(ring: Buffer): number {
  // An escape that began before the ring reaches at most ATOM_BYTES_MAX into it; after that, a
  // place is clean when it starts a character and no backslash stands shortly before it.
  for (let at = ATOM_BYTES_MAX; at < Math.min(ring.length, STRING_TAIL_BYTES); at += 1) {
    const byte = ring[at] ?? 0;
    if ((byte & 0xc0) === 0x80 || byte === BACKSLASH) continue;
    if (!ring.subarray(at - ATOM_BYTES_MAX, at).includes(BACKSLASH)) return at;
  }
  return ring.length;
}

/** How many bytes the kept head must lose so that it ends with a whole escape and character. */
function cleanHead(kept: Buffer[]): number {
  let last = kept.pop() ?? Buffer.alloc(0);
  // Pieces end where reads did: what may not be cut can lie across them.
  while (last.length <= 2 * ATOM_BYTES_MAX && kept.length > 0) {
    last = Buffer.concat([kept.pop() ?? Buffer.alloc(0), last]);
  }
  let end = last.length;
  const window = last.subarray(Math.max(0, end - ATOM_BYTES_MAX));
  const firstEscape = window.indexOf(BACKSLASH);
  if (firstEscape >= 0) {
    // Back to before the run of backslashes and escapes that the window ends in.
    end = Math.max(0, end - ATOM_BYTES_MAX) + firstEscape;
    while (end > 0 && last[end - 1] === BACKSLASH) end -= 1;
  }
  while (end > 0 && ((last[end - 1] ?? 0) & 0xc0) === 0x80) end -= 1;
  if (end > 0 && ((last[end - 1] ?? 0) & 0xc0) === 0xc0) end -= 1;
  kept.push(last.subarray(0, end));
  return last.length - end;
}
