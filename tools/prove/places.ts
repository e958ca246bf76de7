/**
 * Working copies to run in, so that the tree at hand is never touched.
 *
 * Decides: a place is a git worktree in a temporary folder; `now` overlays what is changed and not
 * committed. Installed packages are linked one by one, and the links that lead to our own packages
 * lead into the place: a guard that is taken out there is gone for every package that imports it.
 */
import { execFileSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';

export type Place = { readonly folder: string; readonly dispose: () => void };

export function placeAt(root: string, revision: string): Place {
  const parent = mkdtempSync(join(tmpdir(), 'quipu-prove-'));
  const folder = join(parent, 'tree');
  git(root, 'worktree', 'add', '--detach', '--quiet', folder, revision);
  linkModules(root, folder);
  return {
    folder,
    dispose: () => {
      git(root, 'worktree', 'remove', '--force', folder);
      rmSync(parent, { recursive: true, force: true });
    },
  };
}

/** The tree as it is now, uncommitted work included. */
export function placeNow(root: string): Place {
  const place = placeAt(root, 'HEAD');
  const changed = git(root, 'ls-files', '-z', '--modified', '--others', '--exclude-standard');
  const staged = git(root, 'diff', '-z', '--name-only', '--cached');
  const paths = new Set(
    [...changed.split('\0'), ...staged.split('\0')].filter((path) => path !== ''),
  );
  for (const path of paths) {
    if (existsSync(join(root, path))) copyInto(root, place.folder, path);
    else rmSync(join(place.folder, path), { force: true });
  }
  return place;
}

export function copyInto(root: string, folder: string, path: string): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  cpSync(join(root, path), join(folder, path), { recursive: true });
}

function linkModules(root: string, folder: string): void {
  linkEach(root, join(root, 'node_modules'), join(folder, 'node_modules'), folder);
  const packages = join(root, 'packages');
  if (!existsSync(packages)) return;
  for (const name of readdirSync(packages)) {
    const own = join(packages, name, 'node_modules');
    const place = join(folder, 'packages', name);
    if (existsSync(own) && existsSync(place)) {
      linkEach(root, own, join(place, 'node_modules'), folder);
    }
  }
}

function linkEach(root: string, from: string, to: string, folder: string): void {
  mkdirSync(to, { recursive: true });
  const inside = realpathSync(root);
  for (const name of readdirSync(from)) {
    const source = join(from, name);
    if (name.startsWith('@') && !lstatSync(source).isSymbolicLink()) {
      linkEach(root, source, join(to, name), folder);
      continue;
    }
    if (!existsSync(source)) continue;
    const real = realpathSync(source);
    const path = relative(inside, real);
    const ours = !path.startsWith('..') && !path.split('/').includes('node_modules');
    symlinkSync(ours ? join(folder, path) : real, join(to, name));
  }
}

function git(cwd: string, ...args: string[]): string {
  return execFileSync('git', args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
}
