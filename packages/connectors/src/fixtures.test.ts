/**
 * Readers on what real programs left behind: the recorded fixtures, each against a page that a
 * person wrote who had read its files (`docs/formats/recording.md`).
 */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { TranscriptEvent } from '@quipu/store';
import { describe, expect, test } from 'vitest';
import { AGENTS } from './agents.ts';
import type { AgentEntry } from './reader.ts';
import { described, expectedOf, type Fixture, fixtures, sourcesOf } from './testing/fixture.ts';
import { checkDamage, readAll, splitDifferences } from './testing/parser-checks.ts';

const ALL = fixtures(AGENTS);
const agentOf = ({ agent }: Fixture): AgentEntry => {
  const entry = AGENTS.find(({ name }) => name === agent);
  if (entry === undefined) throw new Error(`no agent ${agent}`);
  return entry;
};

test('there are fixtures, and each was seen by its agent', async () => {
  expect(ALL.length).toBeGreaterThan(0);
  for (const fixture of ALL) {
    const home = join(fixture.folder, 'home');
    expect(await agentOf(fixture).detect({ home, env: {}, platform: 'linux' })).toBe(true);
  }
});

describe.each(ALL.map((fixture): [string, Fixture] => [fixture.name, fixture]))(
  '%s',
  (_name, fixture) => {
    const agent = agentOf(fixture);
    const home = join(fixture.folder, 'home');

    test('is read as the person who read it wrote down', async () => {
      const { shows, ...expected } = expectedOf(fixture);
      expect(shows).not.toBe('');
      const events: TranscriptEvent[] = [];
      for (const { source, texts } of await sourcesOf(agent, home)) {
        events.push(...readAll(agent.reader.parser, texts, source).events);
      }
      expect(described(events, home)).toEqual(expected);
    });

    test('is left as it was', async () => {
      const before = digests(home);
      await sourcesOf(agent, home);
      expect(digests(home)).toEqual(before);
    });

    test('is read the same from a saved state at any record; damage is no failure', async () => {
      const { parser } = agent.reader;
      for (const { source, texts } of await sourcesOf(agent, home)) {
        expect(splitDifferences(parser, texts, source)).toEqual([]);
        if (texts.length > 0) checkDamage(parser, texts, source);
      }
    });
  },
);

/** Every file below a folder with its digest and time of change. */
function digests(folder: string): Record<string, string> {
  const found: Record<string, string> = {};
  for (const entry of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    const path = join(folder, entry);
    const status = statSync(path);
    const bytes = status.isFile() ? readFileSync(path) : '';
    found[entry] = `${createHash('sha256').update(bytes).digest('hex')} ${status.mtimeMs}`;
  }
  return found;
}
