/**
 * Small files, small functions, lines that fit.
 *
 * Decides: what is measured. A file counts its lines; a function counts from its first to its last;
 * a line counts characters. The body of a `describe` is a list of tests, not a function. What is
 * over a limit is a finding unless the ratchet names it with its number.
 */
import ts from 'typescript';
import { FILE_LINES_MAX, FUNCTION_LINES_MAX, LINE_COLUMNS_MAX } from '../limits.ts';
import type { Measure } from '../ratchet.ts';
import { isCode, lineAt, type Tree } from '../tree.ts';

/** Everything that is over its limit. */
export function lengths(tree: Tree): readonly Measure[] {
  return tree.paths.filter(isCode).flatMap((path) => {
    return [...fileMeasures(path, tree.text(path)), ...functionMeasures(path, tree.parsed(path))];
  });
}

function fileMeasures(file: string, text: string): Measure[] {
  const lines = text.replace(/\n$/, '').split('\n');
  const wide = lines.flatMap((line, index) => ([...line].length > LINE_COLUMNS_MAX ? [index] : []));
  const measures: Measure[] = [];
  if (lines.length > FILE_LINES_MAX) {
    const what = `the file has ${lines.length} lines, the limit is ${FILE_LINES_MAX}`;
    measures.push({ list: 'fileLines', key: file, value: lines.length, file, line: 1, what });
  }
  if (wide.length > 0) {
    const what = `${wide.length} line(s) over ${LINE_COLUMNS_MAX} columns`;
    const line = (wide[0] ?? 0) + 1;
    measures.push({ list: 'wideLines', key: file, value: wide.length, file, line, what });
  }
  return measures;
}

function functionMeasures(path: string, file: ts.SourceFile): Measure[] {
  const measures: Measure[] = [];
  const visit = (node: ts.Node): void => {
    if (isFunction(node) && !isDescribeBody(node)) {
      const line = lineAt(file, node.getStart(file));
      const value = lineAt(file, node.getEnd()) - line + 1;
      if (value > FUNCTION_LINES_MAX) {
        const name = nameOf(node);
        const what = `'${name}' has ${value} lines, the limit is ${FUNCTION_LINES_MAX}`;
        const key = `${path}#${name}`;
        measures.push({ list: 'functionLines', key, value, file: path, line, what });
      }
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return measures;
}

function isFunction(node: ts.Node): node is ts.FunctionLikeDeclaration {
  return ts.isFunctionLike(node) && 'body' in node && node.body !== undefined;
}

function isDescribeBody(node: ts.Node): boolean {
  const call = node.parent;
  if (call === undefined || !ts.isCallExpression(call)) return false;
  return /^describe\b/.test(call.expression.getText());
}

function nameOf(node: ts.FunctionLikeDeclaration): string {
  if (node.name !== undefined) return node.name.getText();
  const parent = node.parent as ts.Node & { readonly name?: ts.Node };
  if (parent.name !== undefined) return parent.name.getText();
  if (ts.isCallExpression(node.parent)) {
    const first = node.parent.arguments[0];
    const title = first !== undefined && ts.isStringLiteralLike(first) ? ` ${first.text}` : '';
    return `${node.parent.expression.getText().split('\n')[0]}${title}`;
  }
  return ts.isConstructorDeclaration(node) ? 'constructor' : 'anonymous';
}
