/**
 * Gemini CLI: a search that misses a street because of its accents.
 *
 * Decides: the program is run with Node against a base address of one's own, with a key that is
 * none; the folder is trusted and every tool allowed. It keeps a session as lines of changes.
 */
import { join } from 'node:path';
import type { Program, Step } from '../recording.ts';
import type { Exchange } from '../upstream/script.ts';
import { newestFile } from './newest.ts';

const SEARCH = `// Streets whose name holds what is asked for.
export const find = (streets, asked) =>
  streets.filter((name) => name.toLowerCase().includes(asked.toLowerCase()));
`;

const SHOW = `import { find } from './search.js';

const streets = ['Rue de l\\u2019\\u00c9glise', 'Allee des Tilleuls', 'Rue de la Gare'];
for (const asked of ['gare', 'eglise', 'all']) console.log(asked, '->', find(streets, asked));
`;

const MISSED = 'Nobody finds the church street when they type eglise. Why? Look, do not repair it.';
const REPAIR = 'Let the search pass over accents, and run show.js once more.';

const look: Exchange = {
  prompt: MISSED,
  replies: [
    {
      blocks: [
        { type: 'thinking', text: 'An accented letter is no plain letter to includes().' },
        { type: 'text', text: 'I read the search and try it.' },
        { type: 'call', tool: 'read_file', input: { file_path: 'HERE/search.js' } },
        {
          type: 'call',
          tool: 'run_shell_command',
          input: { command: 'node show.js; exit 4', description: 'Try three searches' },
        },
      ],
    },
    {
      blocks: [
        {
          type: 'text',
          text: 'Letters are lowered but keep their accents, so eglise is not in l’église.',
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
        { type: 'text', text: 'Both sides are decomposed and lose their marks.' },
        {
          type: 'call',
          tool: 'replace',
          input: {
            file_path: 'HERE/search.js',
            instruction: 'Compare names without their accents.',
            old_string: 'name.toLowerCase().includes(asked.toLowerCase())',
            new_string: 'plain(name).includes(plain(asked))',
          },
        },
        {
          type: 'call',
          tool: 'run_shell_command',
          input: {
            command:
              'echo "const plain = (text) => ' +
              "text.normalize('NFD').replace(/\\\\p{M}/gu, '').toLowerCase();" +
              '" >> search.js && node show.js',
            description: 'Add the helper and try again',
          },
        },
      ],
    },
    {
      blocks: [
        {
          type: 'text',
          text: 'The church street is found. Decision: names are compared without their marks.',
        },
      ],
    },
  ],
};

const RUN = ['--yolo', '-m', 'gemini-2.5-pro'];
const prompt = (text: string): Step => ({ args: () => [...RUN, '-p', text] });
const resume = (text: string): Step => ({
  args: () => [...RUN, '--resume', 'latest', '-p', text],
});

export const gemini: Program = {
  agent: 'gemini',
  version: '0.61.0',
  package: '@google/gemini-cli@0.61.0',
  command: (folder) => [
    process.execPath,
    join(folder, 'node_modules/@google/gemini-cli/bundle/gemini.js'),
  ],
  env: ({ upstream }) => ({
    GEMINI_API_KEY: 'scripted',
    GOOGLE_GEMINI_BASE_URL: upstream,
    GEMINI_CLI_TRUST_WORKSPACE: 'true',
  }),
  settings: () => ({
    '.gemini/settings.json': JSON.stringify({
      security: { auth: { selectedType: 'gemini-api-key' } },
      privacy: { usageStatisticsEnabled: false },
      general: { disableAutoUpdate: true, disableUpdateNag: true },
      telemetry: { enabled: false },
    }),
  }),
  project: { name: 'streets', files: { 'search.js': SEARCH, 'show.js': SHOW } },
  keeps: (path) => /^\.gemini\/tmp\/[^/]+\/(?:chats\/.*\.jsonl|\.project_root)$/.test(path),
  newestSession: async (home) => newestFile(join(home, '.gemini/tmp'), /chats\/.*\.jsonl$/),
  situations: [
    { name: 'basic', title: 'A street is missed', exchanges: [look], steps: [prompt(MISSED)] },
    {
      name: 'resume',
      title: 'A street is missed',
      exchanges: [look, repair],
      steps: [prompt(MISSED), resume(REPAIR)],
    },
  ],
};
