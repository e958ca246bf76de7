/**
 * Direction: imports go to lower numbers, and into another package only through its entries (its
 * index, and what else its `package.json` exports).
 *
 * Decides: what an edge must satisfy. The finding prints the edge and what would be allowed. Tests
 * obey the same order (a test that needs two packages of one level belongs above both); tools and
 * the bench may use any package, through its index too.
 */
import { posix } from 'node:path';
import { entriesOf } from '../entries.ts';
import { type Import, importsOf } from '../imports.ts';
import { LAYERS, ownPackage, scopedName } from '../packages.ts';
import { type Finding, isCode, isTest, packageOf, type Tree } from '../tree.ts';

export function layers(tree: Tree): readonly Finding[] {
  const findings: Finding[] = [];
  const entries = entriesOf(tree);
  for (const path of tree.paths.filter(isCode)) {
    const home = packageOf(path);
    if (home !== undefined && LAYERS[home] === undefined) {
      findings.push(at(path, 1, `package '${home}' has no layer number: add it to packages.ts`));
      continue;
    }
    for (const edge of importsOf(tree.parsed(path))) {
      const message = faultOf(path, home, edge, entries);
      if (message !== undefined) findings.push(at(path, edge.line, message));
    }
  }
  return findings;
}

type Entries = ReadonlyMap<string, string>;

function faultOf(
  path: string,
  home: string | undefined,
  edge: Import,
  entries: Entries,
): string | undefined {
  if (edge.specifier === undefined) {
    if (home === undefined || isTest(path) || edge.reason !== undefined) return undefined;
    return 'a computed import hides its edge: name it, or say why: import(/* computed: … */ x)';
  }
  // In a test a string that looks like a path may be just that: what is tested.
  if (edge.kind === 'reference' && isTest(path)) return undefined;
  const own = ownPackage(edge.specifier);
  if (own !== undefined) return packageFault(home, own, edge.specifier, entries);
  if (edge.specifier.startsWith('.')) return relativeFault(path, home, edge.specifier);
  return undefined;
}

function packageFault(
  home: string | undefined,
  target: { name: string; inside: string },
  specifier: string,
  entries: Entries,
): string | undefined {
  const level = LAYERS[target.name];
  if (level === undefined) return `'${specifier}' is no package of this repository`;
  if (!['', '/package.json'].includes(target.inside) && !entries.has(specifier)) {
    return `'${specifier}' reaches past the index: import '${scopedName(target.name)}'`;
  }
  if (home === undefined || home === target.name) return undefined;
  const own = LAYERS[home] ?? 0;
  if (level < own) return undefined;
  const edge = `${home} (${own}) → ${target.name} (${level})`;
  return `${edge} does not go down; allowed from ${home}: ${allowedFrom(home)}`;
}

function relativeFault(path: string, home: string | undefined, specifier: string) {
  const target = posix.join(posix.dirname(path), specifier);
  const other = packageOf(target);
  if (other === home) return undefined;
  if (other !== undefined) {
    const place = `'${specifier}' reaches into package '${other}' by path`;
    return `${place}: import '${scopedName(other)}'`;
  }
  if (home === undefined || isTest(path)) return undefined;
  return `'${specifier}' leaves package '${home}'; allowed: ${allowedFrom(home)}`;
}

function allowedFrom(home: string): string {
  const own = LAYERS[home] ?? 0;
  const lower = Object.keys(LAYERS).filter((name) => (LAYERS[name] ?? 0) < own);
  return lower.length === 0 ? 'its own files only' : lower.join(', ');
}

const at = (file: string, line: number, message: string): Finding => {
  return { file, line, rule: 'layers', message };
};
