/**
 * Looking for transcripts below a folder.
 *
 * Decides: bounded breadth and depth, links are not followed (no loops, nothing outside), names in
 * order so that two searches agree. A folder that is not there yields nothing; one that may not be
 * read is told to the caller (`blocked`) and passed by, except the first, whose failure is thrown.
 */
import type { Dirent } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { WALK_DEPTH_MAX, WALK_FOLDERS_MAX } from './limits.ts';

export type WalkOptions = {
  readonly depthMax?: number;
  /** Whether to look into a folder of this name; all when absent. */
  readonly enter?: (name: string) => boolean;
  /** Called for a folder below the first that cannot be read. */
  readonly blocked?: (folder: string) => void;
};

/** Paths of files below `root` whose name is wanted, in breadth-first order. */
export async function* walkFiles(
  root: string,
  wanted: (name: string) => boolean,
  options: WalkOptions = {},
): AsyncIterable<string> {
  const depthMax = options.depthMax ?? WALK_DEPTH_MAX;
  const enter = options.enter ?? (() => true);
  const queue: { readonly folder: string; readonly depth: number }[] = [{ folder: root, depth: 0 }];
  for (let visited = 0; visited < queue.length && visited < WALK_FOLDERS_MAX; visited += 1) {
    const at = queue[visited];
    if (at === undefined) return;
    const blocked = at.depth === 0 ? undefined : (options.blocked ?? (() => {}));
    for (const entry of await entriesOf(at.folder, blocked)) {
      const path = join(at.folder, entry.name);
      if (entry.isFile() && wanted(entry.name)) yield path;
      const open = entry.isDirectory() && at.depth < depthMax && queue.length < WALK_FOLDERS_MAX;
      if (open && enter(entry.name)) queue.push({ folder: path, depth: at.depth + 1 });
    }
  }
}

/** Names of the folders directly in `root`, in order; none when it is not there. */
export async function foldersIn(root: string): Promise<readonly string[]> {
  const entries = await entriesOf(root);
  return entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name);
}

const ABSENT = new Set(['ENOENT', 'ENOTDIR']);
const PASSED_BY = new Set(['EACCES', 'EPERM', 'ELOOP', 'ENAMETOOLONG', 'EIO']);

async function entriesOf(
  folder: string,
  blocked?: (folder: string) => void,
): Promise<readonly Dirent[]> {
  try {
    const entries = await readdir(folder, { withFileTypes: true });
    return entries.sort((a, b) => (a.name < b.name ? -1 : 1));
  } catch (failure) {
    const code = (failure as NodeJS.ErrnoException).code ?? '';
    if (ABSENT.has(code)) return [];
    if (blocked === undefined || !PASSED_BY.has(code)) throw failure;
    blocked(folder);
    return [];
  }
}

export type PathKind = 'file' | 'folder' | 'absent';

/** What stands at the path, following links. */
export async function kindOf(path: string): Promise<PathKind> {
  try {
    const found = await stat(path);
    if (found.isDirectory()) return 'folder';
    return found.isFile() ? 'file' : 'absent';
  } catch (failure) {
    const code = (failure as NodeJS.ErrnoException).code ?? '';
    if (ABSENT.has(code)) return 'absent';
    throw failure;
  }
}
