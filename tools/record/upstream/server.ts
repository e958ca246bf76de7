/**
 * The scripted upstream: an HTTP server on loopback that speaks four model wires.
 *
 * Decides: which path is which wire, how a stream is written, and what is kept of each request for
 * the recorder to judge (`Seen`: never the body, which holds the vendor's words). A WebSocket is
 * refused with 426, at which programs fall back to plain HTTP at once. Anything unknown is 404.
 */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { anthropic } from './anthropic.ts';
import { chat } from './chat.ts';
import { gemini } from './gemini.ts';
import { isObject, type Json } from './json.ts';
import { responses } from './responses.ts';
import { type Choice, chooseReply, type Script, textOf, tokensOf } from './script.ts';
import { Ids, type Said, type Wire } from './wire.ts';

/** Bytes of a request body; programs send their whole conversation, tools included. */
const BODY_BYTES_MAX = 32 << 20;

export type Seen = {
  readonly path: string;
  readonly outcome: Choice['kind'] | 'other' | 'unknown';
};

export type Upstream = {
  /** `http://127.0.0.1:PORT`, without a final slash. */
  readonly url: string;
  readonly seen: readonly Seen[];
  /** Texts of the scripted replies that were given. */
  readonly said: readonly string[];
  readonly close: () => Promise<void>;
};

const WIRES: readonly { readonly path: RegExp; readonly wire: Wire }[] = [
  { path: /\/messages$/, wire: anthropic },
  { path: /\/responses$/, wire: responses },
  { path: /\/chat\/completions$/, wire: chat },
  { path: /\/models\/[^/]+:(?:streamGenerateContent|generateContent)$/, wire: gemini },
];

export async function startUpstream(script: Script): Promise<Upstream> {
  const seen: Seen[] = [];
  const state: State = { script, ids: new Ids(), said: [] };
  const server = createServer((request, response) => {
    answer(state, request, response).then(
      (one) => seen.push(one),
      (failure: unknown) => {
        seen.push({ path: pathOf(request), outcome: 'unknown' });
        response.destroy(failure instanceof Error ? failure : undefined);
      },
    );
  });
  server.on('upgrade', (_request, socket) => {
    socket.end('HTTP/1.1 426 Upgrade Required\r\nConnection: close\r\nContent-Length: 0\r\n\r\n');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    seen,
    said: state.said,
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

const pathOf = (request: IncomingMessage): string => (request.url ?? '').split('?')[0] ?? '';

type State = { readonly script: Script; readonly ids: Ids; readonly said: string[] };

async function answer(
  state: State,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<Seen> {
  const path = pathOf(request);
  const text = await bodyOf(request);
  const body = text === '' ? {} : (JSON.parse(text) as unknown);
  const wire = WIRES.find((each) => each.path.test(path))?.wire;
  if (request.method === 'POST' && wire !== undefined && isObject(body)) {
    return { path, outcome: await speak(state, wire, { path, body, text, response }) };
  }
  if (/(?:count_tokens|:countTokens)$/.test(path)) {
    json(response, 200, { input_tokens: tokensOf(text), totalTokens: tokensOf(text) });
    return { path, outcome: 'other' };
  }
  if (request.method === 'GET' && path.endsWith('/models')) {
    json(response, 200, { object: 'list', data: [], models: [] });
    return { path, outcome: 'other' };
  }
  json(response, 404, { error: { type: 'not_found_error', message: 'no such path' } });
  return { path, outcome: 'unknown' };
}

type Request = {
  readonly path: string;
  readonly body: Json;
  readonly text: string;
  readonly response: ServerResponse;
};

async function speak(
  { script, ids, said: heard }: State,
  wire: Wire,
  { path, body, text, response }: Request,
): Promise<Choice['kind']> {
  const asked = wire.asked(body, path);
  const choice = chooseReply(script, asked);
  if (choice.kind === 'exhausted') {
    const message = `the script has no further reply to: ${choice.prompt}`;
    json(response, 400, { error: { type: 'invalid_request_error', message } });
    return choice.kind;
  }
  if (choice.kind === 'reply') heard.push(textOf(choice.reply));
  const said: Said = {
    model: asked.model,
    reply: choice.reply,
    inputTokens: choice.reply.inputTokens ?? tokensOf(text),
    outputTokens: tokensOf(JSON.stringify(choice.reply.blocks)),
  };
  if (!asked.stream) {
    json(response, 200, wire.whole(said, ids));
    return choice.kind;
  }
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
  for (const { event, body: each } of wire.events(said, ids)) {
    const name = event === undefined ? '' : `event: ${event}\n`;
    response.write(`${name}data: ${JSON.stringify(each)}\n\n`);
  }
  response.end(wire.end);
  return choice.kind;
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = [];
  let held = 0;
  for await (const piece of request as AsyncIterable<Buffer>) {
    held += piece.length;
    if (held > BODY_BYTES_MAX) throw new Error('the request is larger than a conversation can be');
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString('utf8');
}

function json(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}
