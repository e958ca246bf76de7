/**
 * Small files beside a transcript: maps, titles, times.
 */
import { readFile } from 'node:fs/promises';
import { SIDE_FILE_BYTES_MAX } from './limits.ts';

/** The text of a small file; empty when it is not there. */
export async function smallFile(path: string): Promise<string> {
  try {
    const bytes = await readFile(path);
    return bytes.length > SIDE_FILE_BYTES_MAX ? '' : bytes.toString('utf8');
  } catch (failure) {
    const { code } = failure as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'EACCES') return '';
    throw failure;
  }
}
