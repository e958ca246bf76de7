/**
 * Parser of Pi sessions, versions 1 to 3: one entry a line.
 *
 *   {type: "session", version?, id, timestamp, cwd, parentSession?}     first line
 *   {type: "message", id, parentId, timestamp, message: {role, content, …}}
 *
 * Decides: the tree of a session is read in the order it was written, every branch of it: what was
 * tried and left is remembered too. A fork copies its parent's entries with their ids; the link to
 * the parent lets admission store them once. What extensions, the program or a compaction put in
 * is not a message. Version 1 has no entry ids: identity is then by content and place.
 */
import type { MessageEvent, Part, TranscriptEvent } from '@quipu/store';
import {
  compactJson,
  firstStringAt,
  isObject,
  isTrueAt,
  type JsonObject,
  numberAt,
  objectAt,
  parseObject,
  stringAt,
  timeAt,
  valueAt,
} from '../json.ts';
import type { SourceContext, TranscriptParser } from '../reader.ts';
import { type Announced, announce, sessionEvent } from '../reading/announced.ts';
import { stripBlocks } from '../reading/blocks.ts';
import { cleanText } from '../reading/feeds.ts';
import {
  imageRef,
  reasoningParts,
  skip,
  textParts,
  toolCall,
  toolResult,
} from '../reading/parts.ts';

export type PiState = {
  readonly session: string;
  readonly cwd: string;
  readonly parent: string;
  readonly title: string;
  readonly model: string;
  readonly announced: Announced;
};

type Step = { state: PiState; events: readonly TranscriptEvent[] };

export const piParser: TranscriptParser<PiState> = {
  version: 1,
  initial: (context) => ({
    session: sessionOfPath(context),
    cwd: '',
    parent: '',
    title: '',
    model: '',
    announced: [],
  }),
  read: (state, record) => {
    const line = parseObject(record.text);
    if (line !== undefined) return readEntry(state, line);
    return { state, events: record.text.trim() === '' ? [] : [skip('invalid', 'line')] };
  },
  finish: (state) => ({ state, events: [] }),
};

/** `<time>_<session id>.jsonl` */
const sessionOfPath = (context: SourceContext): string => idOfPath(context.path);

function idOfPath(path: string): string {
  const name = (path.split(/[\\/]/).at(-1) ?? '').replace(/\.jsonl$/, '');
  return cleanText(name.slice(name.lastIndexOf('_') + 1));
}

/** True for the first line of a session; what a file is told by. */
export function isPiStart(text: string): boolean {
  const line = parseObject(text);
  const hasPlace =
    typeof valueAt(line, 'cwd') === 'string' || numberAt(line, 'version') !== undefined;
  return stringAt(line, 'type') === 'session' && stringAt(line, 'id') !== '' && hasPlace;
}

const META = new Set([
  'thinking_level_change',
  'custom',
  'label',
  'leaf',
  'ephemeral',
  'context_transform',
]);
const COMPACTION = new Set(['compaction', 'branch_summary']);

function readEntry(state: PiState, entry: JsonObject): Step {
  const type = stringAt(entry, 'type');
  if (type === 'message') return readMessage(state, entry);
  if (type === 'session') return readHeader(state, entry);
  if (type === 'model_change') {
    return { state: { ...state, model: textAt(entry, 'modelId') }, events: [] };
  }
  if (type === 'session_info') {
    return retell({ ...state, title: textAt(entry, 'name') });
  }
  if (type === 'custom_message') return { state, events: [skip('injected', type)] };
  if (COMPACTION.has(type)) return { state, events: [skip('compaction', type)] };
  return { state, events: [skip(META.has(type) ? 'meta' : 'unknown', type)] };
}

const textAt = (source: unknown, key: string): string => cleanText(stringAt(source, key));

function readHeader(state: PiState, entry: JsonObject): Step {
  const id = textAt(entry, 'id');
  const parent = firstStringAt(entry, 'parentSession', 'branchedFrom');
  const model = textAt(entry, 'modelId');
  return retell({
    ...state,
    session: id === '' ? state.session : id,
    cwd: textAt(entry, 'cwd'),
    parent: parent === '' ? '' : idOfPath(parent),
    model: model === '' ? state.model : model,
  });
}

/** Announces the session with what is known of it now. */
function retell(state: PiState): Step {
  const told = announce(
    state.announced,
    sessionEvent(
      state.session,
      { cwd: state.cwd, title: state.title, model: state.model },
      { externalId: state.parent, kind: 'fork' },
    ),
  );
  return { state: { ...state, announced: told.announced }, events: told.events };
}

function readMessage(state: PiState, entry: JsonObject): Step {
  const message = objectAt(entry, 'message');
  const role = stringAt(message, 'role');
  if (message === undefined) return { state, events: [skip('invalid', 'message')] };
  if (role === 'system') return { state, events: [skip('injected', 'system')] };
  if (role === 'custom' || role === 'hookMessage')
    return { state, events: [skip('injected', role)] };
  if (role === 'compactionSummary' || role === 'branchSummary') {
    return { state, events: [skip('compaction', role)] };
  }
  const read = READ_BY_ROLE.get(role);
  if (read === undefined) return { state, events: [skip('unknown', `message ${role}`)] };
  const model = textAt(message, 'model');
  const told = retell({ ...state, model: model === '' ? state.model : model });
  const base = { session: state.session, id: textAt(entry, 'id'), entry, message };
  return { state: told.state, events: [...told.events, ...read(base)] };
}

type Base = {
  readonly session: string;
  readonly id: string;
  readonly entry: JsonObject;
  readonly message: JsonObject;
};

const READ_BY_ROLE: ReadonlyMap<string, (base: Base) => readonly TranscriptEvent[]> = new Map([
  ['user', readUser],
  ['assistant', readAssistant],
  ['toolResult', readToolResult],
  ['bashExecution', readBash],
]);

function messageOf(
  base: Base,
  role: MessageEvent['role'],
  parts: readonly Part[],
  suffix = '',
): readonly MessageEvent[] {
  if (parts.length === 0) return [];
  const model = role === 'assistant' ? textAt(base.message, 'model') : '';
  return [
    {
      type: 'message',
      sessionExternalId: base.session,
      externalId: base.id === '' ? '' : `${base.id}${suffix}`,
      idScope: 'session',
      role,
      author: '',
      at: timeAt(base.message, 'timestamp') ?? timeAt(base.entry, 'timestamp'),
      ...(model === '' ? {} : { model }),
      parts,
    },
  ];
}

/** Content is text or a list of blocks. */
function blocksOf(source: JsonObject): readonly JsonObject[] {
  const content = valueAt(source, 'content');
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  return Array.isArray(content) ? content.filter(isObject) : [];
}

function readUser(base: Base): readonly TranscriptEvent[] {
  let injected = 0;
  const parts = blocksOf(base.message).flatMap((block): readonly Part[] => {
    if (stringAt(block, 'type') === 'image') return imageOf(block);
    const stripped = stripBlocks(stringAt(block, 'text'), ['file', 'skill']);
    injected += stripped.removed;
    return textParts(stripped.text);
  });
  const skips = injected > 0 ? [skip('injected', 'file')] : [];
  return [...skips, ...messageOf(base, 'user', parts)];
}

const imageOf = (block: JsonObject): readonly Part[] => [
  imageRef(stringAt(block, 'mimeType'), stringAt(block, 'data'), ''),
];

function readAssistant(base: Base): readonly TranscriptEvent[] {
  const unknown: TranscriptEvent[] = [];
  const parts = blocksOf(base.message).flatMap((block, at): readonly Part[] => {
    const type = stringAt(block, 'type');
    if (type === 'text') return textParts(stringAt(block, 'text'));
    if (type === 'thinking') return reasoningParts(stringAt(block, 'thinking'));
    if (type === 'image') return imageOf(block);
    if (type === 'toolCall') {
      const callId = firstStringAt(block, 'id') || `${base.id}:${at}`;
      return [toolCall(callId, stringAt(block, 'name'), valueAt(block, 'arguments'))];
    }
    unknown.push(skip('unknown', `block ${type}`));
    return [];
  });
  return [...unknown, ...messageOf(base, 'assistant', parts)];
}

function readToolResult(base: Base): readonly TranscriptEvent[] {
  const blocks = blocksOf(base.message);
  const text = blocks.map((block) => stringAt(block, 'text')).filter((one) => one !== '');
  const images = blocks.filter((block) => stringAt(block, 'type') === 'image').flatMap(imageOf);
  const result = toolResult({
    callId: firstStringAt(base.message, 'toolCallId') || base.id,
    tool: stringAt(base.message, 'toolName'),
    text: text.join('\n'),
    isError: isTrueAt(base.message, 'isError'),
  });
  return messageOf(base, 'tool', [result, ...images]);
}

/** A command that the person ran with `!`: their call, the machine's answer. */
function readBash(base: Base): readonly TranscriptEvent[] {
  const command = stringAt(base.message, 'command');
  const exitCode = numberAt(base.message, 'exitCode');
  const callId =
    base.id === '' ? `bash:${compactJson(valueAt(base.message, 'timestamp'))}` : base.id;
  const isError = (exitCode !== undefined && exitCode !== 0) || isTrueAt(base.message, 'cancelled');
  const call = toolCall(callId, 'bash', { command });
  const text = stringAt(base.message, 'output');
  return [
    ...messageOf(base, 'user', [call]),
    ...messageOf(base, 'tool', [toolResult({ callId, tool: 'bash', text, isError })], ':result'),
  ];
}
