/**
 * Quipu for agents: the MCP server and its tools (`docs/formats/mcp.md`).
 *
 * Decides: which tools an agent sees and what they give: structured results, with the same as text
 * for older clients. Text from memory is wrapped and quoted, so that an instruction hidden in it
 * stays a quotation, and so that it is recognised when the agent's transcript is imported later.
 * Does not decide where answers come from: a `Backend` does.
 */
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { quoteAsData, wrapRecall } from '@quipu/memory';
import { z } from 'zod';
import type { Backend, BackendError } from '../backend.ts';
import { QUIPU_VERSION } from '../version.ts';
import { projectFor } from './project.ts';
import { recallText, showText } from './render.ts';

export type McpDeps = {
  readonly backend: () => Promise<Backend>;
};

const PROJECT_HELP =
  "Project: its name, id or root folder; '*' for all. Default: the project of the client's roots.";

const recallInput = {
  query: z.string().describe('What to look for, in plain words; names, paths and errors help.'),
  project: z.string().optional().describe(PROJECT_HELP),
  session: z.string().optional().describe('Only this session (its id).'),
  agent: z.string().optional().describe('Only this agent, such as claude-code or codex.'),
  kind: z
    .enum(['text', 'reasoning', 'tool_call', 'tool_result', 'memory'])
    .optional()
    .describe('Only this kind of content.'),
  before: z.string().optional().describe("Only before this date ('2026-05-01', 'last Tuesday')."),
  after: z.string().optional().describe('Only from this date on.'),
  path: z.string().optional().describe('Only what mentions this file or folder.'),
  limit: z.number().int().min(1).max(50).optional().describe('Hits at most; default 8.'),
  tokens: z.number().int().min(50).max(32_000).optional().describe('Budget for the text.'),
};

/** Structured answers carry their own version; unknown fields may be added within one. */
const answerShape = z.looseObject({ version: z.number() });
const recallOutput = z.looseObject({
  version: z.number(),
  tookMs: z.number(),
  mode: z.string(),
  notes: z.array(z.string()),
  hits: z.array(z.looseObject({ id: z.string(), text: z.string(), score: z.number() })),
});

const LIMIT_DEFAULT = 8;
const TOKENS_DEFAULT = 2_000;

export function createMcpServer(deps: McpDeps): McpServer {
  const server = new McpServer(
    { name: 'quipu', title: 'Quipu memory', version: QUIPU_VERSION },
    {
      instructions:
        'Quipu remembers what coding agents did on this machine. Ask `recall` before redoing ' +
        'work or asking the person what was decided; `remember` what must hold in later sessions.',
    },
  );
  addRecall(server, deps);
  addReading(server, deps);
  addWriting(server, deps);
  return server;
}

function addRecall(server: McpServer, deps: McpDeps): void {
  server.registerTool(
    'recall',
    {
      title: 'Search memory',
      description:
        'Searches earlier sessions of all coding agents on this machine: what was decided, done, ' +
        'found, which command failed how. Returns passages with stable ids for `show`.',
      inputSchema: recallInput,
      outputSchema: recallOutput,
      annotations: { readOnlyHint: true, idempotentHint: true, openWorldHint: false },
    },
    async (input, extra) => {
      const project = await projectFor(server.server, input.project);
      if (!project.ok) return failed(project.error);
      const backend = await deps.backend();
      const request = {
        ...input,
        project: project.value,
        limit: input.limit ?? LIMIT_DEFAULT,
        tokens: input.tokens ?? TOKENS_DEFAULT,
      };
      const result = await backend.recall(request, extra.signal);
      if (!result.ok) return failed(result.error);
      const text = recallText(result.value);
      await backend.printed(text);
      return answered(result.value, text);
    },
  );
}

function addReading(server: McpServer, deps: McpDeps): void {
  server.registerTool(
    'show',
    {
      title: 'Open a memory',
      description: 'Opens a message with its neighbours, a session, or a project by its id.',
      inputSchema: {
        id: z.string().describe('msg_…, ses_… or prj_…, as recall gives them.'),
        offset: z.number().int().min(0).optional().describe('Of a session: first message.'),
        limit: z.number().int().min(1).max(200).optional().describe('Of a session: messages.'),
      },
      outputSchema: answerShape,
      annotations: { readOnlyHint: true, idempotentHint: true, openWorldHint: false },
    },
    async (input) => {
      const backend = await deps.backend();
      const page = { offset: input.offset, limit: input.limit ?? 20 };
      const result = await backend.show(input.id, page);
      return result.ok ? answered(result.value, showText(result.value)) : failed(result.error);
    },
  );
  server.registerTool(
    'context',
    {
      title: 'Project context',
      description: 'What a session in this project should start with: notes and recent sessions.',
      inputSchema: {
        project: z.string().optional().describe(PROJECT_HELP),
        tokens: z.number().int().min(1).max(32_000).optional().describe('Budget; default 2000.'),
      },
      outputSchema: answerShape,
      annotations: { readOnlyHint: true, idempotentHint: true, openWorldHint: false },
    },
    async (input) => {
      const project = await projectFor(server.server, input.project);
      if (!project.ok) return failed(project.error);
      const backend = await deps.backend();
      const result = await backend.context({ project: project.value, tokens: input.tokens });
      if (!result.ok) return failed(result.error);
      return answered(result.value, result.value.text || 'Nothing is remembered here yet.');
    },
  );
}

function addWriting(server: McpServer, deps: McpDeps): void {
  server.registerTool(
    'remember',
    {
      title: 'Remember a note',
      description:
        'Keeps a note for later sessions: a decision, a preference, a trap. Secrets are redacted.',
      inputSchema: {
        text: z.string().min(1).describe('The note, self-contained.'),
        project: z.string().optional().describe(PROJECT_HELP),
      },
      outputSchema: z.looseObject({ id: z.string() }),
      annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true },
    },
    async (input) => {
      const project = await projectFor(server.server, input.project);
      if (!project.ok) return failed(project.error);
      const backend = await deps.backend();
      const result = await backend.remember({ text: input.text, project: project.value });
      if (!result.ok) return failed(result.error);
      return answered(result.value, `Remembered as ${result.value.id}.`);
    },
  );
  server.registerTool(
    'forget',
    {
      title: 'Forget',
      description: 'Forgets a message, session or project for good; no import brings it back.',
      inputSchema: { id: z.string().describe('msg_…, ses_… or prj_…') },
      outputSchema: answerShape,
      annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false },
    },
    async (input) => {
      const backend = await deps.backend();
      const result = await backend.forget(input.id);
      if (!result.ok) return failed(result.error);
      return answered(result.value, `Forgotten: ${result.value.messages} messages.`);
    },
  );
}

function answered(value: object, text: string): CallToolResult {
  return {
    content: [{ type: 'text', text: wrapRecall(text) }],
    structuredContent: quotedDeeply(value) as Record<string, unknown>,
  };
}

/** Agents read the structured answer too: what holds for the text holds for each string in it. */
function quotedDeeply(value: unknown): unknown {
  if (typeof value === 'string') return quoteAsData(value);
  if (Array.isArray(value)) return value.map(quotedDeeply);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, quotedDeeply(one)]));
}

function failed(error: BackendError): CallToolResult {
  return { isError: true, content: [{ type: 'text', text: quoteAsData(error.message) }] };
}
