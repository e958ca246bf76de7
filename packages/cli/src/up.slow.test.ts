/**
 * `quipu up` as a person meets it: on a home with transcripts of five real programs, and on one
 * without any. The counts were made by reading the recordings by hand.
 */
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

const PROGRAM = resolve(import.meta.dirname, '../bin/quipu.js');
const SAMPLES = resolve(import.meta.dirname, '../../../../shared/samples/transcripts');

let folder: string;
let home: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'quipu-up-'));
  home = join(folder, 'home');
  mkdirSync(home);
});
afterEach(() => {
  quipu('stop');
  rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
});

function quipu(...args: string[]): string {
  const env = { ...process.env, HOME: home, QUIPU_HOME: join(folder, 'data'), XDG_DATA_HOME: '' };
  return execFileSync(process.execPath, [PROGRAM, ...args], { env, encoding: 'utf8' });
}

type Up = {
  readonly found: readonly string[];
  readonly examples: boolean;
  readonly page: string;
  readonly report: {
    readonly errors: readonly unknown[];
    readonly unknownTypes: Readonly<Record<string, number>>;
    readonly byAgent: readonly {
      readonly agent: string;
      readonly sessions: number;
      readonly messages: number;
      readonly toolResults: number;
    }[];
  };
};

/** Read by hand: user and assistant messages and tool results, one a result line or item. */
const COUNTED = {
  'claude-code': { sessions: 6, messages: 39, toolResults: 11 },
  codex: { sessions: 6, messages: 34, toolResults: 10 },
  gemini: { sessions: 5, messages: 19, toolResults: 4 },
  pi: { sessions: 7, messages: 36, toolResults: 10 },
  copilot: { sessions: 5, messages: 32, toolResults: 9 },
} as const;

/**
 * The recorded fixtures of six programs in one home, counted by hand in their files. All situations
 * of a program, but for opencode, which has one database: the fork.
 */
const FIXTURES = resolve(import.meta.dirname, '../../connectors/fixtures');
const RECORDED = {
  'claude-code-2.1.332': {
    situations: ['basic', 'resume', 'fork', 'subagent', 'compact'],
    // 1 + 1 + 2 + 2 + 1 sessions; 5 + 12 + 7 + 8 + 13 messages, a fork's copies not again.
    counted: { sessions: 7, messages: 45, toolResults: 16 },
  },
  'codex-0.171.0': {
    situations: ['basic', 'resume'],
    counted: { sessions: 2, messages: 21, toolResults: 5 },
  },
  'gemini-0.61.0': {
    situations: ['basic', 'resume'],
    counted: { sessions: 2, messages: 15, toolResults: 6 },
  },
  'opencode-1.18.33': {
    situations: ['fork'],
    counted: { sessions: 2, messages: 7, toolResults: 2 },
  },
  'pi-1.6.0': {
    situations: ['basic', 'resume', 'fork', 'compact'],
    // 1 + 1 + 2 + 1 sessions; 5 + 12 + 7 + 12 messages.
    counted: { sessions: 5, messages: 36, toolResults: 14 },
  },
  'copilot-1.0.102': {
    situations: ['basic', 'resume', 'subagent'],
    // 1 + 1 + 2 sessions; 5 + 11 + 8 messages.
    counted: { sessions: 4, messages: 24, toolResults: 8 },
  },
} as const;

const PROGRAMS = Object.keys(RECORDED).map((program) => program.replace(/-[\d.]+$/, ''));

test('a home with the recorded sessions of six programs is searchable after one command', () => {
  for (const [program, { situations }] of Object.entries(RECORDED)) {
    for (const situation of situations) {
      cpSync(join(FIXTURES, program, situation, 'home'), home, { recursive: true });
    }
  }
  const up = JSON.parse(quipu('up', '--json')) as Up;
  expect(up.examples).toBe(false);
  expect(up.report.errors).toEqual([]);
  expect(up.report.unknownTypes).toEqual({});
  const others = up.report.byAgent.filter(({ agent }) => !PROGRAMS.includes(agent));
  expect(others.every(({ messages }) => messages === 0)).toBe(true);
  for (const [program, { counted }] of Object.entries(RECORDED)) {
    const found = up.report.byAgent.find(({ agent }) => program.startsWith(`${agent}-`));
    expect({ program, ...found }).toMatchObject({ program, ...counted });
  }
  const again = JSON.parse(quipu('import', '--json')) as { messages: number; sessions: number };
  expect(again).toMatchObject({ messages: 0, sessions: 0 });
  for (const [question, agent] of [
    ['why does the settlement check fail one run in twenty', 'claude-code'],
    ['december report shows the wrong month', 'codex'],
    ['church street is not found', 'gemini'],
    ['which berth is missing from the harbour list', 'opencode'],
    ['longest pause of an upload', 'pi'],
    ['a cent is lost when a bill is split', 'copilot'],
  ]) {
    const found = JSON.parse(quipu('recall', question ?? '', '--json')) as {
      hits: { agent: string }[];
    };
    expect({ question, agent: found.hits[0]?.agent }).toEqual({ question, agent });
  }
}, 120_000);

describe.skipIf(!existsSync(SAMPLES))('recordings of five real programs', () => {
  test('are imported to the last message and tool result, and answer', async () => {
    for (const agent of Object.keys(COUNTED)) {
      const situations = join(SAMPLES, agent);
      for (const situation of readdirSync(situations)) {
        cpSync(join(situations, situation), home, { recursive: true });
      }
    }
    const up = JSON.parse(quipu('up', '--json')) as Up;
    expect(up.examples).toBe(false);
    expect(up.report.errors).toEqual([]);
    expect(up.report.unknownTypes).toEqual({});
    for (const [agent, counted] of Object.entries(COUNTED)) {
      expect(up.report.byAgent.find((each) => each.agent === agent)).toMatchObject(counted);
    }
    expect(up.page).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/#token=[0-9a-f]{64}$/);
    const again = JSON.parse(quipu('import', '--json')) as { messages: number };
    expect(again.messages).toBe(0);
    const found = JSON.parse(quipu('recall', 'long text answer cut', '--json')) as {
      hits: { agent: string }[];
    };
    expect(found.hits.map((hit) => hit.agent)).toContain('gemini');
  }, 120_000);
});

test('without any agent the example sessions are loaded, and it says so', () => {
  const said = quipu('up');
  expect(said).toContain('No coding agent was found here.');
  expect(said).toContain("project's own example sessions");
  expect(said).toContain('quipu recall');
  expect(quipu('recall', 'why do we not retry 403')).toContain('403');
  const status = JSON.parse(quipu('status', '--json')) as { daemon: object | null };
  expect(status.daemon).not.toBeNull();
}, 120_000);
