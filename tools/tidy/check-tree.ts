/**
 * All rules over one tree.
 *
 * Decides: the list of rules, and the order of what is printed. A rule that is added here without a
 * planted violation in the tests fails `rules.test.ts`.
 */
import { grownSince, heldBy, type Measure, RATCHET_PATH, type Ratchet } from './ratchet.ts';
import { ambient } from './rules/ambient.ts';
import { core } from './rules/core.ts';
import { deadFiles } from './rules/dead-files.ts';
import { dependencies } from './rules/dependencies.ts';
import { docExamples, docLinks } from './rules/docs.ts';
import { header } from './rules/header.ts';
import { invariants } from './rules/invariants.ts';
import { layers } from './rules/layers.ts';
import { lengths } from './rules/lengths.ts';
import { names } from './rules/names.ts';
import { words } from './rules/words.ts';
import type { Finding, Rule, Tree } from './tree.ts';

export const RULES: Readonly<Record<string, Rule>> = Object.freeze({
  layers,
  dependencies,
  header,
  names,
  core,
  invariants,
  'dead-files': deadFiles,
  words,
  'doc-links': docLinks,
});

/** What the ratchet holds: a number over a limit, or how often a file touches the ambient world. */
export function measuresOf(tree: Tree): readonly Measure[] {
  const touches = new Map<string, Finding[]>();
  for (const finding of ambient(tree)) {
    touches.set(finding.file, [...(touches.get(finding.file) ?? []), finding]);
  }
  const counted = [...touches].map(([file, found]): Measure => {
    const what = found.map(({ line, message }) => `line ${line}: ${message}`).join('; ');
    const line = found[0]?.line ?? 1;
    return { list: 'ambient', key: file, value: found.length, file, line, what };
  });
  return [...lengths(tree), ...counted];
}

export function ratchetOf(tree: Tree): Ratchet {
  return tree.has(RATCHET_PATH) ? (JSON.parse(tree.text(RATCHET_PATH)) as Ratchet) : {};
}

export function checkTree(
  tree: Tree,
  context: { readonly history: readonly Ratchet[]; readonly root?: string },
): readonly Finding[] {
  const ratchet = ratchetOf(tree);
  const findings = [
    ...Object.values(RULES).flatMap((rule) => rule(tree)),
    ...heldBy(ratchet, measuresOf(tree)),
    ...(context.history.length === 0 ? [] : grownSince(context.history, ratchet)),
    ...(context.root === undefined ? [] : docExamples(tree, context.root)),
  ];
  return findings.sort((a, b) => a.file.localeCompare(b.file) || a.line - b.line);
}
