/**
 * The daemon as real processes: one however many start, found only when it proves itself, closed to
 * strangers, gone when told. Verifies: DAEMON-1, DAEMON-2, DAEMON-3
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type FoundDaemon, findDaemon } from './instance/find.ts';
import { CONCURRENT_REQUESTS_MAX } from './limits.ts';

const PROGRAM = resolve(import.meta.dirname, '../../cli/bin/quipu.js');
const EXAMPLES = resolve(import.meta.dirname, '../../../examples/sessions.jsonl');

let directory: string;
let children: ChildProcess[];
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'quipu-daemon-'));
  children = [];
});
afterEach(async () => {
  for (const child of children) {
    if (child.exitCode === null && child.signalCode === null) {
      child.kill('SIGKILL');
      await once(child, 'exit');
    }
  }
  // The model's process may still be writing its cache when its daemon has been killed.
  rmSync(directory, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
});

const environment = (): NodeJS.ProcessEnv => ({
  ...process.env,
  QUIPU_HOME: directory,
  HOME: directory,
});

function quipu(...args: string[]): ChildProcess {
  const child = spawn(process.execPath, [PROGRAM, ...args], {
    env: environment(),
    stdio: 'ignore',
  });
  children.push(child);
  return child;
}

async function ended(child: ChildProcess): Promise<number | null> {
  if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
  const [code] = (await once(child, 'exit')) as [number | null];
  return code;
}

async function running(): Promise<FoundDaemon> {
  for (let turn = 0; turn < 900; turn += 1) {
    const found = await findDaemon(directory);
    if (found !== undefined) return found;
    await pause(100);
  }
  throw new Error('no daemon answers');
}

test('of fifty starts at once one daemon is left, and the others end well', async () => {
  const starts = Array.from({ length: 50 }, () => quipu('daemon'));
  const found = await running();
  const others = starts.filter((child) => child.pid !== found.pid);
  expect(others).toHaveLength(49);
  expect(new Set(await Promise.all(others.map(ended)))).toEqual(new Set([0]));
  expect((await running()).pid).toBe(found.pid);
}, 180_000);

test('after kill -9 a new start takes over; SIGTERM takes the place file away', async () => {
  const first = quipu('daemon');
  await running();
  first.kill('SIGKILL');
  await ended(first);
  expect(existsSync(join(directory, 'daemon.json'))).toBe(true);
  const second = quipu('daemon');
  expect((await running()).pid).toBe(second.pid);
  second.kill('SIGTERM');
  expect(await ended(second)).not.toBe(null);
  expect(existsSync(join(directory, 'daemon.json'))).toBe(false);
}, 120_000);

test('a copy of the data directory does not lead to the daemon of the original', async () => {
  quipu('daemon');
  const found = await running();
  const copy = `${directory}-copy`;
  cpSync(directory, copy, { recursive: true });
  expect(await findDaemon(copy)).toBeUndefined();
  expect((await running()).pid).toBe(found.pid);
  rmSync(copy, { recursive: true });
}, 60_000);

test('a program that imitates the daemon on its old port is not believed', async () => {
  const first = quipu('daemon');
  const found = await running();
  first.kill('SIGKILL');
  await ended(first);
  let asked = 0;
  const imitator = createServer((_request, response) => {
    asked += 1;
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ name: 'quipu', version: found.version, proof: 'f'.repeat(64) }));
  });
  imitator.listen(found.port, '127.0.0.1');
  await once(imitator, 'listening');
  expect(await findDaemon(directory)).toBeUndefined();
  expect(asked).toBe(1);
  imitator.close();
}, 60_000);

test('health is told while the store is at work', async () => {
  const source = join(directory, 'many.jsonl');
  const lines = Array.from({ length: 4_000 }, (_, i) =>
    JSON.stringify({
      project: 'p',
      session: 's',
      id: `m${i}`,
      role: 'user',
      text: `word${i} said`,
    }),
  );
  writeFileSync(source, `${lines.join('\n')}\n`);
  expect(await ended(quipu('import', source, '--agent', 'generic'))).toBe(0);
  quipu('daemon');
  const { url, token } = await running();
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const listed = await fetch(`${url}/api/v1/sessions`, { headers });
  const { sessions } = (await listed.json()) as { sessions: { id: string }[] };
  const told: string[] = [];
  // Forgetting rewrites the store, one long statement.
  const body = JSON.stringify({ id: sessions[0]?.id });
  const forgotten = fetch(`${url}/api/v1/forget`, { method: 'POST', headers, body }).then((done) =>
    told.push(`forgotten ${done.status}`),
  );
  await pause(20);
  await fetch(`${url}/health`).then((done) => told.push(`health ${done.status}`));
  await forgotten;
  expect(told).toEqual(['health 200', 'forgotten 200']);
}, 120_000);

describe('strangers', () => {
  test('without the token cannot take the places of others, however slow they are', async () => {
    quipu('daemon');
    const { port } = await running();
    const head = `POST /nothing HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n`;
    const sockets = Array.from({ length: CONCURRENT_REQUESTS_MAX + 16 }, () => {
      const socket = connect(port, '127.0.0.1');
      socket.on('error', () => {});
      socket.write(`${head}Transfer-Encoding: chunked\r\n\r\n1\r\na\r\n`);
      return socket;
    });
    await pause(1_000);
    const found = await findDaemon(directory);
    for (const socket of sockets) socket.destroy();
    expect(found?.port).toBe(port);
  }, 60_000);

  test('get no answer: no token, wrong token, foreign Host or Origin, large bodies', async () => {
    quipu('daemon');
    const { url, token, port } = await running();
    const ask = async (headers: Record<string, string>, path = '/api/v1/status') =>
      (await fetch(`${url}${path}`, { headers })).status;
    const right = { authorization: `Bearer ${token}` };
    expect(await ask(right)).toBe(200);
    expect(await ask({})).toBe(401);
    expect(await ask({ authorization: `Bearer ${'0'.repeat(64)}` })).toBe(401);
    expect(await ask({}, '/mcp')).toBe(401);
    expect(await ask({ ...right, origin: 'https://example.com' })).toBe(403);
    expect(await ask({ ...right, origin: `http://127.0.0.1:${port}` })).toBe(200);
    expect(await ask({}, '/health')).toBe(200);
    expect(await ask(right, '/api/v1/nothing')).toBe(404);
    expect(await ask({}, '/assets/..%2f..%2fpackage.json')).toBe(401);
    expect(await ask(right, '/assets/..%2f..%2fpackage.json')).toBe(404);
    expect(await rebound(port, token)).toBe(403);
    const large = await fetch(`${url}/api/v1/remember`, {
      method: 'POST',
      headers: { ...right, 'content-type': 'application/json' },
      body: JSON.stringify({ text: 'x'.repeat(2 << 20) }),
    });
    expect(large.status).toBe(413);
    expect(statSync(join(directory, 'token')).mode & 0o077).toBe(0);
    expect(readFileSync(join(directory, 'daemon.log'), 'utf8')).toContain('daemon-started');
  }, 60_000);
});

/** A request whose `Host` is another name for this address, as DNS rebinding makes it. */
async function rebound(port: number, token: string): Promise<number> {
  const { request } = await import('node:http');
  const sent = request({
    host: '127.0.0.1',
    port,
    path: '/api/v1/status',
    headers: { host: `evil.example:${port}`, authorization: `Bearer ${token}` },
  });
  sent.end();
  const [response] = (await once(sent, 'response')) as [{ statusCode: number; resume: () => void }];
  response.resume();
  return response.statusCode;
}

type Structured = { readonly hits?: readonly { readonly id: string; readonly text: string }[] };

async function walkTools(client: Client): Promise<void> {
  const { tools } = await client.listTools();
  const names = tools.map((tool) => tool.name).sort();
  expect(names).toEqual(['context', 'forget', 'recall', 'remember', 'show']);
  const call = async (name: string, input: Record<string, unknown>) =>
    client.callTool({ name, arguments: input });
  const found = await call('recall', { query: 'why do we not retry 403' });
  const hits = (found.structuredContent as Structured).hits ?? [];
  expect(hits[0]?.text).toContain('403');
  expect(JSON.stringify(found.content)).toContain('quipu-recall');
  const shown = await call('show', { id: hits[0]?.id });
  expect(JSON.stringify(shown.structuredContent)).toContain('403');
  const note = await call('remember', { text: 'The heliotrope port is 7443.', project: 'harbor' });
  const id = (note.structuredContent as { id: string }).id;
  const again = await call('recall', { query: 'heliotrope port', project: 'harbor' });
  expect((again.structuredContent as Structured).hits?.[0]?.id).toBe(id);
  const context = await call('context', { project: 'harbor' });
  expect(JSON.stringify(context.content)).toContain('heliotrope');
  expect((await call('forget', { id })).isError ?? false).toBe(false);
  const gone = await call('recall', { query: 'heliotrope', project: 'harbor' });
  const left = (gone.structuredContent as Structured).hits ?? [];
  expect(left.map((hit) => hit.id)).not.toContain(id);
  const wrong = await call('show', { id: 'nonsense' });
  expect(wrong.isError).toBe(true);
}

describe('MCP, by the SDK’s own client', () => {
  beforeEach(async () => {
    expect(await ended(quipu('import', EXAMPLES, '--agent', 'generic'))).toBe(0);
  });

  test('over stdio, without a daemon', async () => {
    const client = new Client({ name: 'test', version: '1' });
    const env = environment() as Record<string, string>;
    const command = { command: process.execPath, args: [PROGRAM, 'mcp'], env };
    await client.connect(new StdioClientTransport(command));
    await walkTools(client);
    await client.close();
  }, 60_000);

  test('over streamable HTTP, from the daemon', async () => {
    quipu('daemon');
    const { url, token } = await running();
    const client = new Client({ name: 'test', version: '1' });
    const transport = new StreamableHTTPClientTransport(new URL(`${url}/mcp`), {
      requestInit: { headers: { authorization: `Bearer ${token}` } },
    });
    await client.connect(transport as Parameters<Client['connect']>[0]);
    await walkTools(client);
    await client.close();
  }, 60_000);
});
