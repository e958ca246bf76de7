/**
 * `npm run tidy`: prints `file:line rule message` for each finding; exit code 1 when there is one.
 *
 * Decides: `--write` brings generated pages and the ratchet (downwards only) up to date first.
 * `--rewrap FILE…` wraps comment lines that are too wide in these files, and nothing else. The
 * ratchet's history is read from git; without git (an unpacked archive) only that check is left
 * out, and the last line says so.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { checkTree, measuresOf, ratchetOf } from './check-tree.ts';
import { RATCHET_PATH, type Ratchet, shrunk } from './ratchet.ts';
import { rewrapped } from './rewrap.ts';
import { INVARIANTS_PATH, invariantsPage } from './rules/invariants.ts';
import { treeOnDisk } from './tree.ts';

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

if (process.argv.includes('--write')) {
  const tree = treeOnDisk(root);
  const ratchet = shrunk(ratchetOf(tree), measuresOf(tree));
  mkdirSync(join(root, 'docs'), { recursive: true });
  writeFileSync(join(root, INVARIANTS_PATH), invariantsPage(tree));
  writeFileSync(join(root, RATCHET_PATH), `${JSON.stringify(ratchet, null, 2)}\n`);
}

const rewrap = process.argv.indexOf('--rewrap');
for (const path of rewrap === -1 ? [] : process.argv.slice(rewrap + 1)) {
  writeFileSync(path, rewrapped(readFileSync(path, 'utf8')));
}

const tree = treeOnDisk(root);
const history = ratchetHistory();
const findings = checkTree(tree, { history: history ?? [], root });
for (const { file, line, rule, message } of findings) {
  console.log(`${file}:${line} ${rule} ${message}`);
}
const without =
  history === undefined ? " (without git: the ratchet's history was not checked)" : '';
console.log(`tidy: ${tree.paths.length} files, ${findings.length} findings${without}`);
process.exitCode = findings.length === 0 ? 0 : 1;

/** Every committed version of the list; undefined when this is no git checkout. */
function ratchetHistory(): readonly Ratchet[] | undefined {
  try {
    const commits = git('log', '--format=%H', '--diff-filter=AM', '--', RATCHET_PATH);
    return commits
      .split('\n')
      .filter((commit) => commit !== '')
      .map((commit) => JSON.parse(git('show', `${commit}:${RATCHET_PATH}`)) as Ratchet);
  } catch (failure) {
    if (failure instanceof SyntaxError) throw failure;
    return undefined;
  }
}

function git(...args: string[]): string {
  return execFileSync('git', args, {
    cwd: root,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
}
