/** Recorded Claude Code sessions: counts were taken by reading the files, not by the parser. */
import { describe, expect, test } from 'vitest';
import { countsOf, hasSamples, sampleFiles } from '../sample-files.ts';
import {
  checkDamage,
  linesOfFile,
  readAll,
  skipsOf,
  splitDifferences,
} from '../testing/parser-checks.ts';
import { claudeCodeParser } from './parser.ts';

const EXPECTED: Readonly<Record<string, readonly number[][]>> = {
  basic: [[1, 2, 1, 1, 1]],
  'old-2.1.197': [[1, 2, 1, 1, 1]],
  'toolsearch-mcp': [[1, 4, 3, 3, 3]],
  autocompact: [[1, 3, 2, 2, 2]],
  // The session's file, then the sub-agent's. `/compact keep the cats` is the person's own words.
  'hooks-mcp-subagent-resume-compact': [
    [4, 6, 3, 3, 3],
    [1, 2, 1, 1, 1],
  ],
};

describe.skipIf(!hasSamples)('recorded Claude Code sessions', () => {
  for (const [situation, counts] of Object.entries(EXPECTED)) {
    test(`${situation}: every message once, nothing else`, () => {
      const readings = sampleFiles('claude-code', situation).map((path) => {
        const lines = linesOfFile(path);
        const context = { path, part: '' };
        expect(splitDifferences(claudeCodeParser, lines, context)).toEqual([]);
        const reading = readAll(claudeCodeParser, lines, context);
        expect(
          Object.keys(skipsOf(reading)).filter((key) => /^(unknown|invalid)/.test(key)),
        ).toEqual([]);
        const said = JSON.stringify(reading.messages);
        expect(said).not.toMatch(/CTX-|system-reminder|You are an agent|MEM-INSTRUCTIONS/);
        return reading;
      });
      expect(readings.map((reading) => countsOf(reading.messages))).toEqual(counts);
    });
  }

  test('the sub-agent hangs below its session, and its tool has a name', () => {
    const [, agent] = sampleFiles('claude-code', 'hooks-mcp-subagent-resume-compact');
    const reading = readAll(claudeCodeParser, linesOfFile(agent ?? ''), {
      path: agent ?? '',
      part: '',
    });
    expect(reading.sessions[0]).toMatchObject({
      externalId: '33c75a3c-6bac-4874-b30e-705f5a19a6e5:agent-ad579d39f808d89a6',
      parent: { externalId: '33c75a3c-6bac-4874-b30e-705f5a19a6e5', kind: 'subagent' },
      cwd: '/home/dev/proj/claude',
      agentVersion: '2.1.332',
    });
    expect(reading.messages[2]?.parts).toEqual([
      {
        type: 'tool_result',
        callId: 'toolu_t4grmp000008',
        tool: 'Bash',
        text: 'hi',
        isError: false,
      },
    ]);
  });

  test('damaged lines of a real session never throw', () => {
    const [path] = sampleFiles('claude-code', 'old-2.1.197');
    checkDamage(claudeCodeParser, linesOfFile(path ?? ''), { path: path ?? '', part: '' });
  });
});
