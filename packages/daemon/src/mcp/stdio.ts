/**
 * MCP over stdio: what an agent starts as `quipu mcp`.
 *
 * Decides: it asks the daemon when one runs (its model is warm, its memory shared by all agents),
 * and the store otherwise; looked at again for every call, so that neither a start nor a stop of
 * the daemon breaks a session of the agent. Ends when the agent closes the pipe.
 */
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import type { Backend } from '../backend.ts';
import { createMcpServer } from './server.ts';

export async function serveMcpStdio(backend: () => Promise<Backend>): Promise<void> {
  const server = createMcpServer({ backend });
  const ended = new Promise<void>((resolve) => {
    process.stdin.once('end', () => resolve());
    process.stdin.once('close', () => resolve());
  });
  await server.connect(new StdioServerTransport());
  await ended;
  await server.close();
}
