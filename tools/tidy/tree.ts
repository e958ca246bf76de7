/**
 * The repository as tidy sees it: paths, texts, and parsed sources.
 *
 * Decides: which folders hold no source of ours (dependencies, built output, recorded fixtures),
 * and which kind of file a path is. A rule never reads the disk: it asks a tree, so that its tests
 * plant a violation in a tree made of strings.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import ts from 'typescript';

export type Tree = {
  /** Files with forward slashes, relative to the root, sorted. */
  readonly paths: readonly string[];
  readonly text: (path: string) => string;
  /** A file or a folder is there, listed or not. */
  readonly has: (path: string) => boolean;
  readonly parsed: (path: string) => ts.SourceFile;
};

export type Finding = {
  readonly file: string;
  readonly line: number;
  readonly rule: string;
  readonly message: string;
};

export type Rule = (tree: Tree) => readonly Finding[];

const FOLDERS_LEFT_OUT = new Set(['.git', 'node_modules', 'dist', 'coverage', 'tmp']);

export function treeOnDisk(root: string): Tree {
  const paths: string[] = [];
  const walk = (folder: string): void => {
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      if (FOLDERS_LEFT_OUT.has(entry.name)) continue;
      const path = join(folder, entry.name);
      if (entry.isDirectory()) walk(path);
      else if (entry.isFile()) paths.push(relative(root, path).split('\\').join('/'));
    }
  };
  walk(root);
  const read = (path: string): string => readFileSync(join(root, path), 'utf8');
  const has = (path: string): boolean => existsSync(join(root, path));
  return treeFrom(paths, read, has);
}

/** A tree of strings, for tests. */
export function treeOf(files: Readonly<Record<string, string>>): Tree {
  const paths = Object.keys(files);
  const read = (path: string): string => {
    const text = files[path];
    if (text === undefined) throw new Error(`no file ${path} in this tree`);
    return text;
  };
  const has = (path: string): boolean =>
    path in files || paths.some((other) => other.startsWith(`${path.replace(/\/$/, '')}/`));
  return treeFrom(paths, read, has);
}

function treeFrom(
  paths: readonly string[],
  read: (path: string) => string,
  has: (path: string) => boolean,
): Tree {
  const texts = new Map<string, string>();
  const parsed = new Map<string, ts.SourceFile>();
  const text = (path: string): string => {
    let known = texts.get(path);
    if (known === undefined) {
      known = read(path);
      texts.set(path, known);
    }
    return known;
  };
  return {
    paths: [...paths].sort(),
    text,
    has,
    parsed: (path) => {
      let known = parsed.get(path);
      if (known === undefined) {
        known = ts.createSourceFile(path, text(path), ts.ScriptTarget.Latest, true);
        parsed.set(path, known);
      }
      return known;
    },
  };
}

export const isFixture = (path: string): boolean => /(^|\/)fixtures\//.test(path);

/** Code that Quipu's people wrote: scripts and sources, without recorded fixtures. */
export const isCode = (path: string): boolean =>
  /\.(ts|tsx|mts|mjs|js|cjs)$/.test(path) && !isFixture(path) && !path.endsWith('.d.ts');

export const isTest = (path: string): boolean => /\.test\.tsx?$/.test(path) || inTestFolder(path);

const inTestFolder = (path: string): boolean => /(^|\/)(test|tests|testing)\//.test(path);

/** Code that ships: what a package holds, but for its tests. */
export const isProduct = (path: string): boolean =>
  /^packages\/[^/]+\/(src|bin)\//.test(path) && isCode(path) && !isTest(path);

/** Name of the package's folder, or undefined outside `packages/`. */
export const packageOf = (path: string): string | undefined =>
  /^packages\/([^/]+)\//.exec(path)?.[1];

export function lineAt(file: ts.SourceFile, position: number): number {
  return file.getLineAndCharacterOfPosition(position).line + 1;
}
