/**
 * Pages lead somewhere, and their examples compile.
 *
 * Decides: a relative link in Markdown names a file or folder that is there, and a heading when it
 * has a fragment. A block fenced `ts` is a module that compiles against the packages; a fragment
 * that is not meant to compile is fenced otherwise (`ts ignore` says so).
 */
import { posix } from 'node:path';
import ts from 'typescript';
import { type Finding, isFixture, type Tree } from '../tree.ts';

const isPage = (path: string): boolean => path.endsWith('.md') && !isFixture(path);

export function docLinks(tree: Tree): readonly Finding[] {
  return tree.paths.filter(isPage).flatMap((file) =>
    linksIn(tree.text(file)).flatMap(({ target, line }) => {
      const message = linkFault(tree, file, target);
      return message === undefined ? [] : [{ file, line, rule: 'doc-links', message }];
    }),
  );
}

function linksIn(text: string): { target: string; line: number }[] {
  let fenced = false;
  return text.split('\n').flatMap((row, index) => {
    if (/^\s*(```|~~~)/.test(row)) fenced = !fenced;
    if (fenced) return [];
    const plain = row.replace(/`[^`]*`/g, '');
    return [...plain.matchAll(/\]\(\s*<?([^)\s>]+)>?[^)]*\)|^\s*\[[^\]]+\]:\s+(\S+)/g)].map(
      (match) => {
        return { target: match[1] ?? match[2] ?? '', line: index + 1 };
      },
    );
  });
}

function linkFault(tree: Tree, file: string, target: string): string | undefined {
  if (/^[a-z][a-z+.-]*:/i.test(target)) return undefined;
  const [path = '', fragment] = target.split('#');
  const to = path === '' ? file : posix.join(posix.dirname(file), decodeURIComponent(path));
  if (path.startsWith('/') || to.startsWith('..') || !tree.has(to)) {
    return `'${target}' leads nowhere`;
  }
  if (fragment === undefined || !isPage(to)) return undefined;
  return anchorsOf(tree.text(to)).has(fragment) ? undefined : `'${target}': no such heading`;
}

function anchorsOf(text: string): ReadonlySet<string> {
  const headings = text.split('\n').flatMap((line) => /^#{1,6}\s+(.*)$/.exec(line)?.[1] ?? []);
  const slug = (heading: string): string =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .trim()
      .replace(/\s/g, '-');
  return new Set(headings.map(slug));
}

type Example = { readonly file: string; readonly line: number; readonly code: string };

export function examplesIn(tree: Tree): readonly Example[] {
  return tree.paths.filter(isPage).flatMap((file) => {
    const rows = tree.text(file).split('\n');
    const found: Example[] = [];
    for (let at = 0; at < rows.length; at += 1) {
      if (!/^```(ts|typescript)\s*$/.test(rows[at] ?? '')) continue;
      const end = rows.findIndex((row, index) => index > at && row.startsWith('```'));
      const body = rows.slice(at + 1, end === -1 ? rows.length : end);
      found.push({ file, line: at + 2, code: body.join('\n') });
      at += body.length;
    }
    return found;
  });
}

/** Compiles every example as a module of its own at the root, with the repository's settings. */
export function docExamples(tree: Tree, root: string): readonly Finding[] {
  const examples = examplesIn(tree);
  if (examples.length === 0) return [];
  const config = ts.readConfigFile(posix.join(root, 'tsconfig.json'), ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent(config.config, ts.sys, root);
  const modules = new Map(
    examples.map((example, index) => [posix.join(root, `example-${index}.ts`), example]),
  );
  const host = ts.createCompilerHost(options);
  const { readFile, fileExists, getSourceFile } = host;
  host.fileExists = (path) => modules.has(path) || fileExists(path);
  host.readFile = (path) => modules.get(path)?.code ?? readFile(path);
  host.getSourceFile = (path, version, ...rest) => {
    const example = modules.get(path);
    if (example === undefined) return getSourceFile(path, version, ...rest);
    return ts.createSourceFile(path, `${example.code}\nexport {};\n`, version);
  };
  const program = ts.createProgram([...modules.keys()], options, host);
  return [...modules].flatMap(([path, example]) => {
    const source = program.getSourceFile(path);
    if (source === undefined) throw new Error(`the compiler lost the example of ${example.file}`);
    const faults = [
      ...program.getSyntacticDiagnostics(source),
      ...program.getSemanticDiagnostics(source),
    ];
    return faults.map((fault) => ({
      file: example.file,
      line: example.line + (source.getLineAndCharacterOfPosition(fault.start ?? 0).line ?? 0),
      rule: 'doc-examples',
      message: ts.flattenDiagnosticMessageText(fault.messageText, ' '),
    }));
  });
}
