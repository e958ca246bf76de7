/** What a person does with what is kept: moves, forgets, scrubs, takes out, removes. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Home, makeHome, message } from './testing/quipu.ts';

let home: Home;
beforeEach(async () => {
  home = makeHome();
  await home.json(
    'import',
    home.lines(
      'a.jsonl',
      message(0, 'the lantern of the harbor is broken'),
      message(1, 'it was replaced by a buoy'),
      message(2, 'the pier has a lantern as well', { session: 'b', project: undefined }),
    ),
    '--agent',
    'generic',
    '--json',
  );
});
afterEach(() => home.remove());

type Session = { readonly id: string; readonly project: { readonly name: string } | null };

async function sessions(...args: string[]): Promise<readonly Session[]> {
  const listed = await home.json('sessions', 'list', ...args, '--json');
  return (listed as { sessions: Session[] }).sessions;
}

async function found(query: string, ...args: string[]): Promise<readonly string[]> {
  const answer = await home.json('recall', query, '--mode', 'words', ...args, '--json');
  return (answer as { hits: { externalId: string }[] }).hits.map(({ externalId }) => externalId);
}

test('an unattributed session is found, moved, and found in its project at once', async () => {
  const [session, ...others] = await sessions('--unattributed');
  expect(others).toEqual([]);
  expect(session?.project).toBeNull();
  expect(await found('lantern', '--project', 'harbor')).not.toContain('m2');
  await home.json('sessions', 'move', session?.id ?? '', 'harbor', '--json');
  const both = await found('lantern', '--project', 'harbor');
  expect(both).toContain('m0');
  expect(both).toContain('m2');
  expect(await sessions('--unattributed')).toEqual([]);
  // It stays where it was put when the file is read again.
  await home.json('import', join(home.folder, 'a.jsonl'), '--agent', 'generic', '--json');
  expect(await sessions('--unattributed')).toEqual([]);
  const unknown = await home.run(['sessions', 'move', session?.id ?? '', 'pier']);
  expect({ code: unknown.code, says: unknown.err.includes('pier') }).toEqual({
    code: 3,
    says: true,
  });
  const planks = message(4, 'planks', { session: 'c', project: 'pier' });
  await home.json('import', home.lines('c.jsonl', planks), '--agent', 'generic', '--json');
  await home.json('sessions', 'move', session?.id ?? '', 'pier', '--json');
  expect(await found('lantern', '--project', 'harbor')).not.toContain('m2');
  expect(await found('lantern', '--project', 'pier')).toContain('m2');
}, 60_000);

test('forget asks a person, refuses without one, and holds against a new import', async () => {
  const [first] = await sessions();
  const refused = await home.run(['forget', first?.id ?? '']);
  expect(refused.code).toBe(2);
  expect(refused.err).toContain('--yes');
  expect(await sessions()).toHaveLength(2);
  const harbor = (await sessions()).find(({ project }) => project?.name === 'harbor');
  expect(await home.json('forget', harbor?.id ?? '', '--yes', '--json')).toEqual({
    version: 1,
    sessions: 1,
    messages: 2,
  });
  await home.json('import', join(home.folder, 'a.jsonl'), '--agent', 'generic', '--json');
  expect(await found('lantern')).toEqual(['m2']);
  for (const name of readdirSync(home.data)) {
    const bytes = readFileSync(join(home.data, name), 'latin1');
    expect({ name, holds: bytes.includes('buoy') }).toEqual({ name, holds: false });
  }
}, 60_000);

test('a message is forgotten alone, a project with all its own (Verifies: MEMORY-4)', async () => {
  const answer = (await home.json('recall', 'buoy', '--mode', 'words', '--json')) as {
    hits: { id: string; externalId: string }[];
  };
  const id = answer.hits.find(({ externalId }) => externalId === 'm1')?.id ?? '';
  expect(await home.json('forget', id, '--yes', '--json')).toMatchObject({ messages: 1 });
  expect(await found('buoy')).not.toContain('m1');
  expect(await found('lantern')).toContain('m0');
  const { projects } = (await home.json('projects', '--json')) as {
    projects: { id: string; name: string }[];
  };
  const harbor = projects.find(({ name }) => name === 'harbor')?.id ?? '';
  await home.json('forget', harbor, '--yes', '--json');
  await home.json('import', join(home.folder, 'a.jsonl'), '--agent', 'generic', '--json');
  expect(await found('lantern harbor buoy')).toEqual(['m2']);
}, 60_000);

test('an export is a head, projects, and sessions before their messages', async () => {
  const path = join(home.folder, 'out.jsonl');
  expect((await home.run(['export', '--out', path])).code).toBe(0);
  const printed = await home.run(['export']);
  expect(printed.out).toBe(readFileSync(path, 'utf8'));
  const lines = printed.out
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as { type: string; sessionId?: string; id: string });
  expect(lines.map(({ type }) => type)).toEqual([
    'quipu-export',
    'project',
    'session',
    'message',
    'session',
    'message',
    'message',
  ]);
  for (const [at, line] of lines.entries()) {
    if (line.type !== 'message') continue;
    const owner = lines.slice(0, at).findLast(({ type }) => type === 'session');
    expect(line.sessionId).toBe(owner?.id);
  }
}, 60_000);

test('a project alone is exported under its filter', async () => {
  const { out } = await home.run(['export', '--project', 'harbor']);
  expect(out).toContain('broken');
  expect(out).not.toContain('pier');
}, 30_000);

test('a note is kept under its project and found as one', async () => {
  await home.json('remember', '--project', 'harbor', 'buoys are red on port side', '--json');
  const answer = (await home.json('recall', 'red buoys', '--json', '--mode', 'words')) as {
    hits: { kind: string; project: string }[];
  };
  expect(answer.hits[0]).toMatchObject({ kind: 'memory', project: 'harbor' });
});

test('uninstall shows first, removes only its own, and leaves what is not its', async () => {
  const mine = ['notes.log', 'quipu.db.mine', 'photo.png'];
  for (const name of mine) writeFileSync(join(home.data, name), 'mine');
  const shown = await home.run(['uninstall']);
  expect(shown.out).toContain('Would remove');
  expect(existsSync(join(home.data, 'quipu.db'))).toBe(true);
  await home.json('uninstall', '--yes', '--json');
  expect(existsSync(join(home.data, 'quipu.db'))).toBe(true);
  const done = (await home.json('uninstall', '--yes', '--data', '--json')) as {
    keep: string[];
  };
  expect(done.keep.map((path) => path.split('/').at(-1)).toSorted()).toEqual(mine.toSorted());
  expect(readdirSync(home.data).toSorted()).toEqual(mine.toSorted());
}, 60_000);

test('with nothing else in it the data directory goes too', async () => {
  await home.json('uninstall', '--yes', '--data', '--json');
  expect(existsSync(home.data)).toBe(false);
}, 30_000);
