/**
 * A `core/` folder is pure.
 *
 * Decides: no Node module and nothing asynchronous in it, so that the code that a model checker or
 * a simulation steps through is the code that runs. Clock and dice are the rule `ambient`.
 */
import { builtinModules } from 'node:module';
import ts from 'typescript';
import { importsOf } from '../imports.ts';
import { type Finding, isProduct, lineAt, type Tree } from '../tree.ts';

export function core(tree: Tree): readonly Finding[] {
  const findings: Finding[] = [];
  for (const path of tree.paths) {
    if (!isProduct(path) || !/\/src\/(.*\/)?core\//.test(path)) continue;
    const file = tree.parsed(path);
    const report = (line: number, message: string): void => {
      findings.push({ file: path, line, rule: 'core', message });
    };
    for (const edge of importsOf(file)) {
      const name = edge.specifier ?? '';
      if (name.startsWith('node:') || builtinModules.includes(name)) {
        report(edge.line, `'${name}' in a core: give the core what it needs as an argument`);
      } else if (/(^|\/)shell\//.test(name)) {
        report(edge.line, `'${name}': a core does not know its shell`);
      }
    }
    const visit = (node: ts.Node): void => {
      if (isAsynchronous(node)) {
        const message = 'asynchronous code in a core: return a command, and let the shell wait';
        report(lineAt(file, node.getStart(file)), message);
      }
      ts.forEachChild(node, visit);
    };
    visit(file);
  }
  return findings;
}

function isAsynchronous(node: ts.Node): boolean {
  if (node.kind === ts.SyntaxKind.AsyncKeyword || ts.isAwaitExpression(node)) return true;
  if (ts.isForOfStatement(node)) return node.awaitModifier !== undefined;
  return ts.isNewExpression(node) && ts.isIdentifier(node.expression)
    ? node.expression.text === 'Promise'
    : false;
}
