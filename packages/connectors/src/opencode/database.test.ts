/** opencode's records from a database as the program lays it out: what is new, in which order. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { realKernel } from '@quipu/kernel';
import { openSqlite, type SqliteDatabase } from '@quipu/store';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { readAll } from '../testing/parser-checks.ts';
import { databaseRecords } from './database.ts';
import { PAGE_ROWS_MAX, PART_CHARS_MAX } from './limits.ts';
import { opencodeParser } from './parser.ts';

let folder = '';
let path = '';
let db: SqliteDatabase;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'quipu-opencode-'));
  path = join(folder, 'opencode.db');
  db = openSqlite(path);
  db.exec(`PRAGMA journal_mode = WAL;
    CREATE TABLE session (id text PRIMARY KEY, project_id text NOT NULL, parent_id text,
      slug text NOT NULL, directory text NOT NULL, title text NOT NULL, version text NOT NULL,
      revert text, model text, time_created integer NOT NULL, time_updated integer NOT NULL);
    CREATE TABLE message (id text PRIMARY KEY, session_id text NOT NULL,
      time_created integer NOT NULL, time_updated integer NOT NULL, data text NOT NULL);
    CREATE TABLE part (id text PRIMARY KEY, message_id text NOT NULL, session_id text NOT NULL,
      time_created integer NOT NULL, time_updated integer NOT NULL, data text NOT NULL);`);
});
afterEach(() => {
  if (db.isOpen) db.close();
  rmSync(folder, { recursive: true, force: true });
});

const T = Date.UTC(2026, 10, 2, 10);

function addSession(id: string, at: number, parent: string | null = null): void {
  db.prepare(
    `INSERT INTO session VALUES (?, 'p', ?, 'slug', '/home/dev/shop', ?, '1.18.33', NULL,
       '{"id":"m","providerID":"fake"}', ?, ?)`,
  ).run(id, parent, `Title of ${id}`, at, at);
}

function addMessage(session: string, id: string, at: number, parts: readonly object[]): void {
  const role = id.includes('user') ? 'user' : 'assistant';
  const data = { role, time: { created: at }, summary: { diffs: [{ before: 'x' }] } };
  db.prepare('INSERT INTO message VALUES (?, ?, ?, ?, ?)').run(
    id,
    session,
    at,
    at,
    JSON.stringify(data),
  );
  for (const [n, part] of parts.entries()) {
    db.prepare('INSERT INTO part VALUES (?, ?, ?, ?, ?, ?)').run(
      `prt-${id}-${n}`,
      id,
      session,
      at,
      at,
      JSON.stringify(part),
    );
  }
}

const text = (words: string): object => ({ type: 'text', text: words });

type Fed = { readonly texts: string[]; readonly position: number; readonly elided: number };

async function feed(position = 0): Promise<Fed> {
  const fed = { texts: [] as string[], position, elided: 0 };
  for await (const record of databaseRecords(path, position, realKernel().timers)) {
    fed.texts.push(record.text);
    fed.position = record.positionAfter;
    fed.elided += record.elidedBytes;
  }
  return fed;
}

const idsOf = (fed: Fed): string[] => fed.texts.map((one) => JSON.parse(one).id as string);

describe('a first reading', () => {
  test('gives sessions oldest first, each with its messages as they were made', async () => {
    addSession('ses_b', T + 5_000);
    addSession('ses_a', T);
    addMessage('ses_a', 'msg_2', T + 2, [text('b')]);
    addMessage('ses_a', 'msg_user_1', T + 1, [text('a')]);
    addMessage('ses_b', 'msg_user_3', T + 5_001, [text('c')]);
    expect(idsOf(await feed())).toEqual(['ses_a', 'msg_user_1', 'msg_2', 'ses_b', 'msg_user_3']);
  });

  test('crosses pages without losing or repeating a message, though times are equal', async () => {
    addSession('ses_a', T);
    const ids = Array.from({ length: PAGE_ROWS_MAX * 2 + 1 }, (_, n) => `msg_${1000 + n}`);
    for (const id of ids) addMessage('ses_a', id, T + 1, [text(id)]);
    expect(idsOf(await feed()).slice(1)).toEqual(ids);
  });

  test('says who, where, when and with what, as the parser reads it', async () => {
    addSession('ses_a', T);
    addSession('ses_sub', T + 1, 'ses_a');
    addMessage('ses_sub', 'msg_user_1', T + 2, [text('look around')]);
    const { sessions, messages } = readAll(opencodeParser, (await feed()).texts);
    expect(sessions).toEqual([
      {
        type: 'session',
        externalId: 'ses_a',
        cwd: '/home/dev/shop',
        title: 'Title of ses_a',
        model: 'm',
        agentVersion: '1.18.33',
      },
      {
        type: 'session',
        externalId: 'ses_sub',
        cwd: '/home/dev/shop',
        title: 'Title of ses_sub',
        model: 'm',
        agentVersion: '1.18.33',
        parent: { externalId: 'ses_a', kind: 'subagent' },
      },
    ]);
    expect(messages.map((message) => [message.externalId, message.at])).toEqual([
      ['msg_user_1', T + 2],
    ]);
  });

  test('keeps no differences of files that a message carries', async () => {
    addSession('ses_a', T);
    addMessage('ses_a', 'msg_user_1', T, [text('a')]);
    expect((await feed()).texts.join()).not.toContain('before');
  });
});

describe('a later reading', () => {
  test('of what did not change gives nothing', async () => {
    addSession('ses_a', T);
    addMessage('ses_a', 'msg_user_1', T, [text('a')]);
    const { position } = await feed();
    expect((await feed(position)).texts).toEqual([]);
  });

  test('gives a message again when one of its parts ended, and no other of long ago', async () => {
    addSession('ses_a', T);
    addMessage('ses_a', 'msg_user_1', T, [text('a')]);
    const running = { type: 'tool', tool: 'bash', callID: 'c1', state: { status: 'running' } };
    addMessage('ses_a', 'msg_2', T + 60_000, [running]);
    addMessage('ses_a', 'msg_user_3', T + 120_000, [text('more')]);
    const { position } = await feed();
    const done = { ...running, state: { status: 'completed', output: 'ok', time: { end: 1 } } };
    db.prepare('UPDATE part SET data = ?, time_updated = ? WHERE message_id = ?').run(
      JSON.stringify(done),
      T + 300_000,
      'msg_2',
    );
    const fed = await feed(position);
    expect(idsOf(fed)).toEqual(['ses_a', 'msg_2', 'msg_user_3']);
    const { messages } = readAll(opencodeParser, fed.texts);
    expect(messages.map((message) => message.role)).toEqual(['assistant', 'tool', 'user']);
  });

  test('finds what another process committed late under an earlier time', async () => {
    addSession('ses_a', T);
    addMessage('ses_a', 'msg_user_1', T + 5_000, [text('a')]);
    const { position } = await feed();
    addSession('ses_late', T + 4_000);
    addMessage('ses_late', 'msg_user_late', T + 4_500, [text('late')]);
    addMessage('ses_a', 'msg_2', T + 6_000, [text('b')]);
    expect(idsOf(await feed(position))).toContain('msg_user_late');
  });
});

describe('a fork', () => {
  test('is told by its older messages; the parent is where the newest was made', async () => {
    addSession('ses_a', T);
    addMessage('ses_a', 'msg_user_1', T + 1, [text('a')]);
    addMessage('ses_a', 'msg_2', T + 2, [text('b')]);
    addMessage('ses_a', 'msg_user_3', T + 9_000, [text('later')]);
    addSession('ses_fork', T + 5_000);
    addMessage('ses_fork', 'msg_user_4', T + 1, [text('a')]);
    addMessage('ses_fork', 'msg_5', T + 2, [text('b')]);
    addMessage('ses_fork', 'msg_user_6', T + 5_001, [text('other')]);
    addSession('ses_own', T + 6_000);
    addMessage('ses_own', 'msg_user_7', T + 9_000, [text('same moment as another')]);
    const { sessions } = readAll(opencodeParser, (await feed()).texts);
    expect(sessions.map((session) => [session.externalId, session.parent])).toEqual([
      ['ses_a', undefined],
      ['ses_fork', { externalId: 'ses_a', kind: 'fork' }],
      ['ses_own', undefined],
    ]);
  });

  test('of a fork has the fork as its parent', async () => {
    addSession('ses_a', T);
    addMessage('ses_a', 'msg_user_1', T + 1, [text('a')]);
    addSession('ses_b', T + 5_000);
    addMessage('ses_b', 'msg_user_2', T + 1, [text('a')]);
    addMessage('ses_b', 'msg_3', T + 5_001, [text('b')]);
    addSession('ses_c', T + 9_000);
    addMessage('ses_c', 'msg_user_4', T + 1, [text('a')]);
    addMessage('ses_c', 'msg_5', T + 5_001, [text('b')]);
    const { sessions } = readAll(opencodeParser, (await feed()).texts);
    expect(sessions.at(-1)?.parent?.externalId).toBe('ses_b');
  });
});

test('a part of many megabytes is cut, counted, and still understood', async () => {
  addSession('ses_a', T);
  const output = `begin ${'x'.repeat(PART_CHARS_MAX * 3)} end`;
  addMessage('ses_a', 'msg_1', T, [
    { type: 'tool', tool: 'bash', callID: 'c1', state: { status: 'completed', output } },
  ]);
  const fed = await feed();
  expect(fed.elided).toBeGreaterThan(PART_CHARS_MAX * 2);
  const [, result] = readAll(opencodeParser, fed.texts).messages;
  const part = result?.parts[0];
  expect(part?.type === 'tool_result' && part.text.startsWith('begin x')).toBe(true);
  expect(part?.type === 'tool_result' && part.text.endsWith('x end')).toBe(true);
});

test('a database of another form is told by its category', async () => {
  db.exec('ALTER TABLE part RENAME TO piece');
  await expect(feed()).rejects.toMatchObject({ category: 'source-unknown-form' });
});
