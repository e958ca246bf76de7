/**
 * Names say what a thing is.
 *
 * Decides: which words are no name: a file or folder that ends in one, or an exported symbol that
 * does, is filed under "somewhere" instead of under what it holds.
 */
import ts from 'typescript';
import { type Finding, isCode, isFixture, lineAt, type Tree } from '../tree.ts';

const NO_NAME = new Set([
  'util',
  'utils',
  'utilities',
  'helper',
  'helpers',
  'manager',
  'managers',
  'data',
  'misc',
  'common',
]);
const NO_SYMBOL =
  /(?:^|[a-z0-9_])(Util|Utils|Helper|Helpers|Manager|Managers)$|^(utils?|helpers?)$/;

export function names(tree: Tree): readonly Finding[] {
  const findings: Finding[] = [];
  for (const path of tree.paths) {
    if (isFixture(path) || !/^(packages|tools|bench|docs|plugins|models|sim)\//.test(path))
      continue;
    const bad = path.split('/').find((segment) => NO_NAME.has(lastWord(segment)));
    if (bad !== undefined) {
      const message = `'${bad}' names no concept: call it by what it holds`;
      findings.push({ file: path, line: 1, rule: 'names', message });
    }
    if (isCode(path)) findings.push(...symbolFaults(path, tree.parsed(path)));
  }
  return findings;
}

/** `string-utils.test.ts` → `utils`; `data-directory.ts` → `directory`. */
const lastWord = (segment: string): string =>
  (segment.replace(/^\./, '').split('.')[0] ?? '').toLowerCase().split(/[-_]/).at(-1) ?? '';

function symbolFaults(path: string, file: ts.SourceFile): Finding[] {
  const findings: Finding[] = [];
  for (const statement of file.statements) {
    for (const name of exportedNames(statement)) {
      if (!NO_SYMBOL.test(name.text)) continue;
      const message = `exported '${name.text}' names no concept: call it by what it does`;
      const line = lineAt(file, name.getStart(file));
      findings.push({ file: path, line, rule: 'names', message });
    }
  }
  return findings;
}

function exportedNames(statement: ts.Statement): readonly (ts.Identifier | ts.StringLiteral)[] {
  if (ts.isExportDeclaration(statement)) {
    const clause = statement.exportClause;
    if (clause === undefined) return [];
    if (ts.isNamespaceExport(clause)) return [clause.name];
    return clause.elements.map((element) => element.name);
  }
  const modifiers = ts.canHaveModifiers(statement) ? ts.getModifiers(statement) : undefined;
  if (modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword) !== true) return [];
  if (ts.isVariableStatement(statement)) {
    return statement.declarationList.declarations.flatMap(({ name }) =>
      ts.isIdentifier(name) ? [name] : [],
    );
  }
  const { name } = statement as ts.Statement & { readonly name?: ts.Node };
  return name !== undefined && ts.isIdentifier(name) ? [name] : [];
}
