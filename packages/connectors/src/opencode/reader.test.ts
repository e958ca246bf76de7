/** Finding opencode's stores, and reading the older ones of JSON files. */
import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { openSqlite } from '@quipu/store';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { FoundSource } from '../reader.ts';
import { readAll } from '../testing/parser-checks.ts';
import { opencodeParser } from './parser.ts';
import { opencodeReader } from './reader.ts';

let home = '';
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'quipu-opencode-'));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const T = 1_793_613_601_000;
const DATA = '.local/share/opencode';

function plant(path: string, value: object, changedMs = T): string {
  const full = join(home, path);
  mkdirSync(dirname(full), { recursive: true });
  writeFileSync(full, JSON.stringify(value));
  utimesSync(full, changedMs / 1000, changedMs / 1000);
  return full;
}

function plantSession(id: string, folder = DATA): void {
  plant(`${folder}/storage/session/p1/${id}.json`, {
    id,
    directory: '/home/dev/shop',
    title: 'Old',
    version: '0.9.1',
  });
  plant(`${folder}/storage/message/${id}/msg_2.json`, {
    role: 'assistant',
    modelID: 'm',
    time: { created: T + 2 },
  });
  plant(`${folder}/storage/message/${id}/msg_1.json`, { role: 'user', time: { created: T + 1 } });
  plant(`${folder}/storage/part/msg_1/prt_1.json`, { type: 'text', text: 'why?' });
  plant(`${folder}/storage/part/msg_2/prt_2.json`, { type: 'text', text: 'because' });
}

async function all(sources: AsyncIterable<FoundSource>): Promise<FoundSource[]> {
  const found: FoundSource[] = [];
  for await (const source of sources) found.push(source);
  return found;
}

const find = (env: Record<string, string> = {}): Promise<FoundSource[]> =>
  all(opencodeReader.find({ home, env, platform: 'linux' }));

async function feed(source: FoundSource | undefined, position = 0) {
  if (source === undefined) throw new Error('no such source');
  const texts: string[] = [];
  let after = position;
  for await (const record of opencodeReader.feed(source, position)) {
    texts.push(record.text);
    after = record.positionAfter;
  }
  return { texts, after };
}

describe('folders of files', () => {
  test('are a source a session, read in the order of its messages', async () => {
    plantSession('ses_1');
    const found = await find();
    expect(found.map((source) => [basename(source.path), source.feed])).toEqual([
      ['ses_1.json', 'rows'],
    ]);
    const { texts, after } = await feed(found[0]);
    const { sessions, messages } = readAll(opencodeParser, texts);
    expect(sessions).toMatchObject([{ externalId: 'ses_1', cwd: '/home/dev/shop', title: 'Old' }]);
    expect(messages.map((one) => [one.externalId, one.role, one.parts])).toEqual([
      ['msg_1', 'user', [{ type: 'text', text: 'why?' }]],
      ['msg_2', 'assistant', [{ type: 'text', text: 'because' }]],
    ]);
    expect(after).toBe(T);
  });

  test('that did not change are not read again; one changed part is enough', async () => {
    plantSession('ses_1');
    const [source] = await find();
    const { after } = await feed(source);
    expect((await feed(source, after)).texts).toEqual([]);
    plant(`${DATA}/storage/part/msg_2/prt_2.json`, { type: 'text', text: 'because of x' }, T + 5);
    expect((await feed(source, after)).texts.join()).toContain('because of x');
  });

  test('a torn file is passed over until it is whole', async () => {
    plantSession('ses_1');
    writeFileSync(join(home, DATA, 'storage/part/msg_2/prt_2.json'), '{"type":"te');
    const [source] = await find();
    const { messages } = readAll(opencodeParser, (await feed(source)).texts);
    expect(messages.map((one) => one.externalId)).toEqual(['msg_1']);
  });

  test('of the first form are found under their project', async () => {
    const root = `${DATA}/project/home-dev-shop/storage/session`;
    plant(`${root}/info/ses_0.json`, { id: 'ses_0', title: 'First', version: '0.1.0' });
    plant(`${root}/message/ses_0/msg_1.json`, { role: 'user', time: { created: T } });
    plant(`${root}/part/ses_0/msg_1/prt_1.json`, { type: 'text', text: 'hello' });
    plant(`${root}/message/ses_0/msg_0.json`, {
      role: 'user',
      metadata: { time: { created: T - 5 } },
      parts: [{ type: 'text', text: 'even older' }],
    });
    const found = await find();
    const { messages } = readAll(opencodeParser, (await feed(found[0])).texts);
    expect(messages.map((one) => one.parts)).toEqual([
      [{ type: 'text', text: 'even older' }],
      [{ type: 'text', text: 'hello' }],
    ]);
  });
});

describe('finding', () => {
  function plantDatabase(folder: string, ...ids: readonly string[]): void {
    mkdirSync(join(home, folder), { recursive: true });
    const db = openSqlite(join(home, folder, 'opencode.db'));
    db.exec('CREATE TABLE session (id text)');
    for (const id of ids) db.prepare('INSERT INTO session VALUES (?)').run(id);
    db.close();
  }

  test('a session that the database holds is not read from its old files', async () => {
    plantSession('ses_1');
    plantSession('ses_2');
    plantDatabase(DATA, 'ses_1');
    const found = await find();
    expect(found.map((source) => basename(source.path))).toEqual(['opencode.db', 'ses_2.json']);
  });

  test('XDG_DATA_HOME moves the folder', async () => {
    plantDatabase('elsewhere/opencode');
    const found = await find({ XDG_DATA_HOME: join(home, 'elsewhere') });
    expect(found.map((source) => source.path)).toEqual([
      join(home, 'elsewhere/opencode/opencode.db'),
    ]);
  });

  test('a database, a session file, the folder, or a folder above are claimed', async () => {
    plantDatabase('copy/data');
    plantSession('ses_1', 'copy/data');
    const claimed = async (path: string): Promise<string[]> =>
      (await all(opencodeReader.claim(join(home, path)))).map((source) => basename(source.path));
    expect(await claimed('copy/data/opencode.db')).toEqual(['opencode.db']);
    expect(await claimed('copy/data/storage/session/p1/ses_1.json')).toEqual(['ses_1.json']);
    expect(await claimed('copy/data')).toEqual(['opencode.db', 'ses_1.json']);
    expect(await claimed('copy/data/storage')).toEqual(['opencode.db', 'ses_1.json']);
    expect(await claimed('copy')).toEqual(['opencode.db', 'ses_1.json']);
    expect(await claimed('copy/data/storage/part/msg_1/prt_1.json')).toEqual([]);
    expect(await claimed('absent')).toEqual([]);
  });
});
