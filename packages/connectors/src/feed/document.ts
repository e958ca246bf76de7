/**
 * Feeding a file that is read whole (JSON, Markdown): one record.
 *
 * Decides: a document over `LINE_BYTES_MAX` goes through the same cutting as a long line.
 */
import { open } from 'node:fs/promises';
import type { FoundSource, SourceRecord } from '../reader.ts';
import { Elider } from './elide.ts';
import { LINE_BYTES_MAX, READ_BYTES } from './limits.ts';

export async function* documentFeed(
  source: FoundSource,
  _position: number,
  signal?: AbortSignal,
): AsyncIterable<SourceRecord> {
  const file = await open(source.path, 'r');
  try {
    const { size } = await file.stat();
    const elider = size > LINE_BYTES_MAX ? new Elider() : undefined;
    const pieces: Buffer[] = [];
    let offset = 0;
    for (;;) {
      if (signal?.aborted === true) return;
      const buffer = Buffer.allocUnsafe(READ_BYTES);
      const { bytesRead } = await file.read(buffer, 0, READ_BYTES, offset);
      if (bytesRead === 0) break;
      offset += bytesRead;
      const chunk = buffer.subarray(0, bytesRead);
      if (elider === undefined) pieces.push(chunk);
      else elider.write(chunk);
    }
    const bytes = elider === undefined ? Buffer.concat(pieces) : elider.end();
    const text = bytes.toString('utf8').replace(/^\uFEFF/, '');
    yield { text, positionAfter: offset, elidedBytes: elider?.elidedBytes ?? 0 };
  } finally {
    await file.close();
  }
}
