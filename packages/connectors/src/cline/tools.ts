/**
 * Tools that Cline's models called in text, before they called them natively.
 *
 *   assistant   <execute_command><command>npm test</command></execute_command>
 *   user        [execute_command for 'npm test'] Result:   and then what came of it
 *
 * Decides: which tags are tools (a fixed list: a page of HTML in an answer is not a call), and that
 * a result belongs to the oldest call of its tool that waits for one. A result may be two blocks:
 * the mark alone, then the text.
 */
import type { Part } from '@quipu/store';
import { insideBlock } from '../reading/blocks.ts';
import { OPEN_CALLS_MAX } from '../reading/limits.ts';
import { reasoningParts, textParts, toolCall } from '../reading/parts.ts';

export type OpenCall = { readonly callId: string; readonly tool: string };

export type OpenCalls = {
  readonly open: readonly OpenCall[];
  readonly texts: number;
  /** The call whose mark stood alone: the next text is its result. */
  readonly follows?: OpenCall | undefined;
};

const TOOLS = [
  'execute_command',
  'read_file',
  'write_to_file',
  'replace_in_file',
  'apply_patch',
  'new_rule',
  'search_files',
  'list_files',
  'list_code_definition_names',
  'browser_action',
  'use_mcp_tool',
  'access_mcp_resource',
  'ask_followup_question',
  'attempt_completion',
  'plan_mode_respond',
  'plan_mode_response',
  'load_mcp_documentation',
  'new_task',
  'condense',
  'summarize_task',
  'report_bug',
  'web_fetch',
  'web_search',
  'use_skill',
  'use_subagents',
] as const;

export type SplitCalls = { readonly parts: readonly Part[]; readonly calls: OpenCalls };

/** The words of an answer and the calls that it makes in text, in order. */
export function splitCalls(text: string, calls: OpenCalls, place: number): SplitCalls {
  const parts: Part[] = [];
  let open = calls.open;
  let texts = calls.texts;
  let at = 0;
  for (;;) {
    const next = nextCall(text, at);
    if (next === undefined) break;
    parts.push(...wordsOf(text.slice(at, next.start)));
    const callId = `text-${place}-${texts}`;
    parts.push(toolCall(callId, next.tool, parametersOf(next.inside)));
    open = [...open, { callId, tool: next.tool }].slice(-OPEN_CALLS_MAX);
    texts += 1;
    at = next.end;
  }
  parts.push(...wordsOf(text.slice(at)));
  return { parts, calls: { open, texts } };
}

/** `<thinking>` blocks are reasoning; the rest are words. */
function wordsOf(text: string): readonly Part[] {
  const thought = insideBlock(text, 'thinking');
  if (thought === undefined) return textParts(text.trim());
  const end = text.indexOf('</thinking>') + '</thinking>'.length;
  const before = text.slice(0, text.indexOf('<thinking>'));
  return [
    ...textParts(before.trim()),
    ...reasoningParts(thought.trim()),
    ...textParts(text.slice(end).trim()),
  ];
}

type FoundCall = { tool: string; inside: string; start: number; end: number };

function nextCall(text: string, from: number): FoundCall | undefined {
  let best: FoundCall | undefined;
  for (const tool of TOOLS) {
    const start = text.indexOf(`<${tool}>`, from);
    if (start < 0 || (best !== undefined && start >= best.start)) continue;
    const inner = start + tool.length + 2;
    const close = text.indexOf(`</${tool}>`, inner);
    const inside = text.slice(inner, close < 0 ? text.length : close);
    best = { tool, inside, start, end: close < 0 ? text.length : close + tool.length + 3 };
  }
  return best;
}

/** `<name>value</name>` pairs as an object; the text itself when there are none. */
function parametersOf(inside: string): unknown {
  const found: [string, string][] = [];
  let at = 0;
  for (let count = 0; count < 32; count += 1) {
    const open = /<([a-z_]{1,40})>/.exec(inside.slice(at));
    if (open?.[1] === undefined) break;
    const start = at + open.index + open[0].length;
    const end = inside.indexOf(`</${open[1]}>`, start);
    if (end < 0) break;
    found.push([open[1], inside.slice(start, end).trim()]);
    at = end + open[1].length + 3;
  }
  return found.length === 0 ? inside.trim() : Object.fromEntries(found);
}

export type TextResult = {
  readonly callId: string;
  readonly tool: string;
  readonly text: string;
  readonly isError: boolean;
  /** What the person added to it. */
  readonly feedback: string;
  /** The mark stood alone. */
  readonly follows: boolean;
};

const MARK = /^\s*\[([a-z_]{1,40})(?: for '|\]| for |\s)/;

/** The result that a user's text is, or undefined when a person wrote it. */
export function resultInText(text: string, calls: OpenCalls): TextResult | undefined {
  const mark = MARK.exec(text);
  const end = mark === null ? -1 : text.indexOf('] Result:');
  if (mark?.[1] === undefined || end < 0) {
    if (calls.follows === undefined) return undefined;
    return { ...resultOf(calls.follows, text), follows: false };
  }
  const tool = mark[1];
  const call = calls.open.find((one) => one.tool === tool) ?? { callId: '', tool };
  const rest = text.slice(end + '] Result:'.length);
  return { ...resultOf(call, rest), follows: rest.trim() === '' };
}

function resultOf(call: OpenCall, text: string): Omit<TextResult, 'follows'> {
  const feedback = insideBlock(text, 'feedback') ?? insideBlock(text, 'answer') ?? '';
  const words = feedback === '' ? text : text.replace(feedback, '');
  return {
    callId: call.callId,
    tool: call.tool,
    text: words.replaceAll(/<\/?(?:feedback|answer)>/g, '').trim(),
    isError: /^\s*(?:The tool execution failed|Error)/.test(text),
    feedback: feedback.trim(),
  };
}

/** After a result: its call no longer waits, unless the result's text is still to come. */
export function withoutOpen(calls: OpenCalls, callId: string, follows: boolean): OpenCalls {
  const call = calls.open.find((one) => one.callId === callId);
  const open = calls.open.filter((one) => one !== call);
  return { open, texts: calls.texts, follows: follows ? call : undefined };
}
