/**
 * Words that have no place in the repository.
 *
 * Decides: a developer's own folders, the tools of a workplace, addresses of a registry in the
 * lockfile, and notes to oneself. Each makes the repository true on one machine or one day only.
 */
import { type Finding, isCode, isFixture, type Tree } from '../tree.ts';

/** Assembled, so that this file does not hold what it forbids. */
const between = (...words: string[]): string => words.join('');
const FOLDERS = new RegExp(`(?<![\\w./~-])/(?:${between('wo', 'rk')}|${between('ro', 'ot')})/`);
const WORKPLACE = new RegExp(`(?<![\\w/])\\.${between('lib', 'rary')}/`);
const NOTE = new RegExp(
  `\\b(?:${between('TO', 'DO')}|${between('FIX', 'ME')}|${between('X', 'XX')})\\b`,
);

export function words(tree: Tree): readonly Finding[] {
  const findings: Finding[] = [];
  for (const path of tree.paths) {
    if (isFixture(path) || !isText(path)) continue;
    tree
      .text(path)
      .split('\n')
      .forEach((line, index) => {
        const message = faultOf(path, line);
        if (message !== undefined) {
          findings.push({ file: path, line: index + 1, rule: 'words', message });
        }
      });
  }
  return findings;
}

const isText = (path: string): boolean =>
  isCode(path) || /\.(md|json|jsonl|css|html|svg|ya?ml|sh|txt)$/.test(path) || path === '.ci/run';

function faultOf(path: string, line: string): string | undefined {
  if (path === 'package-lock.json') {
    const address = /"resolved":\s*"https?:\/\/([^/"]+)/.exec(line)?.[1];
    return address === undefined ? undefined : `the lockfile pins a registry: ${address}`;
  }
  const folder = FOLDERS.exec(line)?.[0];
  if (folder !== undefined) return `'${folder}' is a folder of one machine`;
  if (WORKPLACE.test(line)) return 'a tool of one workplace is named';
  const note = NOTE.exec(line)?.[0];
  if (note !== undefined && isCode(path)) return `'${note}': do it, or write it down as work`;
  return undefined;
}
