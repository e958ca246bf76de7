/** Recorded Copilot CLI sessions: counts were taken by reading the files, not by the parser. */
import { describe, expect, test } from 'vitest';
import { countsOf, hasSamples, sampleFiles } from '../sample-files.ts';
import {
  checkDamage,
  linesOfFile,
  readAll,
  skipsOf,
  splitDifferences,
} from '../testing/parser-checks.ts';
import { copilotParser } from './parser.ts';

const SITUATION = 'hooks-mcp-subagent-resume-compact';
const SESSION = '34d625af-a0c1-4c38-96c8-6ae26a6afaad';

/** User, assistant, tool, calls, results of the whole file. */
const EXPECTED: Readonly<Record<string, readonly number[]>> = {
  'wire-ant': [1, 2, 1, 1, 1],
  'wire-chat': [1, 2, 1, 1, 1],
  'wire-resp': [1, 2, 1, 1, 1],
  [SITUATION]: [4, 10, 6, 6, 6],
};

const only = (situation: string): string =>
  sampleFiles('copilot', situation, 'events.jsonl')[0] ?? '';

const readFile = (path: string) => readAll(copilotParser, linesOfFile(path), { path, part: '' });

describe.skipIf(!hasSamples)('recorded Copilot CLI sessions', () => {
  for (const [situation, counts] of Object.entries(EXPECTED)) {
    test(`${situation}: every message once, nothing else`, () => {
      const path = only(situation);
      expect(splitDifferences(copilotParser, linesOfFile(path), { path, part: '' })).toEqual([]);
      const reading = readFile(path);
      const odd = Object.keys(skipsOf(reading)).filter((key) => /^(unknown|invalid)/.test(key));
      expect(odd).toEqual([]);
      expect(JSON.stringify(reading.messages)).not.toMatch(
        /CTX-|current_datetime|You are the GitHub|exit code 0|Additional guidance/,
      );
      expect(countsOf(reading.messages)).toEqual(counts);
    });
  }

  test('a resumed session goes on; a sub-agent in it is a session below it', () => {
    const { messages, sessions } = readFile(only(SITUATION));
    const agent = `${SESSION}:agent-ea79f761-cd9b-4273-a0cd-c228adfbb969`;
    const inAgent = messages.filter((message) => message.sessionExternalId === agent);
    expect(countsOf(inAgent)).toEqual([1, 2, 1, 1, 1]);
    expect(sessions.find((session) => session.externalId === agent)).toMatchObject({
      parent: { externalId: SESSION, kind: 'subagent' },
      cwd: '/home/dev/proj/copilot',
      title: 'sub',
    });
    expect(sessions.find((session) => session.externalId === SESSION)).toMatchObject({
      agentVersion: '1.0.102',
      gitBranch: 'master',
      model: 'fake-model',
    });
  });

  test('results carry their tool and only its words', () => {
    const parts = readFile(only(SITUATION)).messages.flatMap((message) => message.parts);
    const results = parts.filter((part) => part.type === 'tool_result');
    expect(results.map((part) => [part.tool, part.text, part.isError])).toEqual([
      ['mcp__mem__recall', 'MCP-RESULT recall {"query":"cats"}', false],
      ['bash', SESSION, false],
      ['bash', 'hi', false],
      ['task', 'scripted answer: finished after 1 tool result(s).', false],
      ['bash', 'hi', false],
      ['bash', 'hi', false],
    ]);
  });

  test('damaged lines of a real session never throw', () => {
    const path = only('wire-chat');
    checkDamage(copilotParser, linesOfFile(path), { path, part: '' });
  });
});
