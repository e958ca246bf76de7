/**
 * opencode: an import that loses the last row of files without a final newline.
 *
 * Decides: the model is a provider of the settings file, spoken to by Chat Completions; nothing is
 * fetched at the start; `run` takes one prompt, `--session` goes on with one, `--fork` with a copy.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { openSqlite } from '@quipu/store';
import type { Program, Step } from '../recording.ts';
import type { Exchange, Reply } from '../upstream/script.ts';

const ROWS = `// Rows of a berth list; every row ends with a newline.
export function rowsOf(text) {
  const rows = [];
  let from = 0;
  for (let at = text.indexOf('\\n'); at >= 0; at = text.indexOf('\\n', from)) {
    rows.push(text.slice(from, at).split(';'));
    from = at + 1;
  }
  return rows;
}
`;

const COUNT = `import { readFileSync } from 'node:fs';
import { rowsOf } from './src/rows.js';

console.log('berths:', rowsOf(readFileSync(process.argv[2], 'utf8')).length);
`;

const LOST =
  'The harbour office says that berth 14 is never imported, though it stands in their file. ' +
  'Their file is data/office.csv. Why?';
const REPAIR = 'Then take the last row without a newline too, and show me that both files count 3.';
const ASK_OTHER = 'Who else splits rows like that? Have somebody look, and answer in one line.';
const ASKED = 'Find every file that imports rowsOf. Do not change anything.';
const STRICT = 'What speaks for refusing such a file instead?';

const look: Exchange = {
  prompt: LOST,
  replies: [
    {
      blocks: [
        {
          type: 'thinking',
          text: 'One row of a file is missing: the first or the last. I count before I read.',
        },
        { type: 'text', text: 'I count the rows of both files and read the splitter.' },
        {
          type: 'call',
          tool: 'bash',
          input: {
            command: 'node count.js data/ours.csv; node count.js data/office.csv; tail -c 8 data/*',
            description: 'Count rows of both files and show their ends',
          },
        },
        { type: 'call', tool: 'read', input: { filePath: 'HERE/src/rows.js' } },
      ],
    },
    {
      blocks: [
        {
          type: 'text',
          text:
            'Berth 14 is the last row, and the file of the office ends without a newline. ' +
            '`rowsOf` only keeps what stands before a newline, so that row is dropped in silence.',
        },
      ],
    },
  ],
};

const repair: Exchange = {
  prompt: REPAIR,
  replies: [
    {
      blocks: [
        { type: 'text', text: 'First a look at a file that does not exist, to see the failure.' },
        {
          type: 'call',
          tool: 'bash',
          input: {
            command: 'node count.js data/none.csv 2>&1 | grep ENOENT; exit 3',
            description: 'Count rows of a file that is not there',
          },
        },
        { type: 'call', tool: 'read', input: { filePath: 'HERE/data/none.csv' } },
      ],
    },
    {
      blocks: [
        { type: 'text', text: 'Now the change, and the count again.' },
        {
          type: 'call',
          tool: 'edit',
          input: {
            filePath: 'HERE/src/rows.js',
            oldString: '  return rows;',
            newString:
              "  if (from < text.length) rows.push(text.slice(from).split(';'));\n  return rows;",
          },
        },
        {
          type: 'call',
          tool: 'bash',
          input: {
            command: 'for each in data/*; do node count.js "$each"; done',
            description: 'Count rows of every file',
          },
        },
      ],
    },
    {
      blocks: [
        {
          type: 'text',
          text: 'Both count 3. Decision: a last row without a newline is a row like any other.',
        },
      ],
    },
  ],
};

const strict: Exchange = {
  prompt: STRICT,
  replies: [
    {
      blocks: [
        {
          type: 'text',
          text:
            'A file that was cut off in transit looks the same. If the office sends a count of ' +
            'rows, compare it; without one, refusing would stop every one of their files.',
        },
      ],
    },
  ],
};

const strangers: readonly Exchange[] = [
  {
    prompt: ASK_OTHER,
    replies: [
      {
        blocks: [
          { type: 'text', text: 'I send somebody to look.' },
          {
            type: 'call',
            tool: 'task',
            input: { description: 'Find readers', prompt: ASKED, subagent_type: 'general' },
          },
        ],
      },
      { blocks: [{ type: 'text', text: 'Only count.js reads rows, so one change is enough.' }] },
    ],
  },
  {
    prompt: ASKED,
    replies: [
      {
        blocks: [
          { type: 'text', text: 'Searching for the import.' },
          {
            type: 'call',
            tool: 'bash',
            input: { command: 'grep -rn rowsOf --include=*.js .', description: 'Find rowsOf' },
          },
        ],
      },
      { blocks: [{ type: 'text', text: 'count.js imports rowsOf; nothing else does.' }] },
    ],
  },
];

/** Tokens of the model's window; a reply that is said to fill it makes opencode compact. */
const WINDOW = 100_000;
const full = (reply: Reply, at: number): Reply =>
  at === 0 ? reply : { ...reply, inputTokens: WINDOW - 1000 };

/** On standard input a prompt stays as it is; one of several words in `run`'s place is quoted. */
const prompt = (text: string): Step => ({ args: () => ['run'], input: text });
const resume = (text: string, ...more: string[]): Step => ({
  args: (session) => ['run', text, '--session', session, ...more],
});

const DATABASE = '.local/share/opencode/opencode.db';

export const opencode: Program = {
  agent: 'opencode',
  version: '1.18.33',
  package: 'opencode-ai@1.18.33',
  command: (folder) => [join(folder, 'node_modules/opencode-linux-x64/bin/opencode')],
  env: () => ({
    OPENCODE_DISABLE_MODELS_FETCH: '1',
    OPENCODE_DISABLE_AUTOUPDATE: '1',
    OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
    OPENCODE_DISABLE_DEFAULT_PLUGINS: '1',
  }),
  settings: ({ upstream }) => ({
    '.config/opencode/opencode.json': JSON.stringify({
      model: 'scripted/scripted-1',
      share: 'disabled',
      provider: {
        scripted: {
          npm: '@ai-sdk/openai-compatible',
          name: 'Scripted',
          options: { baseURL: `${upstream}/v1`, apiKey: 'scripted' },
          models: {
            'scripted-1': {
              name: 'Scripted 1',
              reasoning: true,
              tool_call: true,
              limit: { context: WINDOW, output: 8000 },
            },
          },
        },
      },
    }),
  }),
  project: {
    name: 'berths',
    files: {
      'package.json': '{ "name": "berths", "type": "module", "private": true }\n',
      'src/rows.js': ROWS,
      'count.js': COUNT,
      'data/ours.csv': '11;Wega;18\n12;Capella;22\n13;Atair;19\n',
      'data/office.csv': '11;Wega;18\n12;Capella;22\n14;Mizar;20',
    },
  },
  keeps: (path) => path === DATABASE,
  newestSession: async (home) => {
    if (!existsSync(join(home, DATABASE))) return '';
    const database = openSqlite(join(home, DATABASE));
    const row = database.prepare('SELECT id FROM session ORDER BY time_created DESC LIMIT 1').get();
    database.close();
    return String((row as { id: unknown } | undefined)?.id ?? '');
  },
  situations: [
    { name: 'basic', title: 'Berth 14 is lost', exchanges: [look], steps: [prompt(LOST)] },
    {
      name: 'resume',
      title: 'Berth 14 is lost',
      exchanges: [look, repair],
      steps: [prompt(LOST), resume(REPAIR)],
    },
    {
      name: 'fork',
      title: 'Berth 14 is lost',
      exchanges: [look, strict],
      steps: [prompt(LOST), resume(STRICT, '--fork')],
    },
    {
      name: 'subagent',
      title: 'Readers of rows',
      exchanges: strangers,
      steps: [prompt(ASK_OTHER)],
    },
    {
      name: 'compact',
      title: 'Berth 14 is lost',
      exchanges: [{ ...look, replies: look.replies.map(full) }, strict],
      sides: [
        {
          holds: 'Continue if you have next steps',
          text: 'Nothing is left to do before you decide.',
        },
        {
          holds: 'summary',
          text: '## Goal\nFind why berth 14 is lost. The last row without a newline is dropped.',
        },
      ],
      steps: [prompt(LOST), resume(STRICT)],
    },
  ],
};
