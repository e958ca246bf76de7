/**
 * The repository that a directory belongs to, from its files alone.
 *
 * Decides: how far up to look, what counts as a repository (git in all its layouts, Jujutsu), and
 * which directory is its root. A worktree's root is its main repository's; a submodule is its own.
 *
 *   .git/                 a repository                    .jj/repo/           Jujutsu
 *   .git  "gitdir: …"     worktree (…/commondir),         .jj/repo  "…"       its further workspace
 *                         submodule, separate git dir     store/git_target    its git store
 *   HEAD objects/ refs/   a bare repository
 *
 * The `git` program is never run: a repository's configuration can make it run others. Reads are
 * bounded; what cannot be read is not there.
 */
import { open, realpath, stat } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, resolve } from 'node:path';
import { digestOf } from '@quipu/base';
import { parseGitConfig, primaryRemote } from './git-config.ts';
import { normaliseRemote } from './remote.ts';

export type Repository = {
  readonly root: string;
  /** In one form; undefined when it has none. */
  readonly remote: string | undefined;
  /** What stays when the repository is moved; strongest first. */
  readonly identities: readonly string[];
};

const LEVELS_MAX = 64;
const CONFIG_BYTES_MAX = 262_144;
const POINTER_BYTES_MAX = 4_096;

/** Looks from `directory` (existing, real path) upwards, not into the directories in `stops`. */
export async function findRepository(
  directory: string,
  stops: ReadonlySet<string>,
): Promise<Repository | undefined> {
  let at = directory;
  for (let level = 0; level < LEVELS_MAX; level += 1) {
    if (stops.has(at)) return undefined;
    const found = (await repositoryAt(at)) ?? (await jujutsuAt(at));
    if (found !== undefined) return stops.has(found.root) ? undefined : found;
    const parent = dirname(at);
    if (parent === at) return undefined;
    at = parent;
  }
  return undefined;
}

async function repositoryAt(directory: string): Promise<Repository | undefined> {
  const dotGit = join(directory, '.git');
  const kind = await kindOf(dotGit);
  if (kind === 'directory' && (await isGitDirectory(dotGit))) {
    return describe(dotGit, directory);
  }
  if (kind === 'file') {
    const pointer = /^gitdir:\s*(.+?)\s*$/m.exec(
      (await readStart(dotGit, POINTER_BYTES_MAX)) ?? '',
    );
    return pointer === null ? undefined : linked(directory, resolve(directory, pointer[1] ?? ''));
  }
  if (!(await isGitDirectory(directory))) return undefined;
  // Inside `.git` itself, or a bare repository.
  return describe(directory, basename(directory) === '.git' ? dirname(directory) : directory);
}

/** A `.git` file: worktrees lead to the common repository, anything else is a root of its own. */
async function linked(directory: string, gitDirectory: string): Promise<Repository | undefined> {
  const common = await commonDirectory(gitDirectory);
  if (common !== undefined) return describe(common, await mainRoot(common));
  if (await isGitDirectory(gitDirectory)) return describe(await real(gitDirectory), directory);
  return undefined;
}

async function commonDirectory(gitDirectory: string): Promise<string | undefined> {
  const text = await readStart(join(gitDirectory, 'commondir'), POINTER_BYTES_MAX);
  // A pruned worktree's own directory is gone; its place still tells whose it was.
  const pruned = /^(.*)[\\/]worktrees[\\/][^\\/]+$/.exec(gitDirectory)?.[1];
  const common = text === undefined ? pruned : resolve(gitDirectory, text.trim());
  if (common === undefined || !(await isGitDirectory(common))) return undefined;
  return real(common);
}

async function mainRoot(common: string): Promise<string> {
  if (basename(common) === '.git') return dirname(common);
  const config = parseGitConfig((await readStart(join(common, 'config'), CONFIG_BYTES_MAX)) ?? '');
  return config.worktree === undefined ? common : real(resolve(common, config.worktree));
}

async function jujutsuAt(directory: string): Promise<Repository | undefined> {
  const pointer = join(directory, '.jj', 'repo');
  const kind = await kindOf(pointer);
  if (kind === undefined) return undefined;
  let repo = pointer;
  if (kind === 'file') {
    const target = ((await readStart(pointer, POINTER_BYTES_MAX)) ?? '').trim();
    repo = isAbsolute(target) ? target : resolve(directory, '.jj', target);
  }
  if ((await kindOf(repo)) !== 'directory') return undefined;
  repo = await real(repo);
  const root = basename(dirname(repo)) === '.jj' ? dirname(dirname(repo)) : directory;
  const target = await readStart(join(repo, 'store', 'git_target'), POINTER_BYTES_MAX);
  const git = resolve(repo, 'store', target?.trim() ?? 'git');
  if (await isGitDirectory(git)) {
    const described = await describe(await real(git), root);
    // Colocated with a worktree's or another repository's `.git`: that one's root counts.
    return basename(git) === '.git' ? { ...described, root: dirname(await real(git)) } : described;
  }
  return { root, remote: undefined, identities: await identitiesOf(repo) };
}

async function describe(gitDirectory: string, root: string): Promise<Repository> {
  const text = (await readStart(join(gitDirectory, 'config'), CONFIG_BYTES_MAX)) ?? '';
  const url = primaryRemote(parseGitConfig(text));
  const local = url !== undefined && /^\.{1,2}(?:[\\/]|$)/.test(url) ? resolve(root, url) : url;
  return {
    root,
    remote: local === undefined ? undefined : normaliseRemote(local),
    identities: await identitiesOf(gitDirectory),
  };
}

/**
 * What tells one repository's directory from another wherever it is moved: how it was born (the
 * first line of its log, as long as git keeps it; a digest, for the line holds a person's name),
 * and its directory's birth on this file system.
 */
async function identitiesOf(directory: string): Promise<string[]> {
  const log = await readStart(join(directory, 'logs', 'HEAD'), POINTER_BYTES_MAX);
  const born = /^0{40,64} [0-9a-f]{40,64} .*> \d+ [+-]\d{4}\t.*$/m.exec(log ?? '');
  const stats = await stat(directory, { bigint: true }).catch(() => undefined);
  return [
    ...(born === null ? [] : [`born:${digestOf(born[0]).slice(0, 32)}`]),
    ...(stats === undefined || stats.birthtimeNs === 0n
      ? []
      : [`dir:${stats.ino}@${stats.birthtimeNs}`]),
  ];
}

async function isGitDirectory(path: string): Promise<boolean> {
  if ((await kindOf(join(path, 'HEAD'))) !== 'file') return false;
  return (
    (await kindOf(join(path, 'objects'))) === 'directory' &&
    (await kindOf(join(path, 'refs'))) === 'directory'
  );
}

export async function kindOf(path: string): Promise<'file' | 'directory' | undefined> {
  const stats = await stat(path).catch(() => undefined);
  if (stats?.isDirectory() === true) return 'directory';
  return stats?.isFile() === true ? 'file' : undefined;
}

const real = (path: string): Promise<string> => realpath(path).catch(() => path);

async function readStart(path: string, bytesMax: number): Promise<string | undefined> {
  if ((await kindOf(path)) !== 'file') return undefined;
  const file = await open(path, 'r').catch(() => undefined);
  if (file === undefined) return undefined;
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(bytesMax), 0, bytesMax, 0);
    return buffer.toString('utf8', 0, bytesRead);
  } catch (error) {
    if (error instanceof Error && 'code' in error) return undefined;
    throw error;
  } finally {
    await file.close();
  }
}
