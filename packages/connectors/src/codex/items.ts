/**
 * Response items: what was said, called and answered.
 *
 * Decides: each item is one message. Words carry the model's id of the item where it has one that
 * is not a counter; calls and results are told apart by their call id, so they need none.
 */
import type { MessageEvent, Part, SkipEvent } from '@quipu/store';
import { forgetCall, rememberCall, toolOfCall } from '../calls.ts';
import {
  compactJson,
  firstStringAt,
  isObject,
  isTrueAt,
  type JsonObject,
  listAt,
  objectAt,
  stringAt,
  valueAt,
} from '../json.ts';
import { cleanText } from '../reading/feeds.ts';
import { isKnown, remember } from '../reading/known.ts';
import {
  imageRef,
  imageRefOfUrl,
  reasoningParts,
  skip,
  textParts,
  toolCall,
  toolResult,
} from '../reading/parts.ts';
import { directoryIn, pieceOf } from './injected.ts';
import { KNOWN_IDS_MAX, OWN_ID_CHARS_MIN } from './limits.ts';
import { toolOutput, wordsOf } from './output.ts';
import type { CodexState } from './state.ts';

/** A message without what the line adds: its session and time. */
export type Said = Pick<MessageEvent, 'role' | 'author' | 'externalId' | 'parts'>;

export type ItemRead = {
  readonly state: CodexState;
  readonly said: readonly Said[];
  readonly skips: readonly SkipEvent[];
};

const none = (state: CodexState, ...skips: readonly SkipEvent[]): ItemRead => ({
  state,
  said: [],
  skips,
});

const say = (
  state: CodexState,
  role: Said['role'],
  parts: readonly Part[],
  more: Partial<Said> = {},
): ItemRead =>
  parts.length === 0
    ? none(state, skip('meta', 'empty'))
    : { state, said: [{ role, author: '', externalId: '', parts, ...more }], skips: [] };

export function readItem(state: CodexState, item: JsonObject, line: JsonObject): ItemRead {
  const type = stringAt(item, 'type');
  if (type === 'message') return readMessage(state, item, line);
  if (type === 'reasoning') return readReasoning(state, item);
  if (type === 'agent_message') return readAgentMessage(state, item);
  if (COMPACTION.has(type)) return none(state, skip('compaction', type));
  if (OF_PROGRAM.has(type)) return none(state, skip('injected', type));
  if (type.endsWith('_call_output')) return readOutput(state, item);
  if (type.endsWith('_call')) return readCall(state, item, type);
  if (META.has(type)) return none(state, skip('meta', type));
  return none(state, skip('unknown', `item ${type}`));
}

const COMPACTION = new Set([
  'compaction',
  'compaction_summary',
  'compaction_trigger',
  'context_compaction',
]);
/** Descriptions of tools. */
const OF_PROGRAM = new Set(['additional_tools', 'tool_search_output']);
const META = new Set(['ghost_snapshot', 'other', 'item_reference']);

function readMessage(state: CodexState, item: JsonObject, line: JsonObject): ItemRead {
  const role = stringAt(item, 'role');
  if (role === 'assistant') {
    if (isTrueAt(objectAt(line, 'metadata'), 'compaction_output')) {
      return none(state, skip('compaction', 'summary'));
    }
    return withId(say(state, 'assistant', piecesOf(item).flatMap(answerParts)), item);
  }
  if (role === 'user') return withId(readUser(state, item), item);
  if (role === 'developer' || role === 'system') return none(state, skip('injected', role));
  return none(state, skip('unknown', `role ${role}`));
}

/** Content as a list of pieces: plain text (first versions) is one. */
function piecesOf(item: JsonObject): readonly JsonObject[] {
  const content = valueAt(item, 'content');
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  return listAt(item, 'content').filter(isObject);
}

const answerParts = (piece: JsonObject): readonly Part[] =>
  textParts(firstStringAt(piece, 'text', 'refusal'));

function readUser(before: CodexState, item: JsonObject): ItemRead {
  const passed = objectAt(item, 'internal_chat_message_metadata_passthrough');
  const kinds = listAt(passed, 'content_item_kinds');
  let state = before;
  const parts: Part[] = [];
  const shell: Said[] = [];
  const skips: SkipEvent[] = [];
  for (const [at, piece] of piecesOf(item).entries()) {
    const url = stringAt(piece, 'image_url') || stringAt(objectAt(piece, 'image_url'), 'url');
    if (url !== '') {
      parts.push(imageRefOfUrl(url, ''));
      continue;
    }
    const text = stringAt(piece, 'text');
    const cwd = state.cwd === '' ? cleanText(directoryIn(text)) : '';
    if (cwd !== '') state = { ...state, cwd };
    const kind = kinds[at];
    const read = pieceOf(text, typeof kind === 'string' ? kind : '');
    if (read.kind === 'skip') skips.push(read.skip);
    else if (read.kind === 'said') parts.push(...textParts(read.text));
    else shell.push(...shellSaid(read.command, read.output, stringAt(item, 'id')));
  }
  const said = say(state, 'user', parts);
  if (parts.length > 0) return { ...said, said: [...said.said, ...shell], skips };
  return { state, said: shell, skips: shell.length + skips.length > 0 ? skips : said.skips };
}

function shellSaid(command: string, output: string, id: string): readonly Said[] {
  const call = textParts(`! ${command}`);
  const read = toolOutput(`${output}\n`);
  const callId = id === '' ? `shell:${cleanText(command).slice(0, 64)}` : id;
  const result = toolResult({
    callId,
    tool: 'shell',
    text: read.text.trimEnd(),
    isError: read.isError,
  });
  const own = { author: '', externalId: '' };
  return [
    { role: 'user', parts: call, ...own },
    { role: 'tool', parts: [result], ...own },
  ];
}

/**
 * Gives the item's id to its message, if it is one of a kind here: some servers give every item the
 * same short id, and a message that comes twice under one id would replace the first.
 */
function withId(read: ItemRead, item: JsonObject): ItemRead {
  const id = cleanText(stringAt(item, 'id'));
  const [first, ...rest] = read.said;
  const usable = id.length >= OWN_ID_CHARS_MIN && !isKnown(read.state.known, id);
  if (!usable || first === undefined || first.role === 'tool') return read;
  const known = remember(read.state.known, id).slice(-KNOWN_IDS_MAX);
  return {
    ...read,
    state: { ...read.state, known },
    said: [{ ...first, externalId: id }, ...rest],
  };
}

function readReasoning(state: CodexState, item: JsonObject): ItemRead {
  const words = wordsOf(item, 'summary') || wordsOf(item, 'content');
  const parts = reasoningParts(words);
  return parts.length === 0
    ? none(state, skip('meta', 'reasoning'))
    : say(state, 'assistant', parts);
}

/** What one agent wrote to another: the speaker is named. */
function readAgentMessage(state: CodexState, item: JsonObject): ItemRead {
  const author = cleanText(stringAt(item, 'author'));
  const words = textParts(wordsOf(item, 'content') || stringAt(item, 'content'));
  return withId(say(state, 'assistant', words, { author }), item);
}

function readCall(before: CodexState, item: JsonObject, type: string): ItemRead {
  const callId = cleanText(firstStringAt(item, 'call_id', 'id')) || `${type}:unnamed`;
  const tool = toolName(item, type);
  const state = { ...before, calls: rememberCall(before.calls, callId, tool) };
  const call = toolCall(callId, tool, inputOf(item, type));
  if (type !== 'image_generation_call') return say(state, 'assistant', [call]);
  const image = stringAt(item, 'result');
  const made = image === '' ? [] : [imageRef('image/png', image, '')];
  return say(state, 'assistant', [call, ...made]);
}

/** Tools of a server are named as other agents name them: `mcp__server__tool`. */
function toolName(item: JsonObject, type: string): string {
  const name = cleanText(stringAt(item, 'name'));
  const space = cleanText(stringAt(item, 'namespace'));
  if (name === '') return type.slice(0, -'_call'.length);
  return space.startsWith('mcp__') && !name.startsWith('mcp__') ? `${space}__${name}` : name;
}

function inputOf(item: JsonObject, type: string): unknown {
  if (type === 'local_shell_call') {
    const command = listAt(objectAt(item, 'action'), 'command');
    return { command: command.filter((one) => typeof one === 'string') };
  }
  if (type === 'image_generation_call') return { prompt: stringAt(item, 'revised_prompt') };
  for (const key of ['arguments', 'input', 'action']) {
    const value = valueAt(item, key);
    if (value !== undefined && value !== null) return value;
  }
  return '';
}

function readOutput(before: CodexState, item: JsonObject): ItemRead {
  const callId = cleanText(stringAt(item, 'call_id'));
  const read = toolOutput(valueAt(item, 'output') ?? valueAt(item, 'content'));
  const result = toolResult({
    callId,
    tool: toolOfCall(before.calls, callId) || cleanText(stringAt(item, 'name')),
    text: read.text,
    isError: read.isError || stringAt(item, 'status') === 'failed',
  });
  const state = { ...before, calls: forgetCall(before.calls, callId) };
  return say(state, 'tool', [result, ...read.images]);
}

/** A line's own words on what it is, for counting. */
export const itemName = (item: unknown): string =>
  isObject(item) ? stringAt(item, 'type') : compactJson(typeof item);
