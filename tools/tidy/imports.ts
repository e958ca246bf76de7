/**
 * Every way in which one file reaches another.
 *
 * Decides: what counts as an edge: `import`, `import type`, `export … from`, `import()`,
 * `import('x')` in a type, `require()`, `require.resolve()`, `import.meta.resolve()`, and a string
 * that names a relative script (how tests start a child). An import whose target is computed hides
 * its edge; it is returned without a specifier, and says in a comment inside the call
 * (`computed: why`) why it must be.
 */
import ts from 'typescript';
import { lineAt } from './tree.ts';

export type Import = {
  /** Undefined when it is computed. */
  readonly specifier: string | undefined;
  readonly line: number;
  readonly kind: 'import' | 'type' | 'export' | 'dynamic' | 'require' | 'reference';
  /** The reason given for a computed target. */
  readonly reason?: string;
};

export function importsOf(file: ts.SourceFile): readonly Import[] {
  const found: Import[] = [];
  const visit = (node: ts.Node): void => {
    const edge = edgeAt(node, file);
    if (edge !== undefined) found.push(edge);
    ts.forEachChild(node, visit);
  };
  visit(file);
  return found;
}

function edgeAt(node: ts.Node, file: ts.SourceFile): Import | undefined {
  const line = lineAt(file, node.getStart(file));
  if (ts.isImportDeclaration(node)) {
    const kind = node.importClause?.phaseModifier === ts.SyntaxKind.TypeKeyword ? 'type' : 'import';
    return { specifier: textOf(node.moduleSpecifier), line, kind };
  }
  if (ts.isExportDeclaration(node) && node.moduleSpecifier !== undefined) {
    return { specifier: textOf(node.moduleSpecifier), line, kind: 'export' };
  }
  if (ts.isImportEqualsDeclaration(node) && ts.isExternalModuleReference(node.moduleReference)) {
    return { specifier: textOf(node.moduleReference.expression), line, kind: 'require' };
  }
  if (ts.isImportTypeNode(node)) {
    const literal = ts.isLiteralTypeNode(node.argument) ? node.argument.literal : undefined;
    return { specifier: textOf(literal), line, kind: 'type' };
  }
  if (ts.isCallExpression(node)) return callEdge(node, line, file);
  if (isImportsOwnText(node)) return undefined;
  if (ts.isStringLiteralLike(node) && /^\.\.?\/.*\.(ts|tsx|mts|mjs|js|cjs)$/.test(node.text)) {
    return { specifier: node.text, line, kind: 'reference' };
  }
  return undefined;
}

function callEdge(node: ts.CallExpression, line: number, file: ts.SourceFile): Import | undefined {
  const callee = node.expression;
  const argument = node.arguments[0];
  if (callee.kind === ts.SyntaxKind.ImportKeyword) {
    const specifier = textOf(argument);
    if (specifier !== undefined) return { specifier, line, kind: 'dynamic' };
    const reason = /\/\*\s*computed:\s*(\S[^*]*?)\s*\*\//.exec(node.getText(file))?.[1];
    return { specifier, line, kind: 'dynamic', ...(reason === undefined ? {} : { reason }) };
  }
  const name = callee.getText(file);
  if (name !== 'require' && name !== 'require.resolve' && name !== 'import.meta.resolve') {
    return undefined;
  }
  // What is resolved at run time by a computed name goes through Node's own rules; no edge of ours.
  const specifier = textOf(argument);
  return specifier === undefined ? undefined : { specifier, line, kind: 'require' };
}

/** The string of an import is that import's edge, not a second one. */
function isImportsOwnText(node: ts.Node): boolean {
  const { parent } = node;
  if (parent === undefined || ts.isSourceFile(node)) return false;
  if (ts.isImportDeclaration(parent) || ts.isExportDeclaration(parent)) return true;
  if (ts.isExternalModuleReference(parent)) return true;
  if (ts.isLiteralTypeNode(parent)) return ts.isImportTypeNode(parent.parent);
  return ts.isCallExpression(parent) && parent.expression.kind === ts.SyntaxKind.ImportKeyword;
}

function textOf(node: ts.Node | undefined): string | undefined {
  return node !== undefined && ts.isStringLiteralLike(node) ? node.text : undefined;
}
