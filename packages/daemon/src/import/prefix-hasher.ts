/**
 * The digest of a file's first bytes, followed as the file is read.
 *
 * Decides: how a later import knows that a file only grew. The digest covers every byte up to the
 * cursor: a rewrite in the middle that keeps size and ends is seen. The file is read a second time
 * (from the page cache) since the feed yields records, not bytes; `copy()` gives the digest at each
 * batch without reading again. So it must be the same file, and the same bytes, that the feed read:
 * it is opened first, and a mark of its end tells whether it was rewritten meanwhile.
 */
import { createHash } from 'node:crypto';
import { type FileHandle, open } from 'node:fs/promises';

const READ_BYTES = 1 << 20;
/** Bytes at the end of the file, as it was at the start, that are compared. */
const MARK_BYTES = 1 << 16;

export class PrefixHasher {
  readonly #path: string;
  readonly #hash = createHash('sha256');
  readonly #buffer = Buffer.allocUnsafe(READ_BYTES);
  #file: FileHandle | undefined;
  #offset = 0;
  #size = 0;
  #mark = '';

  constructor(path: string) {
    this.#path = path;
  }

  /** Before the feed opens the file, which has this size now. */
  async begin(size: number): Promise<void> {
    this.#size = size;
    this.#mark = await this.#endMark();
  }

  /** False when what was there at the beginning has been written over since. */
  async isIntact(): Promise<boolean> {
    return (await this.#endMark()) === this.#mark;
  }

  async #endMark(): Promise<string> {
    this.#file ??= await open(this.#path, 'r');
    const from = Math.max(0, this.#size - MARK_BYTES);
    const bytes = Buffer.alloc(this.#size - from);
    const { bytesRead } = await this.#file.read(bytes, 0, bytes.length, from);
    return createHash('sha256').update(bytes.subarray(0, bytesRead)).digest('hex');
  }

  /**
   * SHA-256 (hex) of the bytes before `position`, or undefined when the file is shorter than that.
   * Positions only grow.
   */
  async digestAt(position: number): Promise<string | undefined> {
    this.#file ??= await open(this.#path, 'r');
    while (this.#offset < position) {
      const want = Math.min(READ_BYTES, position - this.#offset);
      const { bytesRead } = await this.#file.read(this.#buffer, 0, want, this.#offset);
      if (bytesRead === 0) return undefined;
      this.#hash.update(this.#buffer.subarray(0, bytesRead));
      this.#offset += bytesRead;
    }
    return this.#hash.copy().digest('hex');
  }

  async close(): Promise<void> {
    await this.#file?.close();
  }
}
