/**
 * The digest of a file's first bytes, followed as the file is read.
 *
 * Decides: how a later import knows that a file only grew. The digest covers every byte up to the
 * cursor: a rewrite in the middle that keeps size and ends is seen. The file is read a second time
 * (from the page cache) since the feed yields records, not bytes; `copy()` gives the digest at each
 * batch without reading again.
 */
import { createHash } from 'node:crypto';
import { type FileHandle, open } from 'node:fs/promises';

const READ_BYTES = 1 << 20;

export class PrefixHasher {
  readonly #path: string;
  readonly #hash = createHash('sha256');
  readonly #buffer = Buffer.allocUnsafe(READ_BYTES);
  #file: FileHandle | undefined;
  #offset = 0;

  constructor(path: string) {
    this.#path = path;
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
