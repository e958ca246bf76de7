/**
 * Feeding a file of lines that may still grow.
 *
 * Decides: whole lines only. A last line without its end waits, whatever it looks like: programs
 * write a line and its end together, so what has no end is not finished, and is read the next time.
 * A BOM, CRLF and invalid UTF-8 (U+FFFD) are taken as they come; blank lines are passed over, but
 * in prose (`proseFeed`), where they part paragraphs. A line over `LINE_BYTES_MAX` is never held
 * whole (`elide.ts`).
 *
 * The file is opened read-only; a file that shrinks while it is read ends the feed.
 */
import { open } from 'node:fs/promises';
import type { FoundSource, SourceRecord } from '../reader.ts';
import { Elider } from './elide.ts';
import { LINE_BYTES_MAX, READ_BYTES } from './limits.ts';

const LINE_FEED = 0x0a;
const BOM = Buffer.from([0xef, 0xbb, 0xbf]);

type Reading = {
  readonly source: FoundSource;
  readonly position: number;
  readonly signal: AbortSignal | undefined;
  readonly keepsBlank: boolean;
};

export const lineFeed = (
  source: FoundSource,
  position: number,
  signal?: AbortSignal,
): AsyncIterable<SourceRecord> => linesOf({ source, position, signal, keepsBlank: false });

/** The same with blank lines. */
export const proseFeed = (
  source: FoundSource,
  position: number,
  signal?: AbortSignal,
): AsyncIterable<SourceRecord> => linesOf({ source, position, signal, keepsBlank: true });

async function* linesOf(reading: Reading): AsyncIterable<SourceRecord> {
  const { source, position, signal, keepsBlank } = reading;
  const file = await open(source.path, 'r');
  try {
    const line = new Line();
    let offset = position;
    for (;;) {
      if (signal?.aborted === true) return;
      const buffer = Buffer.allocUnsafe(READ_BYTES);
      const { bytesRead } = await file.read(buffer, 0, READ_BYTES, offset);
      if (bytesRead === 0) return;
      const chunk = buffer.subarray(0, bytesRead);
      let from = 0;
      for (let end = chunk.indexOf(LINE_FEED); end >= 0; end = chunk.indexOf(LINE_FEED, from)) {
        line.add(chunk.subarray(from, end));
        const taken = line.take(offset + end + 1);
        from = end + 1;
        if (keepsBlank || taken.text.trim() !== '') yield taken;
      }
      line.add(chunk.subarray(from));
      offset += bytesRead;
    }
  } finally {
    await file.close();
  }
}

class Line {
  #pieces: Buffer[] = [];
  #bytes = 0;
  #elider: Elider | undefined;

  add(piece: Buffer): void {
    this.#bytes += piece.length;
    if (this.#elider !== undefined) {
      this.#elider.write(piece);
      return;
    }
    this.#pieces.push(piece);
    if (this.#bytes <= LINE_BYTES_MAX) return;
    this.#elider = new Elider();
    for (const held of this.#pieces) this.#elider.write(held);
    this.#pieces = [];
  }

  take(positionAfter: number): SourceRecord {
    const bytes = this.#elider === undefined ? Buffer.concat(this.#pieces) : this.#elider.end();
    const elidedBytes = this.#elider?.elidedBytes ?? 0;
    this.#pieces = [];
    this.#bytes = 0;
    this.#elider = undefined;
    const start = bytes.subarray(0, BOM.length).equals(BOM) ? BOM.length : 0;
    const text = bytes.toString('utf8', start).replace(/\r$/, '');
    return { text, positionAfter, elidedBytes };
  }
}
