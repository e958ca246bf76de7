/**
 * Codex CLI: a report that names a month wrong, because months count from zero.
 *
 * Decides: the program is one binary in an optional package of the platform; `exec` runs one turn
 * against a provider of one's own (the Responses wire). With a model that it does not know, its
 * shell tool is `exec_command`.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Place, Program, Step } from '../recording.ts';
import type { Exchange } from '../upstream/script.ts';
import { newestFile } from './newest.ts';

const REPORT = `// The heading of a monthly report, such as "Report for 2026-03".
export const heading = (date) =>
  \`Report for \${date.getUTCFullYear()}-\${String(date.getUTCMonth()).padStart(2, '0')}\`;
`;

const SHOW = `import { heading } from './heading.js';

for (const day of ['2026-01-31', '2026-03-01', '2026-12-24']) {
  console.log(day, heading(new Date(day)));
}
`;

const WRONG = 'The December report says 2026-11. Find out why; do not change anything yet.';
const REPAIR = 'Add the one that is missing, and show the three headings again.';

const look: Exchange = {
  prompt: WRONG,
  replies: [
    {
      blocks: [
        { type: 'thinking', text: 'One month off in every year smells of counting from zero.' },
        { type: 'text', text: 'I read the heading and print it for three days.' },
        { type: 'call', tool: 'exec_command', input: { cmd: 'cat heading.js' } },
        { type: 'call', tool: 'exec_command', input: { cmd: 'node show.js; exit 3' } },
      ],
    },
    {
      blocks: [
        {
          type: 'text',
          text:
            '`getUTCMonth()` counts from zero, so January is 00 and December 11. The heading ' +
            'prints it as it is.',
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
        { type: 'text', text: 'One is added where the month is read.' },
        {
          type: 'call',
          tool: 'exec_command',
          input: {
            cmd: "sed -i 's/date.getUTCMonth()/date.getUTCMonth() + 1/' heading.js && node show.js",
          },
        },
      ],
    },
    {
      blocks: [
        {
          type: 'text',
          text: 'January is 01 and December 12. Decision: months are counted from one at the edge.',
        },
      ],
    },
  ],
};

const config = ({ upstream, project }: Place): string => `model = "gpt-5"
model_provider = "scripted"
approval_policy = "never"
sandbox_mode = "danger-full-access"
check_for_update_on_startup = false

[model_providers.scripted]
name = "scripted"
base_url = "${upstream}/v1"
env_key = "SCRIPTED_KEY"
wire_api = "responses"

[analytics]
enabled = false

[projects."${project}"]
trust_level = "trusted"
`;

const EXEC = ['exec', '--json', '--skip-git-repo-check'];
const prompt = (text: string): Step => ({ args: () => [...EXEC, text] });
const resume = (text: string): Step => ({ args: (session) => [...EXEC, 'resume', session, text] });

/** Where the platform's binary lies differs between versions of the package. */
function binary(folder: string): string {
  const vendor = join(folder, 'node_modules/@openai/codex-linux-x64/vendor');
  const paths = ['bin/codex', 'codex/codex'].map((path) =>
    join(vendor, 'x86_64-unknown-linux-musl', path),
  );
  return paths.find(existsSync) ?? paths[0] ?? '';
}

export const codex: Program = {
  agent: 'codex',
  version: '0.171.0',
  package: '@openai/codex@0.171.0',
  command: (folder) => [binary(folder)],
  env: () => ({ SCRIPTED_KEY: 'scripted' }),
  settings: (place) => ({ '.codex/config.toml': config(place) }),
  project: { name: 'reports', files: { 'heading.js': REPORT, 'show.js': SHOW } },
  frames: ['Process exited with code', 'Original token count'],
  keeps: (path) => /^\.codex\/sessions\/.*\/rollout-[^/]*\.jsonl$/.test(path),
  newestSession: async (home) => {
    const path = newestFile(join(home, '.codex/sessions'), /rollout-[^/]*\.jsonl$/);
    return /([0-9a-f-]{36})\.jsonl$/.exec(path)?.[1] ?? '';
  },
  situations: [
    { name: 'basic', title: 'A month off', exchanges: [look], steps: [prompt(WRONG)] },
    {
      name: 'resume',
      title: 'A month off',
      exchanges: [look, repair],
      steps: [prompt(WRONG), resume(REPAIR)],
    },
  ],
};
