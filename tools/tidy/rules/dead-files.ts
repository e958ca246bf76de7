/**
 * No file without a reader.
 *
 * Decides: where reading starts (a package's entries, its programs, tool and bench mains, tests,
 * what a `package.json` names, settings of a tool) and what passes it on (see `imports.ts`). A
 * source that is not reached from there is dead: wire it in or delete it.
 */
import { posix } from 'node:path';
import { entriesOf } from '../entries.ts';
import { importsOf } from '../imports.ts';
import { type Finding, isCode, isTest, type Tree } from '../tree.ts';

const STARTS = [
  /^packages\/[^/]+\/src\/index\.tsx?$/,
  /^packages\/[^/]+\/src\/(.*\/)?main\.tsx?$/,
  /^packages\/[^/]+\/bin\/[^/]+$/,
  /^packages\/[^/]+\/scripts\/[^/]+$/,
  /^(tools|bench|sim|models)\/(.*\/)?main\.(ts|mjs)$/,
  /^tools\/[^/]+\.mjs$/,
  /^plugins\/[^/]+\/[^/]+$/,
  /^[^/]+\.config\.[a-z]+$/,
];

export function deadFiles(tree: Tree): readonly Finding[] {
  const code = tree.paths.filter(isCode);
  const known = new Set(code);
  const manifests = tree.paths.filter((path) => /(^|\/)package\.json$/.test(path));
  const named = manifests.map((path) => tree.text(path)).join('\n');
  const entries = new Set(entriesOf(tree).values());
  const starts = (path: string): boolean =>
    isTest(path) || entries.has(path) || STARTS.some((start) => start.test(path));
  const open = code.filter((path) => starts(path) || named.includes(path));
  const alive = new Set(open);
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    for (const edge of importsOf(tree.parsed(path))) {
      if (edge.specifier === undefined || !edge.specifier.startsWith('.')) continue;
      const target = posix.join(posix.dirname(path), edge.specifier);
      if (!known.has(target) || alive.has(target)) continue;
      alive.add(target);
      open.push(target);
    }
  }
  return code
    .filter((path) => !alive.has(path))
    .map((file) => {
      const message = 'nothing reaches this file: no index, program, tool, bench or test';
      return { file, line: 1, rule: 'dead-files', message };
    });
}
