/**
 * Copilot CLI: shares of a bill that do not add up to it.
 *
 * Decides: the program runs offline against a provider of one's own (the Responses wire), without
 * an account; all tools are allowed. It keeps a session in a folder, of which the events are kept.
 */
import { join } from 'node:path';
import type { Program, Step } from '../recording.ts';
import type { Exchange } from '../upstream/script.ts';
import { newestFile } from './newest.ts';

const SPLIT = `"""Shares of a bill, in cents."""


def shares(cents: int, people: int) -> list[int]:
    return [round(cents / people) for _ in range(people)]
`;

const CHECK = `from bill import shares

for cents, people in [(1000, 4), (1000, 3), (1001, 2)]:
    each = shares(cents, people)
    print(cents, each, "ok" if sum(each) == cents else f"off by {sum(each) - cents}")
`;

const OFF =
  'Three friends split 10 euros and the till is short of a cent. Where does it get lost? ' +
  'Only look, bill.py is small.';
const SPREAD = 'Give the first people a cent more until it adds up, and run the check.';
const REVIEW = 'Have somebody else look at the bill for negative sums, then tell me in one line.';
const REVIEWED = 'Say what shares(-100, 3) gives and whether the sum is right. Change nothing.';

const look: Exchange = {
  prompt: OFF,
  replies: [
    {
      blocks: [
        { type: 'thinking', text: 'Rounding each share by itself cannot keep the sum.' },
        { type: 'text', text: 'I open the file and run its check.' },
        { type: 'call', tool: 'view', input: { path: 'HERE/bill.py' } },
        {
          type: 'call',
          tool: 'bash',
          input: { command: 'python3 check.py; exit 2', description: 'Run the check' },
        },
      ],
    },
    {
      blocks: [
        {
          type: 'text',
          text:
            'Every share is rounded by itself: 3.33 three times is 9.99. With 1001 cents for two ' +
            'people the sum is off as well. The remainder of the division is thrown away.',
        },
      ],
    },
  ],
};

const spread: Exchange = {
  prompt: SPREAD,
  replies: [
    {
      blocks: [
        { type: 'text', text: 'I take the remainder from `divmod` and hand it out.' },
        {
          type: 'call',
          tool: 'edit',
          input: {
            path: 'HERE/bill.py',
            old_str: '    return [round(cents / people) for _ in range(people)]',
            new_str:
              '    each, rest = divmod(cents, people)\n' +
              '    return [each + (at < rest) for at in range(people)]',
          },
        },
      ],
    },
    {
      blocks: [
        { type: 'text', text: 'And the check once more.' },
        {
          type: 'call',
          tool: 'bash',
          input: { command: 'python3 check.py', description: 'Run the check again' },
        },
      ],
    },
    {
      blocks: [
        {
          type: 'text',
          text: 'All three add up. Decision: the remainder goes cent by cent to the first people.',
        },
      ],
    },
  ],
};

const review: readonly Exchange[] = [
  {
    prompt: REVIEW,
    replies: [
      {
        blocks: [
          { type: 'text', text: 'I ask a second pair of eyes.' },
          {
            type: 'call',
            tool: 'task',
            input: {
              description: 'Negative sums',
              prompt: REVIEWED,
              agent_type: 'general-purpose',
              name: 'negative-sums',
              mode: 'sync',
            },
          },
        ],
      },
      {
        blocks: [{ type: 'text', text: 'Refunds are short of a cent too: -99 instead of -100.' }],
      },
    ],
  },
  {
    prompt: REVIEWED,
    replies: [
      {
        blocks: [
          { type: 'text', text: 'I just call it.' },
          {
            type: 'call',
            tool: 'bash',
            input: {
              command: 'python3 -c "from bill import shares; print(sum(shares(-100, 3)))"',
              description: 'Sum the shares of a refund',
            },
          },
        ],
      },
      { blocks: [{ type: 'text', text: 'It gives -33 three times, which sums to -99: wrong.' }] },
    ],
  },
];

const ALL = ['--allow-all-tools', '--no-color', '--disable-builtin-mcps'];
const prompt = (text: string): Step => ({ args: () => ['-p', text, ...ALL] });
const resume = (text: string): Step => ({
  args: (session) => ['-p', text, '--resume', session, ...ALL],
});

export const copilot: Program = {
  agent: 'copilot',
  version: '1.0.102',
  package: '@github/copilot@1.0.102',
  command: (folder) => [join(folder, 'node_modules/@github/copilot-linux-x64/copilot')],
  env: ({ upstream }) => ({
    COPILOT_OFFLINE: 'true',
    COPILOT_AUTO_UPDATE: 'false',
    COPILOT_PROVIDER_BASE_URL: `${upstream}/v1`,
    COPILOT_PROVIDER_TYPE: 'openai',
    COPILOT_PROVIDER_WIRE_API: 'responses',
    COPILOT_PROVIDER_API_KEY: 'scripted',
    COPILOT_MODEL: 'scripted-1',
  }),
  settings: () => ({}),
  project: { name: 'till', files: { 'bill.py': SPLIT, 'check.py': CHECK } },
  keeps: (path) => /^\.copilot\/session-state\/[^/]+\/events\.jsonl$/.test(path),
  newestSession: async (home) => {
    const path = newestFile(join(home, '.copilot/session-state'), /^[^/]+\/events\.jsonl$/);
    return path.split('/').at(-2) ?? '';
  },
  situations: [
    { name: 'basic', title: 'A cent is lost', exchanges: [look], steps: [prompt(OFF)] },
    {
      name: 'resume',
      title: 'A cent is lost',
      exchanges: [look, spread],
      steps: [prompt(OFF), resume(SPREAD)],
    },
    { name: 'subagent', title: 'Refunds', exchanges: review, steps: [prompt(REVIEW)] },
  ],
};
