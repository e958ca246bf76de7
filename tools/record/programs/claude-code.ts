/**
 * Claude Code: a test that fails once in twenty runs, because it mixes two clocks.
 *
 * Decides: the program is one file in an optional package of the platform; `-p` runs one turn; what
 * it would ask a person for is allowed by name.
 */
import { join } from 'node:path';
import type { Program, Step } from '../recording.ts';
import type { Exchange } from '../upstream/script.ts';
import { newestFile } from './newest.ts';

const SETTLE = `// The day on which a payment settles. After 22:00 it is the next day.
export function settlementDay(now = new Date()) {
  const day = now.toISOString().slice(0, 10);
  return now.getHours() >= 22 ? dayAfter(day) : day;
}

function dayAfter(day) {
  const next = new Date(\`\${day}T00:00:00Z\`);
  next.setUTCDate(next.getUTCDate() + 1);
  return next.toISOString().slice(0, 10);
}
`;

const CHECK = `import { settlementDay } from '../src/settle.js';

const noon = new Date('2026-03-29T12:00:00Z');
const late = new Date('2026-03-29T23:30:00Z');
const lateIsNextDay = settlementDay(late) === '2026-03-30';
console.log('settles on the same day before 22:00:', settlementDay(noon) === '2026-03-29');
console.log('settles on the next day after 22:00:', lateIsNextDay);
process.exitCode = lateIsNextDay ? 0 : 1;
`;

const FLAKY =
  "The check 'settles on the next day after 22:00' fails about one run in twenty on CI and never " +
  'here. Find out why before you change anything.';
const INJECT = 'Take the clock from the caller. No fake timers: they hid this bug for a year.';
const INSTANT = 'Before that: what if we stored the instant and never the day?';
const DELEGATE =
  'Have someone list every place below src that reads the clock, then tell me which are at risk.';
const DELEGATED =
  'List every use of Date or getHours below src, with file and line. Do not change anything.';

const look: Exchange = {
  prompt: FLAKY,
  replies: [
    {
      blocks: [
        {
          type: 'thinking',
          text: 'What fails by the hour smells of a clock or a zone. CI may run in another one.',
        },
        {
          type: 'text',
          text: 'I read the code and run the check under the zone of the CI machines.',
        },
        { type: 'call', tool: 'Read', input: { file_path: 'HERE/src/settle.js' } },
        {
          type: 'call',
          tool: 'Bash',
          input: {
            command: 'TZ=America/Los_Angeles node check/settle.js; echo "exit $?"',
            description: 'Run the check under the zone of CI',
          },
        },
      ],
    },
    {
      blocks: [
        {
          type: 'text',
          text:
            'It mixes two clocks: `toISOString()` gives the day in UTC, `getHours()` the hour of ' +
            'the machine. On a runner west of Greenwich 23:30 UTC is an afternoon, so the ' +
            'payment settles a day early. Runners in us-west are one in twenty; here TZ is UTC.',
        },
      ],
    },
  ],
};

const inject: Exchange = {
  prompt: INJECT,
  replies: [
    {
      blocks: [
        { type: 'text', text: 'One clock, in UTC, given by the caller.' },
        {
          type: 'call',
          tool: 'Edit',
          input: {
            file_path: 'HERE/src/settle.js',
            old_string: 'now.getHours() >= 22',
            new_string: 'now.getUTCHours() >= 22',
          },
        },
        {
          type: 'call',
          tool: 'Edit',
          input: {
            file_path: 'HERE/src/settle.js',
            old_string: 'settlementDay(now = new Date())',
            new_string: 'settlementDay(now)',
          },
        },
      ],
    },
    {
      blocks: [
        { type: 'text', text: 'Now the same check under both zones.' },
        {
          type: 'call',
          tool: 'Bash',
          input: {
            command:
              'TZ=America/Los_Angeles node check/settle.js && TZ=UTC node check/settle.js && ' +
              'echo both pass',
            description: 'Run the check under two zones',
          },
        },
      ],
    },
    {
      blocks: [
        {
          type: 'text',
          text: 'Both pass. Decision: `settlementDay` takes the instant and reads UTC hours only.',
        },
      ],
    },
  ],
};

const delegate: readonly Exchange[] = [
  {
    prompt: DELEGATE,
    replies: [
      {
        blocks: [
          { type: 'text', text: 'I hand the search to a sub-agent.' },
          {
            type: 'call',
            tool: 'Agent',
            input: {
              description: 'Find uses of the clock',
              prompt: DELEGATED,
              subagent_type: 'general-purpose',
              run_in_background: false,
            },
          },
        ],
      },
      {
        blocks: [
          {
            type: 'text',
            text: 'Only line 4 of src/settle.js is at risk: it reads the hour of the machine.',
          },
        ],
      },
    ],
  },
  {
    prompt: DELEGATED,
    replies: [
      {
        blocks: [
          { type: 'text', text: 'Searching below src.' },
          {
            type: 'call',
            tool: 'Bash',
            input: { command: 'grep -rn "Date\\|getHours" src', description: 'Find clock reads' },
          },
        ],
      },
      {
        blocks: [
          {
            type: 'text',
            text: 'src/settle.js reads the clock in lines 2, 4 and 8; line 4 uses local hours.',
          },
        ],
      },
    ],
  },
];

const TOOLS = ['--allowedTools', 'Bash,Read,Edit,Agent'];
const prompt = (text: string): Step => ({ args: () => ['-p', text, ...TOOLS] });
const resume = (text: string, ...more: string[]): Step => ({
  args: (session) => ['-p', text, '--resume', session, ...more, ...TOOLS],
});

export const claudeCode: Program = {
  agent: 'claude-code',
  version: '2.1.332',
  package: '@anthropic-ai/claude-code@2.1.332',
  command: (folder) => [join(folder, 'node_modules/@anthropic-ai/claude-code-linux-x64/claude')],
  env: ({ upstream }) => ({
    ANTHROPIC_BASE_URL: upstream,
    ANTHROPIC_API_KEY: 'scripted',
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
  }),
  settings: () => ({}),
  project: {
    name: 'ledger',
    files: {
      'package.json': '{ "name": "ledger", "type": "module", "private": true }\n',
      'src/settle.js': SETTLE,
      'check/settle.js': CHECK,
    },
  },
  keeps: (path) => /^\.claude\/projects\/.*\.jsonl?$/.test(path) || path.endsWith('.meta.json'),
  newestSession: async (home) => {
    const path = newestFile(join(home, '.claude/projects'), /^[^/]+\/[0-9a-f-]{36}\.jsonl$/);
    return path.split('/').at(-1)?.replace('.jsonl', '') ?? '';
  },
  situations: [
    { name: 'basic', title: 'Flaky settlement check', exchanges: [look], steps: [prompt(FLAKY)] },
    {
      name: 'resume',
      title: 'Flaky settlement check',
      exchanges: [look, inject],
      steps: [prompt(FLAKY), resume(INJECT)],
    },
    {
      name: 'fork',
      title: 'Flaky settlement check',
      exchanges: [
        look,
        {
          prompt: INSTANT,
          replies: [
            {
              blocks: [
                {
                  type: 'text',
                  text:
                    'Then the day is derived in one place and no row can disagree with it. The ' +
                    'price is a migration of 40 million rows: only with the new schema.',
                },
              ],
            },
          ],
        },
      ],
      steps: [prompt(FLAKY), resume(INSTANT, '--fork-session')],
    },
    {
      name: 'subagent',
      title: 'Who reads the clock',
      exchanges: delegate,
      steps: [prompt(DELEGATE)],
    },
    {
      name: 'compact',
      title: 'Flaky settlement check',
      exchanges: [look, inject],
      sides: [
        {
          holds: 'summary of the conversation',
          text:
            '<analysis>The zone is the cause.</analysis>\n<summary>The check mixes UTC ' +
            'days with local hours; runners in us-west fail. Keep: read UTC hours only.</summary>',
        },
      ],
      steps: [prompt(FLAKY), resume('/compact keep the decision about the zone'), resume(INJECT)],
    },
  ],
};
