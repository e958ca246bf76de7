/** The scripted upstream, asked over HTTP as programs ask it. */
import { once } from 'node:events';
import { connect } from 'node:net';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { chooseReply, piecesOf, type Script, type Turn } from './script.ts';
import { startUpstream, type Upstream } from './server.ts';

const PROMPT = 'Why does the export stop at noon?';
const THOUGHT = 'Two files may say when it runs.';
const FIRST = 'I look at the 😀 schedule before I guess.';
const LAST = 'The cron line says 12, not 24.';
const INPUTS = [{ command: 'cat crontab' }, { command: 'date "+%H"' }];

const SCRIPT: Script = {
  title: 'Export at noon',
  sides: [{ holds: 'Summarise the conversation', text: 'So far: the export stops at noon.' }],
  exchanges: [
    {
      prompt: PROMPT,
      replies: [
        {
          inputTokens: 4321,
          blocks: [
            { type: 'thinking', text: THOUGHT },
            { type: 'text', text: FIRST },
            ...INPUTS.map((input) => ({ type: 'call', tool: 'run', input }) as const),
          ],
        },
        { blocks: [{ type: 'text', text: LAST }] },
      ],
    },
  ],
};

let upstream: Upstream;
beforeEach(async () => {
  upstream = await startUpstream(SCRIPT);
});
afterEach(() => upstream.close());

const post = (path: string, body: object): Promise<Response> =>
  fetch(`${upstream.url}${path}`, { method: 'POST', body: JSON.stringify(body) });

async function streamOf(path: string, body: object): Promise<unknown[]> {
  const text = await (await post(path, body)).text();
  const lines = text.split('\n').filter((line) => line.startsWith('data: {'));
  return lines.map((line) => JSON.parse(line.slice(6)) as unknown);
}

/** What stands at a path of keys in a body; undefined where the path leads nowhere. */
function at(body: unknown, ...keys: readonly (string | number)[]): unknown {
  let value = body;
  for (const key of keys) value = (value as Record<string, unknown> | undefined | null)?.[key];
  return value;
}

/** All strings at a path over a stream's bodies, joined: a text as a program puts it together. */
const joined = (bodies: readonly unknown[], ...keys: readonly (string | number)[]): string =>
  bodies.map((body) => at(body, ...keys) ?? '').join('');

const tool = { name: 'run' };
const RESULT = '0 12 * * *';

type WireCase = {
  readonly path: string;
  readonly first: object;
  readonly second: object;
  /** Thought, text and inputs of the calls, as a program joins them from the stream. */
  readonly heard: (bodies: readonly unknown[]) => readonly [string, string, unknown[]];
  readonly tokens: readonly (string | number)[];
};

const CASES: Readonly<Record<string, WireCase>> = {
  anthropic: {
    path: '/v1/messages?beta=true',
    first: {
      stream: true,
      tools: [tool],
      messages: [{ role: 'user', content: [{ type: 'text', text: `<note/> ${PROMPT}` }] }],
    },
    second: {
      stream: true,
      tools: [tool],
      messages: [
        { role: 'user', content: PROMPT },
        { role: 'assistant', content: [{ type: 'text', text: FIRST }] },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a', content: RESULT }] },
      ],
    },
    heard: (bodies) => [
      joined(bodies, 'delta', 'thinking'),
      joined(bodies, 'delta', 'text'),
      [2, 3]
        .map((index) => bodies.filter((body) => at(body, 'index') === index))
        .flatMap((own) => {
          const input = joined(own, 'delta', 'partial_json');
          return input === '' ? [] : [JSON.parse(input)];
        }),
    ],
    tokens: ['message', 'usage', 'input_tokens'],
  },
  responses: {
    path: '/v1/responses',
    first: { stream: true, tools: [tool], input: PROMPT },
    second: {
      stream: true,
      tools: [tool],
      input: [
        { role: 'user', content: [{ type: 'input_text', text: PROMPT }] },
        { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: FIRST }] },
        { type: 'function_call_output', call_id: 'a', output: RESULT },
      ],
    },
    heard: (bodies) => {
      const delta = (type: string): string =>
        joined(
          bodies.filter((body) => at(body, 'type') === type),
          'delta',
        );
      const done = bodies.filter((body) => at(body, 'type') === 'response.output_item.done');
      const calls = done.filter((body) => at(body, 'item', 'type') === 'function_call');
      return [
        delta('response.reasoning_summary_text.delta'),
        delta('response.output_text.delta'),
        calls.map((body) => JSON.parse(String(at(body, 'item', 'arguments')))),
      ];
    },
    tokens: ['response', 'usage', 'input_tokens'],
  },
  chat: {
    path: '/v1/chat/completions',
    first: {
      stream: true,
      tools: [{ function: tool }],
      messages: [{ role: 'user', content: PROMPT }],
    },
    second: {
      stream: true,
      tools: [{ function: tool }],
      messages: [
        { role: 'user', content: PROMPT },
        { role: 'assistant', content: FIRST },
        { role: 'tool', tool_call_id: 'a', content: RESULT },
      ],
    },
    heard: (bodies) => {
      const delta = ['choices', 0, 'delta'] as const;
      const calls = bodies.map((body) => at(body, ...delta, 'tool_calls', 0));
      const inputs = [0, 1].map((index) =>
        joined(
          calls.filter((call) => at(call, 'index') === index),
          'function',
          'arguments',
        ),
      );
      return [
        joined(bodies, ...delta, 'reasoning_content'),
        joined(bodies, ...delta, 'content'),
        inputs.filter((input) => input !== '').map((input) => JSON.parse(input)),
      ];
    },
    tokens: ['usage', 'prompt_tokens'],
  },
  gemini: {
    path: '/v1beta/models/gemini-x:streamGenerateContent?alt=sse',
    first: {
      tools: [{ functionDeclarations: [tool] }],
      contents: [{ role: 'user', parts: [{ text: PROMPT }] }],
    },
    second: {
      tools: [{ functionDeclarations: [tool] }],
      contents: [
        { role: 'user', parts: [{ text: PROMPT }] },
        { role: 'model', parts: [{ text: FIRST }, { functionCall: { name: 'run' } }] },
        { role: 'user', parts: [{ functionResponse: { name: 'run', response: { RESULT } } }] },
      ],
    },
    heard: (bodies) => {
      const parts = bodies.map((body) => at(body, 'candidates', 0, 'content', 'parts', 0));
      const thought = parts.filter((part) => at(part, 'thought') === true);
      const plain = parts.filter((part) => at(part, 'thought') !== true);
      const calls = plain.flatMap((part) => at(part, 'functionCall', 'args') ?? []);
      return [joined(thought, 'text'), joined(plain, 'text'), calls];
    },
    tokens: ['usageMetadata', 'promptTokenCount'],
  },
};

describe.each(Object.entries(CASES))('%s', (_name, wire) => {
  test('a prompt is answered by thought, text and calls, then by the next reply', async () => {
    const first = await streamOf(wire.path, wire.first);
    expect(wire.heard(first)).toEqual([THOUGHT, FIRST, INPUTS]);
    expect(first.some((body) => at(body, ...wire.tokens) === 4321)).toBe(true);
    const second = await streamOf(wire.path, wire.second);
    expect(wire.heard(second)).toEqual(['', LAST, []]);
    expect(upstream.seen.map((each) => each.outcome)).toEqual(['reply', 'reply']);
  });

  test('the same request again is answered alike, under ids of its own', async () => {
    const [once, again] = [
      await streamOf(wire.path, wire.first),
      await streamOf(wire.path, wire.first),
    ];
    expect(wire.heard(again)).toEqual(wire.heard(once));
    const idsIn = (bodies: readonly unknown[]): string[] =>
      JSON.stringify(bodies).match(/(?:call|toolu)_[0-9a-f]{18}/g) ?? [];
    const ids = new Set(idsIn(once));
    expect(ids.size).toBe(2);
    expect(idsIn(again).filter((id) => ids.has(id))).toEqual([]);
  });

  test('without streaming the reply is one body that holds all of it', async () => {
    const path = wire.path.replace('streamGenerateContent?alt=sse', 'generateContent');
    const body = JSON.stringify(await (await post(path, { ...wire.first, stream: false })).json());
    for (const text of [THOUGHT, FIRST, 'cat crontab', '+%H']) expect(body).toContain(text);
  });
});

describe('choosing a reply', () => {
  const asked = (turns: readonly Turn[], tools = ['run']) =>
    chooseReply(SCRIPT, { model: 'm', stream: true, turns, tools });
  const user = (text: string): Turn => ({ role: 'user', text });
  const model = (text: string): Turn => ({ role: 'assistant', text });

  test('a request to sum up is a side request, whatever was said before', () => {
    const choice = asked([user(PROMPT), user('Summarise the conversation so far')]);
    expect(choice.kind).toBe('side');
  });

  test('a request without tools is one for a title, though it holds the prompt', () => {
    expect(asked([user(PROMPT)], [])).toMatchObject({
      kind: 'side',
      reply: { blocks: [{ text: 'Export at noon' }] },
    });
  });

  test('without tools it is the prompt, where the program never has any', () => {
    const asked = { model: 'm', stream: true, turns: [user(PROMPT)], tools: [] };
    expect(chooseReply({ ...SCRIPT, toolless: true }, asked).kind).toBe('reply');
  });

  test('a prompt that is said again begins its replies again', () => {
    const again = asked([user(PROMPT), model(FIRST), model(LAST), user(PROMPT)]);
    expect(again).toMatchObject({ kind: 'reply', reply: { inputTokens: 4321 } });
  });

  test('a request beyond the script is named, not made up', () => {
    const choice = asked([user(PROMPT), model(FIRST), model(LAST)]);
    expect(choice).toEqual({ kind: 'exhausted', prompt: PROMPT });
  });
});

test('a WebSocket is refused with 426, an unknown path with 404', async () => {
  const socket = connect(Number(new URL(upstream.url).port), '127.0.0.1');
  const lines = ['GET /v1/responses HTTP/1.1', 'Host: x', 'Upgrade: websocket'];
  socket.write(`${lines.join('\r\n')}\r\nConnection: Upgrade\r\n\r\n`);
  const [answer] = (await once(socket, 'data')) as [Buffer];
  expect(answer.toString()).toMatch(/^HTTP\/1\.1 426 /);
  socket.destroy();
  expect((await post('/v1/nothing', {})).status).toBe(404);
  expect(upstream.seen).toEqual([{ path: '/v1/nothing', outcome: 'unknown' }]);
});

test('pieces of a text are the text, and none cuts a character', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 200 }), (text) => {
      expect(piecesOf(text).join('')).toBe(text);
      expect(piecesOf(text).some((piece) => /\p{Surrogate}/u.test(piece))).toBe(false);
    }),
  );
});
