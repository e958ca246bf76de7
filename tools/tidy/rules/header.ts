/**
 * Each source file opens with what it decides.
 *
 * Decides: the first thing in a source file (after `#!`) is a documentation comment with words in
 * it. Whether the words are right is for a reader; tests state their claims in their names instead.
 */
import { HEADER_WORDS_MIN } from '../limits.ts';
import { type Finding, isCode, isTest, type Tree } from '../tree.ts';

export function header(tree: Tree): readonly Finding[] {
  return tree.paths
    .filter((path) => isSource(path) && wordsOf(headerOf(tree.text(path))) < HEADER_WORDS_MIN)
    .map((file) => ({
      file,
      line: 1,
      rule: 'header',
      message: "the file does not open with '/** … */' that says what it decides",
    }));
}

const isSource = (path: string): boolean =>
  isCode(path) && !isTest(path) && /^(packages|tools|bench|plugins|models|sim)\//.test(path);

/** The opening comment with its stars, or an empty string. */
export function headerOf(text: string): string {
  const body = text.replace(/^\uFEFF?(#![^\n]*\n)?\s*/, '');
  return body.startsWith('/**') ? body.slice(0, body.indexOf('*/') + 2) : '';
}

const wordsOf = (comment: string): number =>
  comment.match(/[\p{L}\p{N}][\p{L}\p{N}'-]*/gu)?.length ?? 0;
