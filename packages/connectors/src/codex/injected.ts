/**
 * What of a Codex `user` message a person wrote.
 *
 * Codex puts its environment, instructions and notices into messages of role `user`. Newer versions
 * say of each piece what it is (`content_item_kinds`: `user.text`, `environments.…`), older ones do
 * not: there the text's start tells.
 *
 * Decides: a piece is the person's, or it is counted under a reason. A request that an editor wraps
 * into its own context is unwrapped.
 */
import type { SkipEvent } from '@quipu/store';
import { insideBlock } from '../reading/blocks.ts';
import { skip } from '../reading/parts.ts';
import { START_CHARS } from './limits.ts';

export type Piece =
  | { readonly kind: 'said'; readonly text: string }
  | { readonly kind: 'shell'; readonly command: string; readonly output: string }
  | { readonly kind: 'skip'; readonly skip: SkipEvent };

/** `kind` is the recorded kind of the piece, or empty. */
export function pieceOf(text: string, kind: string): Piece {
  const start = text.trimStart().slice(0, START_CHARS);
  if (start.startsWith('<user_shell_command>')) return shellPiece(text);
  if (kind !== '' && kind !== 'unknown' && !kind.startsWith('user.')) {
    return { kind: 'skip', skip: skip('injected', kind) };
  }
  const program = PROGRAM_STARTS.find(([begins]) => start.startsWith(begins));
  if (program !== undefined) return { kind: 'skip', skip: skip(program[1], program[2]) };
  return { kind: 'said', text: requestOf(text) };
}

const PROGRAM_STARTS: readonly (readonly [string, SkipEvent['reason'], string])[] = [
  ['<environment_context>', 'injected', 'environment'],
  ['<user_instructions>', 'injected', 'instructions'],
  ['<INSTRUCTIONS>', 'injected', 'instructions'],
  ['# AGENTS.md instructions', 'injected', 'instructions'],
  ['<permissions instructions>', 'injected', 'instructions'],
  ['<skills_instructions>', 'injected', 'instructions'],
  ['<apps_instructions>', 'injected', 'instructions'],
  ['<plugins_instructions>', 'injected', 'instructions'],
  ['<collaboration_mode>', 'injected', 'instructions'],
  ['<personality_spec>', 'injected', 'instructions'],
  ['<model_switch>', 'injected', 'instructions'],
  ['<skill>', 'injected', 'skill'],
  ['<hook_prompt', 'injected', 'hook'],
  ['<subagent_notification>', 'injected', 'subagent'],
  ['<turn_aborted>', 'meta', 'aborted'],
  ['<user_action>', 'meta', 'action'],
  ['Another language model started to solve this problem', 'compaction', 'summary'],
];

/** What an editor's extension puts before the request of the person. */
const REQUEST_MARK = '## My request for Codex:';

function requestOf(text: string): string {
  if (!text.startsWith('# Context from my IDE setup')) return text;
  const at = text.indexOf(REQUEST_MARK);
  return at < 0 ? text : text.slice(at + REQUEST_MARK.length).trim();
}

/** A command that the person ran with `!`, and what came of it. */
function shellPiece(text: string): Piece {
  const inside = insideBlock(text, 'user_shell_command') ?? '';
  const command = (insideBlock(inside, 'command') ?? inside).trim();
  return { kind: 'shell', command, output: (insideBlock(inside, 'result') ?? '').trim() };
}

/** The working directory in an environment block, for versions whose first line has none. */
export function directoryIn(text: string): string {
  if (!text.trimStart().startsWith('<environment_context>')) return '';
  const tagged = insideBlock(text, 'cwd');
  if (tagged !== undefined) return tagged.trim();
  return /^Current working directory: (.{1,4096})$/m.exec(text)?.[1]?.trim() ?? '';
}
