/**
 * Aider: a label that says "1 files".
 *
 * Decides: the program is a Python package in an environment of its own (`venv` in the folder); the
 * model is OpenAI's by name and ours by address; Aider says yes to itself. It has no tools: it
 * edits files from blocks in the answer, and asks for a commit message with the difference. Its
 * own list of models is laid down beforehand, which it would fetch otherwise.
 */
import { join } from 'node:path';
import type { Program, Step } from '../recording.ts';
import type { Exchange } from '../upstream/script.ts';

const LABEL = `def label(count):
    return f"{count} files"
`;

const CHECK = `from label import label

for count in (0, 1, 2):
    print(label(count))
`;

const WRONG = 'The list says "1 files".\nWhere does that come from?';
const REPAIR = 'Repair it for one file, and keep the plural for none.';
const OTHERS = 'What would other languages need?';

const look: Exchange = {
  prompt: WRONG,
  replies: [
    {
      blocks: [
        {
          type: 'text',
          text:
            'From `label.py`: the word is part of the format.\n\n## What happens\n\n' +
            '> return f"{count} files"\n\n' +
            'Nothing asks whether `count` is one.\n\n```sh\n# label(1)\n#### 1 files\n```\n',
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
        {
          type: 'text',
          text:
            'One file is the only case without the plural.\n\nlabel.py\n```python\n' +
            '<<<<<<< SEARCH\n    return f"{count} files"\n=======\n' +
            '    word = "file" if count == 1 else "files"\n    return f"{count} {word}"\n' +
            '>>>>>>> REPLACE\n```\n',
        },
      ],
    },
  ],
};

const others: Exchange = {
  prompt: OTHERS,
  replies: [
    {
      blocks: [
        {
          type: 'text',
          text: 'Rules for more than two forms: Polish has three. Leave that to a library.',
        },
      ],
    },
  ],
};

const QUIET = ['--yes-always', '--no-check-update', '--analytics-disable', '--no-fancy-input'];
const MODEL = ['--model', 'openai/scripted-1', '--edit-format', 'diff'];
const say = (text: string, ...more: string[]): Step => ({
  args: () => [...MODEL, ...QUIET, ...more, '--message', text, 'label.py'],
});

/** Aider's list of models holds ours and is fresh. */
const PRICES = {
  'openai/scripted-1': {
    max_tokens: 8000,
    max_input_tokens: 100_000,
    max_output_tokens: 8000,
    input_cost_per_token: 0.000001,
    output_cost_per_token: 0.000002,
    litellm_provider: 'openai',
    mode: 'chat',
  },
};

export const aider: Program = {
  agent: 'aider',
  version: '0.86.2',
  package: 'aider-chat==0.86.2',
  command: (folder) => [join(folder, 'venv/bin/aider')],
  env: ({ upstream }) => ({
    OPENAI_API_BASE: `${upstream}/v1`,
    OPENAI_API_KEY: 'scripted',
    LITELLM_LOCAL_MODEL_COST_MAP: 'True',
  }),
  settings: () => ({
    '.aider/caches/model_prices_and_context_window.json': JSON.stringify(PRICES),
  }),
  project: { name: 'labels', files: { 'label.py': LABEL, 'check.py': CHECK } },
  keeps: (path) => path.endsWith('/.aider.chat.history.md'),
  newestSession: async () => '',
  situations: [
    { name: 'basic', title: 'Label', toolless: true, exchanges: [look], steps: [say(WRONG)] },
    {
      name: 'resume',
      title: 'Label',
      toolless: true,
      exchanges: [look, repair, others],
      sides: [{ holds: 'diff --git', text: 'fix: one file is singular' }],
      steps: [
        say(WRONG),
        say(REPAIR, '--restore-chat-history'),
        say('/run python3 check.py', '--restore-chat-history'),
        say(OTHERS, '--restore-chat-history'),
      ],
    },
  ],
};
