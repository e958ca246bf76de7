/** What the reading commands print as JSON, to the letter of `docs/formats/cli-json.md`. */
import { spawn } from 'node:child_process';
import { appendFileSync, copyFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { type Home, makeHome, message, PROGRAM } from './testing/quipu.ts';

let home: Home;
let file: string;
beforeAll(async () => {
  home = makeHome();
  file = home.lines(
    'a.jsonl',
    message(0, 'Why do we not retry an upload that was answered with 403?'),
    message(1, 'A 403 means the lease is lost: retryUpload() would only repeat it.'),
    message(2, 'Where is the parser of manifests?', { session: 'b', project: 'pier' }),
    message(3, 'src/manifest/parse.ts holds it.', { session: 'b', project: 'pier' }),
    message(4, '2 files changed', { role: 'tool', tool: 'git', session: 'b', project: 'pier' }),
  );
  await home.json('import', file, '--agent', 'generic', '--json');
});
afterAll(() => home.remove());

const time = z.iso.datetime().nullable();
const hit = z.strictObject({
  id: z.string().regex(/^msg_[0-9a-z]{16}$/),
  externalId: z.string().nullable(),
  kind: z.enum(['text', 'reasoning', 'tool_call', 'tool_result', 'memory']),
  score: z.number(),
  sessionId: z.string().regex(/^ses_[0-9a-z]{16}$/),
  sessionExternalId: z.string(),
  project: z.string().nullable(),
  agent: z.string(),
  role: z.enum(['user', 'assistant', 'system', 'tool']),
  at: time,
  text: z.string(),
  context: z.array(z.strictObject({ id: z.string(), role: z.string(), text: z.string() })),
  copies: z.array(z.string()),
  why: z.strictObject({
    terms: z.array(
      z.strictObject({
        signal: z.string(),
        raw: z.number(),
        scale: z.number(),
        offset: z.number(),
        value: z.number(),
        rank: z.number().int().min(1).nullable(),
      }),
    ),
    matched: z.array(z.string()),
    similarity: z.number().nullable(),
    supersedes: z.array(z.string()),
  }),
});
const answer = {
  version: z.literal(1),
  tookMs: z.number().min(0),
  mode: z.enum(['words', 'vectors', 'words+vectors']),
  notes: z.array(z.string()),
  hits: z.array(hit),
};

test('recall: its shape, the sum of its reasons, the limit and the filters', async () => {
  const found = z
    .strictObject(answer)
    .parse(await home.json('recall', 'retry after 403', '--json', '--mode', 'words'));
  expect(
    found.hits
      .map(({ externalId }) => externalId)
      .slice(0, 2)
      .sort(),
  ).toEqual(['m0', 'm1']);
  expect(found.hits[0]?.context.map(({ id }) => id)).toContain(found.hits[1]?.id);
  for (const { score, why } of found.hits) {
    expect(why.terms.reduce((sum, { value }) => sum + value, 0)).toBeCloseTo(score, 9);
    for (const { value, raw, scale, offset } of why.terms) {
      expect(value).toBeCloseTo(raw * scale + offset, 9);
    }
  }
  const one = z.strictObject(answer).parse(await home.json('recall', '403', '-n', '1', '--json'));
  expect(one.hits).toHaveLength(1);
  const pier = z
    .strictObject(answer)
    .parse(await home.json('recall', 'upload 403 manifest', '--project', 'pier', '--json'));
  expect(new Set(pier.hits.map(({ project }) => project))).toEqual(new Set(['pier']));
});

test('a daemon gives the answers that the program alone gives', async () => {
  const ask = async () => {
    const { tookMs: _took, ...rest } = z
      .strictObject(answer)
      .parse(await home.json('recall', 'why no retry of an upload', '--mode', 'words', '--json'));
    const listed = await home.json('sessions', 'list', '--json');
    return { rest, listed };
  };
  const alone = await ask();
  const daemon = spawn(process.execPath, [PROGRAM, 'daemon'], { env: home.env, stdio: 'ignore' });
  const status = async () => (await home.json('status', '--json')) as { daemon: object | null };
  while ((await status()).daemon === null && daemon.exitCode === null) await status();
  expect(await ask()).toEqual(alone);
  expect((await home.run(['stop'])).code).toBe(0);
  expect((await status()).daemon).toBeNull();
}, 60_000);

test('a search that finds nothing is an answer', async () => {
  const { code, out } = await home.run(['recall', 'zeppelin', '--mode', 'words', '--json']);
  expect(code).toBe(0);
  expect(z.strictObject(answer).parse(JSON.parse(out)).hits).toEqual([]);
});

describe('recall --batch', () => {
  const asked = (id: number) => ({ id: `q${id}`, query: id % 2 === 0 ? '403 retry' : 'manifest' });

  test('answers in the order of its lines, errors in their place', async () => {
    const path = join(home.folder, 'batch.jsonl');
    const lines = [
      JSON.stringify({ id: 'first', query: 'manifest parser', limit: 1 }),
      'this is no JSON',
      JSON.stringify({ id: 'third', query: 'manifest 403', project: 'harbor' }),
      JSON.stringify({ id: 'fourth' }),
      JSON.stringify({ id: 'fifth', query: 'manifest', limit: 'many' }),
      '',
      JSON.stringify({ id: 'last', query: 'retry' }),
    ];
    writeFileSync(path, lines.join('\n'));
    const { out, code } = await home.run(['recall', '--batch', path]);
    const answers = out
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(answers.map(({ id }) => id)).toEqual([
      'first',
      null,
      'third',
      'fourth',
      'fifth',
      'last',
    ]);
    const failed = z.strictObject({
      id: z.string().nullable(),
      line: z.number().int().min(1),
      error: z.strictObject({ kind: z.literal('bad-request'), message: z.string().min(10) }),
    });
    for (const at of [1, 3, 4]) failed.parse(answers[at]);
    const right = z.strictObject({ id: z.string(), ...answer });
    expect(right.parse(answers[0]).hits).toHaveLength(1);
    expect(right.parse(answers[2]).hits.map(({ project }) => project)).not.toContain('pier');
    right.parse(answers[5]);
    expect(code).toBe(0);
  });

  test('two hundred questions from standard input', async () => {
    const questions = Array.from({ length: 200 }, (_, i) => asked(i));
    const input = questions.map((question) => JSON.stringify(question)).join('\n');
    const { out, code } = await home.run(['recall', '--batch', '-'], input);
    const answers = out
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(answers.map(({ id }) => id)).toEqual(questions.map(({ id }) => id));
    expect(answers.every(({ hits }) => hits.length > 0)).toBe(true);
    expect(code).toBe(0);
  });
});

const view = {
  session: z.looseObject({
    id: z.string(),
    agent: z.string(),
    project: z.looseObject({ id: z.string(), name: z.string() }).nullable(),
  }),
  message: z.looseObject({ id: z.string(), sessionId: z.string(), role: z.string() }),
};

test('show: a message with its neighbours, a session a page at a time', async () => {
  const listed = z
    .strictObject({ version: z.literal(1), sessions: z.array(view.session) })
    .parse(await home.json('sessions', 'list', '--json'));
  expect(listed.sessions.map(({ project }) => project?.name).sort()).toEqual(['harbor', 'pier']);
  const pier = listed.sessions.find(({ project }) => project?.name === 'pier');
  const page = z
    .looseObject({
      version: z.literal(1),
      type: z.literal('session'),
      messages: z.array(view.message).length(2),
      nextOffset: z.literal(2),
      children: z.array(z.unknown()),
    })
    .parse(await home.json('show', pier?.id ?? '', '-n', '2', '--json'));
  const fromStart = await home.json('show', pier?.id ?? '', '-n', '2', '--offset', '0', '--json');
  expect(fromStart).toEqual(await home.json('show', pier?.id ?? '', '-n', '2', '--json'));
  const rest = z
    .looseObject({ messages: z.array(view.message).length(1), nextOffset: z.null() })
    .parse(await home.json('show', pier?.id ?? '', '--offset', '2', '--json'));
  expect(rest.messages[0]?.role).toBe('tool');
  z.looseObject({
    version: z.literal(1),
    type: z.literal('message'),
    before: z.array(view.message).length(1),
    after: z.array(view.message).length(1),
  }).parse(await home.json('show', page.messages[1]?.id ?? '', '--json'));
});

test('the other reading commands have the fields that the page names', async () => {
  const version = z.literal(1);
  const shapes: readonly [readonly string[], z.ZodType][] = [
    [['projects'], z.strictObject({ version, projects: z.array(z.looseObject({})).length(2) })],
    [
      ['context', '--project', 'pier'],
      z.strictObject({
        version,
        text: z.string(),
        items: z.array(z.unknown()),
        leftOut: z.number(),
      }),
    ],
    [
      ['status'],
      z.strictObject({
        version,
        program: z.string(),
        store: z.looseObject({ path: z.string() }),
        daemon: z.null(),
        counts: z.looseObject({ sessions: z.literal(2), messages: z.literal(5) }),
        vectors: z.looseObject({}),
        job: z.null(),
      }),
    ],
    [
      ['doctor'],
      z.strictObject({
        version,
        findings: z.array(
          z.strictObject({
            check: z.string(),
            level: z.enum(['ok', 'hint', 'broken']),
            message: z.string(),
          }),
        ),
      }),
    ],
  ];
  for (const [args, shape] of shapes) shape.parse(await home.json(...args, '--json'));
});

const imported = z.strictObject({
  version: z.literal(1),
  agent: z.literal('generic'),
  sessions: z.number(),
  messages: z.number(),
  duplicates: z.number(),
  updated: z.number(),
  toolResults: z.number(),
  skipped: z.number(),
  skippedByReason: z.record(z.string(), z.number()),
  unknownTypes: z.record(z.string(), z.number()),
  redacted: z.number(),
  redactedByKind: z.record(z.string(), z.number()),
  errors: z.array(z.strictObject({ category: z.string(), path: z.string() })),
  sources: z.number(),
  unchangedSources: z.number(),
  complete: z.boolean(),
  byAgent: z.array(z.looseObject({ agent: z.string() })),
});

test('import tells what this run added: nothing twice, what grew, what was copied', async () => {
  const own = makeHome();
  const source = own.lines('s.jsonl', message(0, 'one'), message(1, 'two'));
  const take = async (path: string) =>
    imported.parse(await own.json('import', '--agent', 'generic', path, '--json'));
  expect(await take(source)).toMatchObject({ sessions: 1, messages: 2, duplicates: 0 });
  expect(await take(source)).toMatchObject({ sessions: 0, messages: 0, unchangedSources: 1 });
  appendFileSync(source, `${JSON.stringify(message(2, 'three'))}\n{"no message": true}\n`);
  expect(await take(source)).toMatchObject({
    sessions: 0,
    messages: 1,
    skipped: 1,
    skippedByReason: { invalid: 1 },
  });
  const copy = join(own.folder, 'copy.jsonl');
  copyFileSync(source, copy);
  appendFileSync(copy, `${JSON.stringify(message(3, `AKIA${'Q3EGRV7NLS4XW2KD'}`))}\n`);
  expect(await take(copy)).toMatchObject({ messages: 1, duplicates: 3, redacted: 1 });
  writeFileSync(source, `${JSON.stringify(message(0, 'one, said otherwise'))}\n`);
  expect(await take(source)).toMatchObject({ messages: 0, updated: 1 });
  own.remove();
}, 60_000);
