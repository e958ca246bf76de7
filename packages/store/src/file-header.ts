/**
 * Whose file it is and of which version, found out without SQLite.
 *
 *   file   0 "SQLite format 3\0" … 60 user_version … 68 application_id
 *   -wal   32 bytes of header, then frames: 24 bytes (page, size at commit, two salts), the page
 *
 * Decides: plain reads only, so that a file which is then refused was not touched: opening it with
 * SQLite would already make or fold in a write-ahead log. A log that a killed process left behind
 * holds a newer first page than the file; the last committed one counts.
 *
 * Source: https://www.sqlite.org/fileformat2.html (sections 1.3 and 4.1).
 */
import { closeSync, openSync, readSync } from 'node:fs';

export type FileHeader =
  | { readonly kind: 'empty' }
  | { readonly kind: 'not-sqlite' }
  | { readonly kind: 'sqlite'; readonly applicationId: number; readonly version: number };

const MAGIC = 'SQLite format 3\0';
const HEADER_BYTES = 100;
const VERSION_AT = 60;
const APPLICATION_AT = 68;

/** Throws what `node:fs` throws when the file cannot be read. */
export function readFileHeader(path: string): FileHeader {
  const header = withFile(path, (file) => readAt(file, 0, HEADER_BYTES));
  if (header.length === 0) return { kind: 'empty' };
  if (header.length < HEADER_BYTES || header.toString('latin1', 0, MAGIC.length) !== MAGIC) {
    return { kind: 'not-sqlite' };
  }
  const page = firstPageInLog(`${path}-wal`) ?? header;
  return {
    kind: 'sqlite',
    applicationId: page.readUInt32BE(APPLICATION_AT),
    version: page.readUInt32BE(VERSION_AT),
  };
}

const LOG_HEADER_BYTES = 32;
const FRAME_HEADER_BYTES = 24;
const PAGE_BYTES = { min: 512, max: 65_536 };

/** Beginning of the database's first page as the log last committed it. */
function firstPageInLog(path: string): Buffer | undefined {
  try {
    return withFile(path, (file) => {
      const header = readAt(file, 0, LOG_HEADER_BYTES);
      if (header.length < LOG_HEADER_BYTES) return undefined;
      const pageBytes = header.readUInt32BE(8);
      if (pageBytes < PAGE_BYTES.min || pageBytes > PAGE_BYTES.max) return undefined;
      return lastCommitted(file, pageBytes, header.subarray(16, 24));
    });
  } catch (failure) {
    if ((failure as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw failure;
  }
}

function lastCommitted(file: number, pageBytes: number, salts: Buffer): Buffer | undefined {
  let committed: Buffer | undefined;
  let pending: Buffer | undefined;
  for (let at = LOG_HEADER_BYTES; ; at += FRAME_HEADER_BYTES + pageBytes) {
    const frame = readAt(file, at, FRAME_HEADER_BYTES + HEADER_BYTES);
    // Frames with other salts are left from before the log was started over.
    const over =
      frame.length < FRAME_HEADER_BYTES + HEADER_BYTES || !frame.subarray(8, 16).equals(salts);
    if (over) return committed;
    if (frame.readUInt32BE(0) === 1) pending = frame.subarray(FRAME_HEADER_BYTES);
    const commits = frame.readUInt32BE(4) !== 0;
    if (commits) committed = pending;
  }
}

function readAt(file: number, at: number, bytes: number): Buffer {
  const buffer = Buffer.alloc(bytes);
  return buffer.subarray(0, readSync(file, buffer, 0, bytes, at));
}

function withFile<T>(path: string, use: (file: number) => T): T {
  const file = openSync(path, 'r');
  try {
    return use(file);
  } finally {
    closeSync(file);
  }
}
