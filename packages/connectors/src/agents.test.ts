/** What every entry of `AGENTS` owes; an entry that is added without its duties fails here. */
import { existsSync, readdirSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { AGENTS } from './agents.ts';
import type { AgentEntry, FinderEnvironment, FoundSource } from './reader.ts';

const ROOT = resolve(import.meta.dirname, '../../..');
const FIXTURES = join(ROOT, 'packages/connectors/fixtures');

/** A file that shows the agent was here. `generic` is read only when a person names a file. */
const PLANTED: Readonly<Record<string, string>> = {
  'claude-code': '.claude/projects/-home-dev-shop/11111111-2222-4333-8444-555555555555.jsonl',
  codex: '.codex/sessions/2026/12/01/rollout-2026-12-01T05-00-21-x.jsonl',
  opencode: '.local/share/opencode/opencode.db',
  gemini: '.gemini/tmp/shop/chats/session-2026-12-01T05-30-3fa00868.jsonl',
  pi: '.pi/agent/sessions/--home-dev--/2026-12-01T05-30-17-322Z_01a2.jsonl',
  aider: 'shop/.aider.chat.history.md',
  cline:
    '.config/Code/User/globalStorage/saoudrizwan.claude-dev/tasks/1/api_conversation_history.json',
  copilot: '.copilot/session-state/34d625af/events.jsonl',
};

/** Why there is no recorded fixture. An entry whose fixture has been recorded must go from here. */
const WITHOUT_FIXTURE: Readonly<Record<string, string>> = {
  generic: 'it is written by people and their own programs; its page defines it',
};

const NAMES = ['claude-code', 'codex', 'opencode', 'gemini', 'pi', 'aider', 'cline', 'copilot'];

const environment = (home: string): FinderEnvironment => ({ home, env: {}, platform: 'linux' });

async function all(sources: AsyncIterable<FoundSource>): Promise<FoundSource[]> {
  const found: FoundSource[] = [];
  for await (const source of sources) found.push(source);
  return found;
}

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'quipu-agents-'));
});
afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

test('the agents are these, each once, and nobody can change the list', () => {
  expect(AGENTS.map((agent) => agent.name)).toEqual([...NAMES, 'generic']);
  expect(Object.isFrozen(AGENTS) && AGENTS.every((agent) => Object.isFrozen(agent))).toBe(true);
  expect(new Set(AGENTS.map((agent) => agent.displayName)).size).toBe(AGENTS.length);
});

describe.each(AGENTS.map((agent): [string, AgentEntry] => [agent.name, agent]))(
  '%s',
  (name, agent) => {
    test('names a program that is a plain file name, and where its transcripts are', () => {
      expect(agent.binary).toMatch(name === 'generic' ? /^$/ : /^[a-z][a-z0-9-]*$/);
      expect(agent.displayName).not.toBe('');
      expect(agent.transcripts).not.toBe('');
    });

    test('has a page on its format', () => {
      const page = `docs/formats/${name}.md`;
      expect(existsSync(join(ROOT, page)) ? page : `write ${page}`).toBe(page);
    });

    test('has a recorded fixture, or a reason why it has none', () => {
      const folders = existsSync(FIXTURES) ? readdirSync(FIXTURES) : [];
      const recorded = folders.some((one) => one === name || one.startsWith(`${name}-`));
      const excused = WITHOUT_FIXTURE[name] !== undefined;
      const wanted = 'a recorded fixture, or else a reason in WITHOUT_FIXTURE';
      expect(recorded === excused ? 'both or neither' : wanted).toBe(wanted);
    });

    test('is not seen in an empty home, and is seen where it left something', async () => {
      const empty = join(folder, `empty-${name}`);
      await mkdir(empty);
      expect(await agent.detect(environment(empty))).toBe(false);
      expect(await all(agent.reader.find(environment(empty)))).toEqual([]);
      const planted = PLANTED[name];
      if (name === 'generic') {
        expect(planted).toBe(undefined);
        return;
      }
      if (planted === undefined) throw new Error(`add a file of ${name} to PLANTED`);
      const home = join(folder, `home-${name}`);
      await mkdir(dirname(join(home, planted)), { recursive: true });
      await writeFile(join(home, planted), '');
      expect(await agent.detect(environment(home))).toBe(true);
    });

    test('its parser has a version, a plain state, and throws on no garbage', () => {
      const { parser } = agent.reader;
      expect(Number.isInteger(parser.version) && parser.version > 0).toBe(true);
      let state = parser.initial({ path: '/home/dev/x', part: '' });
      const garbage = [
        '',
        '{',
        '[]',
        'null',
        '7',
        '"x"',
        '{}',
        '{"type":7}',
        '\uD800',
        '{"__proto__":1}',
      ];
      for (const text of [...garbage, ...garbage]) {
        const step = parser.read(state, { text, positionAfter: 1, elidedBytes: 0 });
        for (const event of step.events) expect(event.type).not.toBe('message');
        expect(JSON.parse(JSON.stringify(step.state))).toEqual(step.state);
        state = JSON.parse(JSON.stringify(step.state));
      }
      expect(parser.finish(state).events.every((event) => event.type === 'skip')).toBe(true);
    });
  },
);
