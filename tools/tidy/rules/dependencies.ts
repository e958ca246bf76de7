/**
 * A package states what it imports.
 *
 * Decides: a bare import of a product file stands in its own `package.json`; one of a test, tool or
 * bench there or at the root. What is only hoisted by chance breaks at the user's machine.
 */
import { builtinModules } from 'node:module';
import { importsOf } from '../imports.ts';
import { type Finding, isCode, isProduct, packageOf, type Tree } from '../tree.ts';

const BUILTIN = new Set(builtinModules);

export function dependencies(tree: Tree): readonly Finding[] {
  const findings: Finding[] = [];
  for (const path of tree.paths.filter(isCode)) {
    const home = packageOf(path);
    const own =
      home === undefined ? new Set<string>() : stated(tree, `packages/${home}/package.json`);
    const root = stated(tree, 'package.json');
    for (const edge of importsOf(tree.parsed(path))) {
      const name = edge.specifier === undefined ? undefined : packageName(edge.specifier);
      if (name === undefined || own.has(name)) continue;
      if (!isProduct(path) && (root.has(name) || name === 'quipu' || name.startsWith('@quipu/'))) {
        continue;
      }
      const where = home === undefined ? 'package.json' : `packages/${home}/package.json`;
      const message = `'${name}' is imported but ${where} does not name it`;
      findings.push({ file: path, line: edge.line, rule: 'dependencies', message });
    }
  }
  return findings;
}

function packageName(specifier: string): string | undefined {
  if (/^(\.|\/|#)/.test(specifier) || /^[a-z]+:/.test(specifier)) return undefined;
  const [first = '', second = ''] = specifier.split('/');
  if (BUILTIN.has(specifier) || BUILTIN.has(first)) return undefined;
  return first.startsWith('@') ? `${first}/${second}` : first;
}

function stated(tree: Tree, path: string): ReadonlySet<string> {
  if (!tree.has(path)) return new Set();
  const manifest = JSON.parse(tree.text(path)) as Record<string, unknown>;
  const names = new Set<string>();
  if (typeof manifest['name'] === 'string') names.add(manifest['name']);
  for (const key of [
    'dependencies',
    'devDependencies',
    'optionalDependencies',
    'peerDependencies',
  ]) {
    for (const name of Object.keys((manifest[key] as object | undefined) ?? {})) names.add(name);
  }
  return names;
}
