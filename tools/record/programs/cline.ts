/**
 * Cline's program: a route that hides another.
 *
 * Decides: the model is its "openai-compatible" provider, laid down in its settings; sessions are
 * kept by the command itself, not by a hub that would stay behind; usage is not told to anyone.
 * A session is resumed in a terminal only, so none is.
 */
import { join } from 'node:path';
import type { Program, Step } from '../recording.ts';
import type { Exchange } from '../upstream/script.ts';

const ROUTES = `// Tried from the top; the first that fits answers.
export const routes = [
  ['/tours', 'all tours'],
  ['/tours/:id', 'one tour'],
  ['/tours/today', "today's tours"],
];

export const fits = (pattern, path) =>
  new RegExp(\`^\${pattern.replace(/:\\w+/g, '[^/]+')}$\`).test(path);
`;

const ASK = `import { fits, routes } from './routes.js';

console.log(routes.find(([pattern]) => fits(pattern, process.argv[2]))?.[1] ?? 'nothing');
`;

const HIDDEN =
  'GET /tours/today shows a single tour named "today". Since when do we have such a tour?';
const ORDER =
  '/tours/:id hides /tours/today. Put the fixed path first, and ask for all three paths again.';
const LIST = 'Let a helper list which patterns can hide a fixed path, then name the worst one.';
const LISTED = 'List the patterns of routes.js that hold a parameter. Answer in one line.';

const look: Exchange = {
  prompt: HIDDEN,
  replies: [
    {
      blocks: [
        { type: 'thinking', text: 'A parameter swallows the word "today", if it is tried first.' },
        { type: 'text', text: 'I read the table and ask it for that path.' },
        { type: 'call', tool: 'read_files', input: { files: [{ path: 'HERE/routes.js' }] } },
        {
          type: 'call',
          tool: 'run_commands',
          input: { commands: ['node ask.js /tours/today', 'node ask.js /ships; exit 4'] },
        },
      ],
    },
    {
      blocks: [
        {
          type: 'text',
          text:
            'There is none: `/tours/:id` stands above `/tours/today` and takes "today" for an ' +
            'id. The first pattern that fits answers, so the third line is never reached.',
        },
      ],
    },
  ],
};

const order: Exchange = {
  prompt: ORDER,
  replies: [
    {
      blocks: [
        { type: 'text', text: 'I swap the two lines.' },
        {
          type: 'call',
          tool: 'editor',
          input: {
            path: 'HERE/routes.js',
            old_text: "  ['/tours/:id', 'one tour'],\n  ['/tours/today', \"today's tours\"],",
            new_text: "  ['/tours/today', \"today's tours\"],\n  ['/tours/:id', 'one tour'],",
          },
        },
        { type: 'call', tool: 'read_files', input: { files: [{ path: 'HERE/paths.js' }] } },
      ],
    },
    {
      blocks: [
        { type: 'text', text: 'Now all three.' },
        {
          type: 'call',
          tool: 'run_commands',
          input: { commands: ['for each in "" /7 /today; do node ask.js "/tours$each"; done'] },
        },
      ],
    },
    {
      blocks: [
        {
          type: 'text',
          text: 'Each answers for itself. Decision: fixed paths stand above those with parameters.',
        },
      ],
    },
  ],
};

const list: readonly Exchange[] = [
  {
    prompt: LIST,
    replies: [
      {
        blocks: [
          { type: 'text', text: 'A helper may look.' },
          {
            type: 'call',
            tool: 'spawn_agent',
            input: { systemPrompt: 'You read route tables and list patterns.', task: LISTED },
          },
        ],
      },
      { blocks: [{ type: 'text', text: 'The worst is `/tours/:id`: nothing below it is safe.' }] },
    ],
  },
  {
    prompt: LISTED,
    replies: [
      {
        blocks: [
          { type: 'text', text: 'Looking for colons.' },
          { type: 'call', tool: 'run_commands', input: { commands: ['grep -n "/:" routes.js'] } },
        ],
      },
      { blocks: [{ type: 'text', text: 'One pattern: /tours/:id, in line 4.' }] },
    ],
  },
];

const prompt = (text: string): Step => ({ args: () => [text] });

export const cline: Program = {
  agent: 'cline',
  version: '3.0.65',
  package: 'cline@3.0.65',
  command: (folder) => [join(folder, 'node_modules/@cline/cli-linux-x64/bin/cline')],
  env: () => ({ CLINE_SESSION_BACKEND_MODE: 'local', CLINE_LOG_ENABLED: '0' }),
  settings: ({ upstream }) => ({
    '.cline/data/settings/global-settings.json': JSON.stringify({
      telemetryOptOut: true,
      autoUpdateEnabled: false,
    }),
    '.cline/data/settings/providers.json': JSON.stringify({
      version: 1,
      lastUsedProvider: 'openai-compatible',
      modes: {},
      providers: {
        'openai-compatible': {
          settings: {
            provider: 'openai-compatible',
            apiKey: 'scripted',
            model: 'scripted-1',
            baseUrl: `${upstream}/v1`,
          },
          updatedAt: '2026-12-01T00:00:00.000Z',
          tokenSource: 'manual',
        },
      },
    }),
  }),
  project: {
    name: 'tours',
    files: {
      'package.json': '{ "name": "tours", "type": "module", "private": true }\n',
      'routes.js': ROUTES,
      'ask.js': ASK,
    },
  },
  keeps: (path) => /^\.cline\/data\/sessions\/.*\.json$/.test(path),
  newestSession: async () => '',
  situations: [
    { name: 'basic', title: 'A hidden route', exchanges: [look], steps: [prompt(HIDDEN)] },
    { name: 'edit', title: 'A hidden route', exchanges: [order], steps: [prompt(ORDER)] },
    { name: 'subagent', title: 'Patterns', exchanges: list, steps: [prompt(LIST)] },
  ],
};
