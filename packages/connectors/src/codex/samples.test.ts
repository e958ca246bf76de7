/** Recorded Codex rollouts: counts were taken by reading the files, not by the parser. */
import { describe, expect, test } from 'vitest';
import { countsOf, hasSamples, sampleFiles } from '../sample-files.ts';
import {
  checkDamage,
  linesOfFile,
  readAll,
  skipsOf,
  splitDifferences,
} from '../testing/parser-checks.ts';
import { codexParser } from './parser.ts';

/** User, assistant, tool, calls, results; each response item is a message. */
const EXPECTED: Readonly<Record<string, readonly number[][]>> = {
  autocompact: [[1, 2, 1, 1, 1]],
  'hooks-mcp': [[1, 3, 2, 2, 2]],
  'resume-fork': [
    [2, 4, 2, 2, 2],
    [1, 2, 1, 1, 1],
  ],
  subagent: [
    [1, 4, 3, 3, 3],
    [1, 2, 1, 1, 1],
  ],
};

const readFile = (path: string) => readAll(codexParser, linesOfFile(path), { path, part: '' });

describe.skipIf(!hasSamples)('recorded Codex rollouts', () => {
  for (const [situation, counts] of Object.entries(EXPECTED)) {
    test(`${situation}: every item once, nothing else`, () => {
      const paths = sampleFiles('codex', situation);
      for (const path of paths) {
        expect(splitDifferences(codexParser, linesOfFile(path), { path, part: '' })).toEqual([]);
      }
      const readings = paths.map(readFile);
      for (const reading of readings) {
        const odd = Object.keys(skipsOf(reading)).filter((key) => /^(unknown|invalid)/.test(key));
        expect(odd).toEqual([]);
        expect(JSON.stringify(reading.messages)).not.toMatch(
          /CTX-|environment_context|Chunk ID|Wall time/,
        );
      }
      expect(readings.map((reading) => countsOf(reading.messages))).toEqual(counts);
    });
  }

  test('a fork and a sub-agent name the session that they came from', () => {
    const [first, fork] = sampleFiles('codex', 'resume-fork').map(readFile);
    expect(fork?.sessions[0]).toMatchObject({
      externalId: '01a22ff9-9c63-7770-993c-86c59856cc59',
      parent: { externalId: first?.sessions[0]?.externalId, kind: 'fork' },
      cwd: '/home/dev/proj/codex',
      model: 'gpt-5',
      agentVersion: '0.171.0',
    });
    const [parent, child] = sampleFiles('codex', 'subagent').map(readFile);
    expect(child?.sessions[0]?.parent).toEqual({
      externalId: parent?.sessions[0]?.externalId,
      kind: 'subagent',
    });
  });

  test('a tool of a server has its full name, its result only its words', () => {
    const [path] = sampleFiles('codex', 'hooks-mcp');
    const results = readFile(path ?? '')
      .messages.flatMap((m) => m.parts)
      .filter((p) => p.type === 'tool_result');
    expect(results.map((p) => [p.tool, p.text, p.isError])).toEqual([
      ['mcp__mem__recall', 'MCP-RESULT recall {"query":"cats"}', false],
      ['exec_command', 'hi\n', false],
    ]);
  });

  test('damaged lines of a real rollout never throw', () => {
    const [path] = sampleFiles('codex', 'hooks-mcp');
    checkDamage(codexParser, linesOfFile(path ?? ''), { path: path ?? '', part: '' });
  });
});
