/** Finding and claiming transcripts of Claude Code, Codex and Copilot CLI on a disk. */
import { chmod, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { claudeCodeReader } from './claude-code/reader.ts';
import { codexReader } from './codex/reader.ts';
import { copilotReader } from './copilot/reader.ts';
import type { FoundSource, TranscriptReader } from './reader.ts';

let home = '';
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'quipu-readers-'));
});
afterEach(async () => {
  await rm(home, { recursive: true, force: true });
});

async function plant(path: string, ...lines: readonly object[]): Promise<string> {
  const full = join(home, path);
  await mkdir(dirname(full), { recursive: true });
  await writeFile(full, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  return full;
}

async function all(sources: AsyncIterable<FoundSource>): Promise<FoundSource[]> {
  const found: FoundSource[] = [];
  for await (const source of sources) found.push(source);
  return found;
}

async function found(
  reader: TranscriptReader,
  env: Record<string, string> = {},
): Promise<string[]> {
  const sources = await all(reader.find({ home, env, platform: 'linux' }));
  return sources.map((source) => `${source.feed} ${source.path.slice(home.length + 1)}`);
}

const SESSION = '11111111-2222-4333-8444-555555555555';
const ROLLOUT = `sessions/2026/12/01/rollout-2026-12-01T05-00-21-${SESSION}.jsonl`;
const claudeLine = { type: 'user', uuid: 'u1', sessionId: SESSION, message: { content: 'hi' } };
const codexLine = { type: 'session_meta', payload: { id: SESSION } };
const copilotLine = { type: 'session.start', data: { sessionId: SESSION } };

describe('the usual places', () => {
  test('Claude Code: sessions, sub-agents, a configured folder beside the usual one', async () => {
    await plant(`.claude/projects/-a/${SESSION}.jsonl`, claudeLine);
    await plant(`.claude/projects/-a/${SESSION}/subagents/agent-1.jsonl`, claudeLine);
    await plant(`.claude/projects/-a/${SESSION}/tool-results/x.jsonl`, claudeLine);
    await plant('.claude/history.jsonl', claudeLine);
    await plant(`elsewhere/projects/-b/${SESSION}.jsonl`, claudeLine);
    const env = { CLAUDE_CONFIG_DIR: join(home, 'elsewhere') };
    expect(await found(claudeCodeReader, env)).toEqual([
      `lines elsewhere/projects/-b/${SESSION}.jsonl`,
      `lines .claude/projects/-a/${SESSION}.jsonl`,
      `lines .claude/projects/-a/${SESSION}/subagents/agent-1.jsonl`,
    ]);
  });

  test('Codex: rollouts of every form, archived ones, oldest first', async () => {
    await plant(`.codex/${ROLLOUT}`, codexLine);
    await plant('.codex/sessions/rollout-2025-05-01-abc.json', { session: {}, items: [] });
    await plant('.codex/archived_sessions/rollout-2026-01-01T00-00-00-x.jsonl', codexLine);
    await plant('.codex/history.jsonl', codexLine);
    expect(await found(codexReader, { CODEX_HOME: join(home, '.codex') })).toEqual([
      'document .codex/sessions/rollout-2025-05-01-abc.json',
      `lines .codex/${ROLLOUT}`,
      'lines .codex/archived_sessions/rollout-2026-01-01T00-00-00-x.jsonl',
    ]);
  });

  test('Copilot CLI: events, the flat form, the document of 2025', async () => {
    await plant(`.copilot/session-state/${SESSION}/events.jsonl`, copilotLine);
    await plant(`.copilot/session-state/${SESSION}/files/mine.jsonl`, copilotLine);
    await plant('.copilot/session-state/flat.jsonl', copilotLine);
    await plant('.copilot/history-session-state/session_abc_1.json', { chatMessages: [] });
    expect(await found(copilotReader)).toEqual([
      'lines .copilot/session-state/flat.jsonl',
      `lines .copilot/session-state/${SESSION}/events.jsonl`,
      'document .copilot/history-session-state/session_abc_1.json',
    ]);
  });

  test('a link that leads back is not followed', async () => {
    await plant(`.claude/projects/-a/${SESSION}.jsonl`, claudeLine);
    await symlink(join(home, '.claude/projects'), join(home, '.claude/projects/-a/loop'));
    expect(await found(claudeCodeReader)).toHaveLength(1);
  });
});

describe('what cannot be read', () => {
  test('a folder without permission is reported, and the others are read', async () => {
    await plant(`.claude/projects/-a/${SESSION}.jsonl`, claudeLine);
    await plant(`.claude/projects/-b/${SESSION}.jsonl`, claudeLine);
    await chmod(home, 0o755);
    await chmod(join(home, '.claude/projects/-a'), 0o000);
    const asSomeone = process.getuid?.() === 0;
    // Root may read everything: the search runs as nobody then.
    if (asSomeone) process.seteuid?.(65_534);
    try {
      const sources = await all(claudeCodeReader.find({ home, env: {}, platform: 'linux' }));
      expect(sources.map((source) => [source.path.slice(home.length), source.failure])).toEqual([
        [`/.claude/projects/-b/${SESSION}.jsonl`, undefined],
        ['/.claude/projects/-a', 'source-forbidden'],
      ]);
      const [, blocked] = sources;
      if (blocked === undefined) throw new Error('no second source');
      expect(() => claudeCodeReader.feed(blocked, 0)).toThrow(
        expect.objectContaining({ category: 'source-forbidden' }),
      );
    } finally {
      if (asSomeone) process.seteuid?.(0);
      await chmod(join(home, '.claude/projects/-a'), 0o755);
    }
  });

  test('a compressed rollout is reported as such', async () => {
    await plant(`.codex/${ROLLOUT}.zst`);
    const [source] = await all(codexReader.find({ home, env: {}, platform: 'linux' }));
    expect(source?.failure).toBe('source-compressed');
    if (source === undefined) throw new Error('not found');
    expect(() => codexReader.feed(source, 0)).toThrow(
      expect.objectContaining({ category: 'source-compressed' }),
    );
  });
});

describe('a path that a person names', () => {
  test('each reader takes its own files, whatever their names, and no other’s', async () => {
    await plant('x/a.jsonl', claudeLine);
    await plant('x/b.jsonl', codexLine);
    await plant('x/c.jsonl', copilotLine);
    await plant('x/d.jsonl', { session: 's', id: '1', role: 'user', text: 'generic' });
    await plant('x/session_abc_1.json', { sessionId: 'abc', chatMessages: [{ role: 'user' }] });
    await plant('x/e.txt', claudeLine);
    const claimed = async (reader: TranscriptReader): Promise<string[]> => {
      const sources = await all(reader.claim(join(home, 'x')));
      return sources.map((source) => source.path.slice(home.length + 3));
    };
    expect(await claimed(claudeCodeReader)).toEqual(['a.jsonl']);
    expect(await claimed(codexReader)).toEqual(['b.jsonl']);
    expect(await claimed(copilotReader)).toEqual(['c.jsonl', 'session_abc_1.json']);
  });

  test('a single file, and one that is not there', async () => {
    const path = await plant('notes/copy of session.jsonl', claudeLine);
    expect(await all(claudeCodeReader.claim(path))).toHaveLength(1);
    expect(await all(codexReader.claim(path))).toEqual([]);
    expect(await all(claudeCodeReader.claim(join(home, 'absent')))).toEqual([]);
  });
});

test('a whole file is read through feed and parser, a torn last line waits', async () => {
  const path = await plant('s.jsonl', codexLine, {
    type: 'response_item',
    payload: { type: 'message', role: 'user', content: 'hi' },
  });
  await writeFile(path, '{"type":"response_item","payload":{"type":"mess', { flag: 'a' });
  const [source] = await all(codexReader.claim(path));
  if (source === undefined) throw new Error('not claimed');
  let state = codexReader.parser.initial({ path, part: '' });
  const types: string[] = [];
  for await (const record of codexReader.feed(source, 0)) {
    const step = codexReader.parser.read(state, record);
    state = step.state;
    types.push(...step.events.map((event) => event.type));
  }
  expect(types).toEqual(['skip', 'session', 'message']);
});
