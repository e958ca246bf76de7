/**
 * Small files beside a transcript: maps, titles, times.
 *
 * Decides: only plain files are read, up to a size. A pipe or a device that lies in a file's place
 * is as good as not there: it could keep its reader waiting for ever, or never end.
 */
import { constants, open } from 'node:fs/promises';
import { SIDE_FILE_BYTES_MAX } from './limits.ts';

const ABSENT: ReadonlySet<string> = new Set(['ENOENT', 'ENOTDIR', 'EACCES', 'ENXIO', 'EISDIR']);

/** Opening a pipe does not wait for its writer. The flag is not there on Windows. */
const FLAGS = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);

/** The text of a small file; empty when it is not there. */
export async function smallFile(path: string, bytesMax = SIDE_FILE_BYTES_MAX): Promise<string> {
  try {
    const file = await open(path, FLAGS);
    try {
      const found = await file.stat();
      if (!found.isFile() || found.size > bytesMax) return '';
      return await file.readFile('utf8');
    } finally {
      await file.close();
    }
  } catch (failure) {
    if (ABSENT.has((failure as NodeJS.ErrnoException).code ?? '')) return '';
    throw failure;
  }
}
