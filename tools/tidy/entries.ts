/**
 * The entries of a package besides its index.
 *
 * Decides: an entry is what the package's own `package.json` lists under `exports`, with the source
 * that stands behind it. Part of a package can then be loaded without the rest of it.
 */
import { posix } from 'node:path';
import type { Tree } from './tree.ts';

type Manifest = {
  readonly name: string;
  readonly exports?: Readonly<Record<string, { readonly source?: string }>>;
};

/** Source file by specifier: `@quipu/daemon/thread` → `packages/daemon/src/thread/….ts`. */
export function entriesOf(tree: Tree): ReadonlyMap<string, string> {
  const entries = new Map<string, string>();
  for (const path of tree.paths.filter((one) => /^packages\/[^/]+\/package\.json$/.test(one))) {
    const manifest = JSON.parse(tree.text(path)) as Manifest;
    for (const [name, { source }] of Object.entries(manifest.exports ?? {})) {
      if (source === undefined) continue;
      entries.set(posix.join(manifest.name, name), posix.join(posix.dirname(path), source));
    }
  }
  return entries;
}
