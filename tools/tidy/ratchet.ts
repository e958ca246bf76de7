/**
 * Exemptions that only shrink.
 *
 * Decides: a measure over its limit is tolerated up to the number that `ratchet.json` records for
 * it. Growing past the number fails; shrinking below it fails too until the smaller number is
 * recorded (`npm run tidy -- --write`, which never writes a larger one). The list itself is held to
 * its own history: no number may exceed the smallest that a commit ever recorded for that entry,
 * and an entry that was absent once stays absent.
 */
import type { Finding } from './tree.ts';

export type RatchetList = 'fileLines' | 'functionLines' | 'wideLines' | 'ambient';

export type Measure = {
  readonly list: RatchetList;
  readonly key: string;
  readonly value: number;
  readonly file: string;
  readonly line: number;
  readonly what: string;
};

export type Ratchet = Readonly<Record<string, Readonly<Record<string, number>>>>;

export const RATCHET_PATH = 'tools/tidy/ratchet.json';

export function heldBy(ratchet: Ratchet, measures: readonly Measure[]): readonly Finding[] {
  const findings: Finding[] = [];
  const seen = new Set<string>();
  for (const measure of measures) {
    seen.add(`${measure.list} ${measure.key}`);
    const allowed = ratchet[measure.list]?.[measure.key];
    if (allowed === measure.value) continue;
    const { file, line } = measure;
    if (allowed === undefined || measure.value > allowed) {
      const held = allowed === undefined ? '' : `; the ratchet holds it at ${allowed}`;
      findings.push({ file, line, rule: measure.list, message: measure.what + held });
    } else {
      const message = `${measure.what}; it shrank from ${allowed}: record it with --write`;
      findings.push({ file, line, rule: 'ratchet', message });
    }
  }
  for (const [list, entries] of Object.entries(ratchet)) {
    for (const key of Object.keys(entries)) {
      if (seen.has(`${list} ${key}`)) continue;
      findings.push(atRatchet(`'${key}' needs no exemption in ${list} any more: use --write`));
    }
  }
  return findings;
}

/** What the list may hold at most, given every version that was ever committed. */
export function grownSince(history: readonly Ratchet[], current: Ratchet): readonly Finding[] {
  const findings: Finding[] = [];
  for (const [list, entries] of Object.entries(current)) {
    for (const [key, value] of Object.entries(entries)) {
      const least = Math.min(...history.map((past) => past[list]?.[key] ?? 0));
      if (value <= least) continue;
      const now = `'${key}' in ${list} is ${value}`;
      const message = `${now}; it was ${least} once: the list only shrinks`;
      findings.push(atRatchet(message));
    }
  }
  return findings;
}

/** The list with what is smaller or gone taken over; nothing new, nothing larger. */
export function shrunk(ratchet: Ratchet, measures: readonly Measure[]): Ratchet {
  const next: Record<string, Record<string, number>> = {};
  for (const [list, entries] of Object.entries(ratchet)) {
    next[list] = {};
    for (const [key, allowed] of Object.entries(entries).sort()) {
      const found = measures.find((measure) => measure.list === list && measure.key === key);
      if (found !== undefined) next[list][key] = Math.min(allowed, found.value);
    }
  }
  return next;
}

const atRatchet = (message: string): Finding => ({
  file: RATCHET_PATH,
  line: 1,
  rule: 'ratchet',
  message,
});
