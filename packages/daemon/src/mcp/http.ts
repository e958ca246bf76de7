/**
 * MCP over streamable HTTP, within the daemon.
 *
 * Decides: sessions are bounded; when there are too many the one idle longest ends. Guarding
 * (token, `Host`, `Origin`) is done before a request comes here.
 */
import {
  type WebStandardStreamableHTTPServerTransportOptions as TransportOptions,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js';
import type { Kernel } from '@quipu/kernel';
import type { Backend } from '../backend.ts';
import { BODY_BYTES_MAX, MCP_SESSIONS_MAX } from '../limits.ts';
import { randomHex } from '../machine.ts';
import { createMcpServer } from './server.ts';

export type McpHttp = {
  readonly handle: (request: Request) => Promise<Response>;
  readonly close: () => Promise<void>;
};

type Session = {
  readonly transport: WebStandardStreamableHTTPServerTransport;
  readonly close: () => Promise<void>;
  usedMs: number;
};

export function createMcpHttp(deps: { backend: Backend; kernel: Kernel }): McpHttp {
  const sessions = new Map<string, Session>();
  const now = (): number => deps.kernel.clock.monotonicMs();

  const open = async (): Promise<WebStandardStreamableHTTPServerTransport> => {
    await makeRoom(sessions);
    const server = createMcpServer({ backend: async () => deps.backend });
    const options: TransportOptions = {
      sessionIdGenerator: () => randomHex(16),
      maxRequestBodySize: BODY_BYTES_MAX,
      onsessioninitialized: (id) => {
        sessions.set(id, { transport, close: () => server.close(), usedMs: now() });
      },
      onsessionclosed: (id) => {
        sessions.delete(id);
      },
    };
    const transport = new WebStandardStreamableHTTPServerTransport(options);
    await server.connect(transport);
    return transport;
  };

  return {
    handle: async (request) => {
      const id = request.headers.get('mcp-session-id');
      const session = id === null ? undefined : sessions.get(id);
      if (session !== undefined) {
        session.usedMs = now();
        return session.transport.handleRequest(request);
      }
      if (id !== null) {
        const error = { code: -32001, message: 'Session not found; initialize again.' };
        return Response.json({ jsonrpc: '2.0', id: null, error }, { status: 404 });
      }
      const transport = await open();
      return transport.handleRequest(request);
    },
    close: async () => {
      const all = [...sessions.values()];
      sessions.clear();
      for (const session of all) await session.close();
    },
  };
}

async function makeRoom(sessions: Map<string, Session>): Promise<void> {
  if (sessions.size < MCP_SESSIONS_MAX) return;
  const oldest = [...sessions].reduce((a, b) => (b[1].usedMs < a[1].usedMs ? b : a));
  sessions.delete(oldest[0]);
  await oldest[1].close();
}
