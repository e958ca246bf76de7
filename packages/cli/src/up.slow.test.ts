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
  rmSync(folder, { recursive: true, force: true });
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
