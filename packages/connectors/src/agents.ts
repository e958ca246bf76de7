/**
 * `AGENTS`: every agent whose transcripts are read, declared once.
 *
 * Decides: names, the program's file name, where transcripts lie, how one sees that the agent was
 * here, and which reader reads them. The contract test says what an entry owes.
 */
import { aiderReader } from './aider/reader.ts';
import { claudeCodeReader, claudeCodeRoots } from './claude-code/reader.ts';
import { clineReader, clineRoots } from './cline/reader.ts';
import { codexReader, codexRoots } from './codex/reader.ts';
import { copilotReader, copilotRoots } from './copilot/reader.ts';
import { geminiReader, geminiRoots } from './gemini/reader.ts';
import { genericReader } from './generic/reader.ts';
import { opencodeFolder, opencodeReader } from './opencode/reader.ts';
import { piReader, piRoots } from './pi/reader.ts';
import type { AgentEntry, FinderEnvironment } from './reader.ts';
import { anyFolder } from './reading/line-reader.ts';

/** True when the reader finds at least one transcript: for agents without a folder of their own. */
async function findsOne(
  entry: Pick<AgentEntry, 'reader'>,
  environment: FinderEnvironment,
): Promise<boolean> {
  for await (const _source of entry.reader.find(environment)) return true;
  return false;
}

const ENTRIES: readonly AgentEntry[] = [
  {
    name: 'claude-code',
    displayName: 'Claude Code',
    binary: 'claude',
    transcripts: '~/.claude/projects/<folder>/<session>.jsonl',
    detect: (environment) => anyFolder(claudeCodeRoots(environment)),
    reader: claudeCodeReader,
  },
  {
    name: 'codex',
    displayName: 'Codex CLI',
    binary: 'codex',
    transcripts: '~/.codex/sessions/<year>/<month>/<day>/rollout-*.jsonl',
    detect: (environment) => anyFolder(codexRoots(environment)),
    reader: codexReader,
  },
  {
    name: 'opencode',
    displayName: 'opencode',
    binary: 'opencode',
    transcripts: '~/.local/share/opencode/opencode.db',
    detect: (environment) => anyFolder([opencodeFolder(environment)]),
    reader: opencodeReader,
  },
  {
    name: 'gemini',
    displayName: 'Gemini CLI',
    binary: 'gemini',
    transcripts: '~/.gemini/tmp/<project>/chats/session-*.jsonl',
    detect: (environment) => anyFolder(geminiRoots(environment)),
    reader: geminiReader,
  },
  {
    name: 'pi',
    displayName: 'Pi',
    binary: 'pi',
    transcripts: '~/.pi/agent/sessions/<cwd>/*.jsonl',
    detect: (environment) => anyFolder(piRoots(environment)),
    reader: piReader,
  },
  {
    name: 'aider',
    displayName: 'Aider',
    binary: 'aider',
    transcripts: '<project>/.aider.chat.history.md',
    detect: (environment) => findsOne({ reader: aiderReader }, environment),
    reader: aiderReader,
  },
  {
    name: 'cline',
    displayName: 'Cline',
    binary: 'cline',
    transcripts: '<editor>/globalStorage/saoudrizwan.claude-dev/tasks/<id>/',
    detect: (environment) => anyFolder(clineRoots(environment)),
    reader: clineReader,
  },
  {
    name: 'copilot',
    displayName: 'Copilot CLI',
    binary: 'copilot',
    transcripts: '~/.copilot/session-state/<session>/events.jsonl',
    detect: (environment) => anyFolder(copilotRoots(environment)),
    reader: copilotReader,
  },
  {
    name: 'generic',
    displayName: 'Generic JSONL',
    binary: '',
    transcripts: 'a file named with quipu import FILE --agent generic',
    detect: async () => false,
    reader: genericReader,
  },
];

export const AGENTS: readonly AgentEntry[] = Object.freeze(
  ENTRIES.map((entry) => Object.freeze(entry)),
);
