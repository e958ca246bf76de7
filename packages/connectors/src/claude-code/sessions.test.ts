/** Claude Code sessions: whose line it is, forks, copies, sub-agents of every version. */
import { describe, expect, test } from 'vitest';
import { readAll, splitDifferences } from '../testing/parser-checks.ts';
import { CHAINS_MAX } from './limits.ts';
import { line, model, PATH, read, SESSION, text, user, uuid } from './lines-for-tests.ts';
import { claudeCodeParser } from './parser.ts';

describe('sessions', () => {
  test('are named after the file, begin where they began, and learn more', () => {
    const { sessions } = read(
      line({ type: 'custom-title', customTitle: 'Flaky test' }),
      line({ type: 'ai-title', aiTitle: 'Never mind' }),
      user(1, 'hi'),
      user(2, 'again', { cwd: '/home/dev/shop/web', gitBranch: 'fix' }),
    );
    expect(sessions).toEqual([
      {
        type: 'session',
        externalId: SESSION,
        cwd: '/home/dev/shop',
        gitBranch: 'main',
        title: 'Flaky test',
        agentVersion: '2.1.332',
      },
      {
        type: 'session',
        externalId: SESSION,
        cwd: '/home/dev/shop',
        gitBranch: 'fix',
        title: 'Flaky test',
        agentVersion: '2.1.332',
      },
    ]);
  });

  test('a summary is the title of the session that its leaf belongs to, of no other', () => {
    const other = line({ type: 'summary', summary: 'Other work', leafUuid: uuid(99) });
    const own = line({ type: 'summary', summary: 'This work', leafUuid: uuid(1) });
    const { sessions } = read(other, user(1, 'hi'), own);
    expect(sessions.map((s) => s.title)).toEqual([undefined, 'This work']);
  });

  test('a fork names its parent; its copied messages keep their ids', () => {
    const parent = '99999999-2222-4333-8444-555555555555';
    const { sessions, messages } = read(
      user(1, 'hi', { forkedFrom: { sessionId: parent, messageUuid: uuid(1) } }),
      user(2, 'on'),
    );
    expect(sessions[0]?.parent).toEqual({ externalId: parent, kind: 'fork' });
    expect(messages.map((m) => [m.externalId, m.idScope])).toEqual([
      [uuid(1), 'global'],
      [uuid(2), 'global'],
    ]);
  });

  test('a resumed copy whose lines name the old session is its fork', () => {
    const old = '99999999-2222-4333-8444-555555555555';
    const { sessions } = read(user(1, 'hi', { sessionId: old }), user(2, 'on'));
    expect(sessions[0]).toMatchObject({ externalId: SESSION, parent: { externalId: old } });
  });

  test('a copy under another name is the session that its lines name', () => {
    const lines = [user(1, 'hi'), user(2, 'on')];
    const copy = readAll(claudeCodeParser, lines, { path: '/tmp/backup (1).jsonl', part: '' });
    expect(copy.messages).toEqual(read(...lines).messages);
  });

  test('a sub-agent’s file is a session under its parent', () => {
    const lines = [user(1, 'do it', { isSidechain: true, agentId: 'a1b2' })];
    const parent = { externalId: SESSION, kind: 'subagent' };
    for (const path of [
      `/p/${SESSION}/subagents/agent-a1b2.jsonl`,
      '/p/agent-a1b2.jsonl',
      `/p/${SESSION}.jsonl`,
    ]) {
      const { sessions } = readAll(claudeCodeParser, lines, { path, part: '' });
      expect(sessions[0]).toMatchObject({ externalId: `${SESSION}:agent-a1b2`, parent });
    }
  });

  test('sub-agents inside their parent’s file are followed apart, line by line', () => {
    const side = { isSidechain: true };
    const lines = [
      user(1, 'two things'),
      user(10, 'first task', { ...side, parentUuid: null }),
      user(20, 'second task', { ...side, parentUuid: null }),
      model(11, 'm1', [text('one')], { ...side, parentUuid: uuid(10) }),
      model(21, 'm2', [text('two')], { ...side, parentUuid: uuid(20) }),
      model(12, 'm3', [text('one more')], { ...side, parentUuid: uuid(11) }),
      model(2, 'm4', [text('both done')]),
    ];
    const { messages, sessions } = read(...lines);
    const bySession = new Map<string, string[]>();
    for (const m of messages) {
      const said = m.parts.map((part) => ('text' in part ? part.text : ''));
      bySession.set(m.sessionExternalId, [...(bySession.get(m.sessionExternalId) ?? []), ...said]);
    }
    expect([...bySession.values()].map((words) => words.sort())).toEqual(
      [
        ['two things', 'both done'],
        ['first task', 'one', 'one more'],
        ['second task', 'two'],
      ].map((w) => w.sort()),
    );
    expect(sessions.filter((s) => s.parent?.kind === 'subagent')).toHaveLength(4);
    expect(splitDifferences(claudeCodeParser, lines, PATH)).toEqual([]);
  });

  test('very many sub-agents in one file leave a bounded state', () => {
    const lines = Array.from({ length: 200 }, (_, n) =>
      user(n, `task ${n}`, { isSidechain: true, parentUuid: null }),
    );
    const { state } = read(...lines);
    expect((state as { chains: unknown[] }).chains).toHaveLength(CHAINS_MAX);
  });
});
