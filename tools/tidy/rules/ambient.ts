/**
 * Clock, dice and timers come from the kernel.
 *
 * Decides: which names are the ambient world, however they are reached: by name, by subscript,
 * through `globalThis`, by destructuring, under an alias, or imported from a `node:` module. Tests,
 * tools and the bench may use them; in the product only the kernel, and the page's own edge.
 */
import ts from 'typescript';
import { type Finding, isProduct, lineAt, type Tree } from '../tree.ts';

/** Where the ambient world is turned into an interface. The browser has no kernel but this file. */
const HOMES = [/^packages\/kernel\/src\//, /^packages\/web\/src\/browser\.ts$/];

const GLOBAL_OBJECTS = new Set(['globalThis', 'global', 'window', 'self']);
const TIMERS = new Set(['setTimeout', 'setInterval', 'setImmediate', 'requestIdleCallback']);
const TIMER_MODULES = new Set(['node:timers', 'node:timers/promises', 'timers', 'timers/promises']);
/** Members that are ambient on whatever object they are found. */
const DICE = new Set([
  'randomUUID',
  'randomBytes',
  'randomInt',
  'randomFill',
  'randomFillSync',
  'getRandomValues',
]);
const AMBIENT_MEMBERS: Readonly<Record<string, ReadonlySet<string>>> = {
  Date: new Set(['now']),
  Math: new Set(['random']),
  performance: new Set(['now', 'timeOrigin']),
  process: new Set(['hrtime', 'uptime']),
  AbortSignal: new Set(['timeout']),
};
/** Objects with an ambient member: handing one on under another name hides it. */
const NOT_ALIASED = new Set(['Date', 'Math', 'performance']);
const AMBIENT_EXPORTS: Readonly<Record<string, ReadonlySet<string>>> = {
  crypto: new Set([...DICE, 'webcrypto']),
  process: new Set(['hrtime', 'uptime']),
  perf_hooks: new Set(['performance']),
};

export function ambient(tree: Tree): readonly Finding[] {
  const findings: Finding[] = [];
  for (const path of tree.paths.filter(isProduct)) {
    if (HOMES.some((home) => home.test(path))) continue;
    const file = tree.parsed(path);
    const visit = (node: ts.Node): void => {
      const what = ambientAt(node);
      if (what !== undefined) {
        const message = `${what} is ambient: take it from the kernel's interfaces`;
        findings.push({
          file: path,
          line: lineAt(file, node.getStart(file)),
          rule: 'ambient',
          message,
        });
      }
      ts.forEachChild(node, visit);
    };
    visit(file);
  }
  return findings;
}

function ambientAt(node: ts.Node): string | undefined {
  if (ts.isImportDeclaration(node)) return importFault(node);
  if (ts.isPropertyAccessExpression(node)) return memberFault(node.expression, node.name.text);
  if (ts.isElementAccessExpression(node) && ts.isStringLiteralLike(node.argumentExpression)) {
    return memberFault(node.expression, node.argumentExpression.text);
  }
  if (ts.isVariableDeclaration(node) && ts.isObjectBindingPattern(node.name)) {
    return destructuringFault(node.name, node.initializer);
  }
  if (ts.isNewExpression(node) || ts.isCallExpression(node)) return globalDateFault(node);
  if (ts.isIdentifier(node)) return identifierFault(node);
  return undefined;
}

/** `new globalThis.Date()`; the plain form is found at its identifier. */
function globalDateFault(node: ts.NewExpression | ts.CallExpression): string | undefined {
  if (ts.isIdentifier(node.expression) || objectName(node.expression) !== 'Date') return undefined;
  if (ts.isNewExpression(node) && (node.arguments?.length ?? 0) > 0) return undefined;
  return node.getText();
}

function importFault(node: ts.ImportDeclaration): string | undefined {
  if (!ts.isStringLiteral(node.moduleSpecifier)) return undefined;
  const module = node.moduleSpecifier.text;
  if (TIMER_MODULES.has(module)) return `'${module}'`;
  const banned = AMBIENT_EXPORTS[module.replace(/^node:/, '')];
  const bindings = node.importClause?.namedBindings;
  if (banned === undefined || bindings === undefined || !ts.isNamedImports(bindings)) {
    return undefined;
  }
  const name = bindings.elements
    .map((element) => (element.propertyName ?? element.name).text)
    .find((text) => banned.has(text));
  return name === undefined ? undefined : `'${name}' of '${module}'`;
}

function memberFault(object: ts.Expression, member: string): string | undefined {
  if (DICE.has(member)) return `.${member}`;
  const name = objectName(object);
  if (name === undefined) return undefined;
  if (GLOBAL_OBJECTS.has(name) && TIMERS.has(member)) return `${name}.${member}`;
  return AMBIENT_MEMBERS[name]?.has(member) === true ? `${name}.${member}` : undefined;
}

/** `Date` for `Date`, `globalThis.Date` and `globalThis['Date']`. */
function objectName(object: ts.Expression): string | undefined {
  if (ts.isIdentifier(object)) return object.text;
  if (ts.isParenthesizedExpression(object)) return objectName(object.expression);
  const base =
    ts.isPropertyAccessExpression(object) || ts.isElementAccessExpression(object)
      ? object.expression
      : undefined;
  if (base === undefined || !ts.isIdentifier(base) || !GLOBAL_OBJECTS.has(base.text)) {
    return undefined;
  }
  if (ts.isPropertyAccessExpression(object)) return object.name.text;
  const key = (object as ts.ElementAccessExpression).argumentExpression;
  return ts.isStringLiteralLike(key) ? key.text : undefined;
}

function destructuringFault(pattern: ts.ObjectBindingPattern, from: ts.Expression | undefined) {
  if (from === undefined) return undefined;
  for (const element of pattern.elements) {
    const key = element.propertyName ?? element.name;
    if (!ts.isIdentifier(key) && !ts.isStringLiteralLike(key)) continue;
    const fault = memberFault(from, key.text);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

function identifierFault(node: ts.Identifier): string | undefined {
  if (!isValueReference(node)) return undefined;
  if (TIMERS.has(node.text)) return node.text;
  if (!NOT_ALIASED.has(node.text)) return undefined;
  const parent = node.parent;
  if (ts.isPropertyAccessExpression(parent) || ts.isElementAccessExpression(parent)) {
    const literal =
      ts.isPropertyAccessExpression(parent) || ts.isStringLiteralLike(parent.argumentExpression);
    return literal ? undefined : `a computed member of ${node.text}`;
  }
  if (ts.isVariableDeclaration(parent) && ts.isObjectBindingPattern(parent.name)) return undefined;
  if (node.text === 'Date') {
    if (ts.isNewExpression(parent) && parent.expression === node) {
      return (parent.arguments?.length ?? 0) === 0 ? 'new Date()' : undefined;
    }
    if (ts.isCallExpression(parent) && parent.expression === node) return 'Date()';
    if (ts.isBinaryExpression(parent) && parent.right === node) {
      if (parent.operatorToken.kind === ts.SyntaxKind.InstanceOfKeyword) return undefined;
    }
  }
  return `${node.text} under another name`;
}

/** The identifier stands for a value here, and is not the name of a member, a type or a binding. */
function isValueReference(node: ts.Identifier): boolean {
  const parent = node.parent;
  if (ts.isPropertyAccessExpression(parent)) return parent.expression === node;
  if (ts.isTypeNode(parent) || ts.isQualifiedName(parent)) return false;
  if (ts.isExpressionWithTypeArguments(parent)) return false;
  if (ts.isShorthandPropertyAssignment(parent)) return true;
  if (ts.isImportSpecifier(parent) || ts.isExportSpecifier(parent)) return false;
  if (ts.isJsxAttribute(parent)) return false;
  const named = parent as ts.Node & { readonly name?: ts.Node; readonly propertyName?: ts.Node };
  return named.name !== node && named.propertyName !== node;
}
