/**
 * Calls of Quipu itself by an agent: as a tool of its MCP server, or as a command in a shell.
 *
 * Decides: such a call and its result are Quipu's own wholly. A shell call counts only when Quipu
 * is all that it runs (apart from `cd …`, variables, and a pipe that cuts its output): the output
 * of `quipu recall x && make` is also make's.
 */

import type { Part } from '@quipu/store';
import { pattern } from '../secrets/pattern.ts';

const OWN_TOOL =
  /^(?:mcp[_-]{1,2}|plugin[_:.-])?(?:[a-z0-9]+[_:.-]+){0,3}?quipu(?:[_:./-]{1,3}[a-z_-]+){0,3}$/i;

/** `mcp__quipu__recall`, `quipu_recall`, `quipu.recall`, `quipu/show`, … */
export function isOwnTool(tool: string): boolean {
  return tool.length <= 128 && OWN_TOOL.test(tool);
}

const SHELL = pattern(
  'i',
  '^(?:[a-z0-9_]+[.:_-]{1,2})?(?:bash|sh|zsh|shell|exec|exec_command|local_shell|',
  'local_shell_call|run_shell_command|run_terminal_cmd|run_in_terminal|execute_command|',
  'terminal|powershell|pwsh|command|run_command|bashoutput)$',
);
const OWN_COMMAND = pattern(
  '',
  String.raw`^\s*(?:cd\s+(?:"[^"]*"|'[^']*'|[^\s;&|]+)\s*&&\s*)?(?:[A-Za-z_]\w*=\S*\s+)`,
  String.raw`{0,8}(?:(?:npx|bunx|pnpx|pnpm\s+exec|pnpm\s+dlx|yarn)\s+(?:-{1,2}[a-z-]+\s+){0,4}|`,
  String.raw`node\s+)?(?:[^\s;&|"'\`$]*/)?quipu(?:\.js|@[\w.-]+)?\s+(?:recall|show|context|`,
  String.raw`sessions|status|doctor|export|search)\b`,
);
/** Something else runs too; `2>&1` and a pipe into a program that only cuts are nothing else. */
const MORE_COMMANDS = /;|&&|\|\||&(?!\d)|\n\s*\S|`|\$\(|<\(/;
const CUT_PIPE = /\|\s*(?:head|tail|less|cat|more|grep|sed|awk|jq|wc|sort|cut)\b[^|;&\n]*/g;

/** Whether the shell command runs Quipu's reading commands and nothing else. */
export function isOwnCommand(command: string): boolean {
  if (command.length > 4_096 || !command.includes('quipu')) return false;
  if (!OWN_COMMAND.test(command)) return false;
  const alone = command
    .trim()
    .replace(/^cd\s+(?:"[^"]*"|'[^']*'|[^\s;&|]+)\s*&&/, '')
    .replace(/"(?:[^"\\$`]|\\.)*"|'[^']*'/g, '""')
    .replace(/\d?>&\d/g, '')
    .replace(CUT_PIPE, '');
  return !MORE_COMMANDS.test(alone) && !/\|/.test(alone);
}

/** Whether a part is a call of Quipu: by tool name, or by the command given to a shell. */
export function isOwnCall(part: Part): boolean {
  if (part.type !== 'tool_call') return false;
  if (isOwnTool(part.tool)) return true;
  return SHELL.test(part.tool) && commandsOf(part.input).some(isOwnCommand);
}

/** The command in a shell call's arguments: the text itself, or its usual fields. */
function commandsOf(input: string): string[] {
  if (!input.includes('quipu') || input.length > 65_536) return [];
  if (!/^\s*[{["]/.test(input)) return [input];
  let parsed: unknown;
  try {
    parsed = JSON.parse(input);
  } catch {
    return [input];
  }
  return commandFields(parsed);
}

function commandFields(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (Array.isArray(value)) {
    const words = value.filter((word): word is string => typeof word === 'string');
    const script = /^(?:.*\/)?(?:ba|z|da)?sh$/.test(words[0] ?? '') ? words.at(-1) : undefined;
    return [script ?? words.join(' ')];
  }
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, field]) =>
    /^(?:command|cmd|script|commandLine|command_line|action|args)$/i.test(key)
      ? commandFields(field)
      : [],
  );
}
