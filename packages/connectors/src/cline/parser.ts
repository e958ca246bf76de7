/**
 * Parser of Cline: one document a task, of the editor's extension or of the command line program.
 *
 *   extension   {$task, $cwd, $title, $times, $api: [{role, content}]}   put together by the feed
 *   since 3.0   {sessionId, agent, origin, messages: [{id, role, content, ts}]}, with $manifest;
 *               a sub-agent's with what its parent's manifest says about the place
 *
 * Decides: what is the person's in a user message: `<task>`, `<feedback>`, `<answer>`,
 * `<user_input>` wrap their words; `<environment_details>` and the like are the program's. Results
 * of tools, native or written as text (`tools.ts`), are messages of role `tool` in the place where
 * they stand. The extension keeps no message ids: identity is then by content and place.
 */
import type { MessageEvent, Part, TranscriptEvent } from '@quipu/store';
import {
  firstStringAt,
  isObject,
  type JsonObject,
  listAt,
  objectAt,
  parseObject,
  stringAt,
  timeAt,
  timeOf,
  valueAt,
} from '../json.ts';
import type { SourceContext, TranscriptParser } from '../reader.ts';
import { sessionEvent } from '../reading/announced.ts';
import { stripBlocks, unwrapBlocks } from '../reading/blocks.ts';
import { cleanText } from '../reading/feeds.ts';
import {
  imageRef,
  reasoningParts,
  skip,
  textParts,
  toolCall,
  toolResult,
} from '../reading/parts.ts';
import { nativeAnswer } from './results.ts';
import { type OpenCalls, resultInText, splitCalls, withoutOpen } from './tools.ts';

/** A document is read whole: nothing is kept from one reading to the next. */
export type ClineState = { readonly task: string };

export const clineParser: TranscriptParser<ClineState> = {
  version: 2,
  initial: (context) => ({ task: taskOf(context) }),
  read: (state, record) => {
    const document = parseObject(record.text);
    if (document === undefined) return { state, events: [skip('invalid', 'document')] };
    return { state, events: readDocument(state.task, document) };
  },
  finish: (state) => ({ state, events: [] }),
};

/** `tasks/<id>/api_conversation_history.json` or `sessions/<id>/<id>.messages.json` */
function taskOf(context: SourceContext): string {
  const names = context.path.split(/[\\/]/);
  const file = names.at(-1) ?? '';
  const own = file.endsWith('.messages.json') ? file.slice(0, -'.messages.json'.length) : '';
  return cleanText(own === '' ? (names.at(-2) ?? '') : own);
}

function readDocument(task: string, document: JsonObject): readonly TranscriptEvent[] {
  const api = valueAt(document, '$api');
  const messages = Array.isArray(api) ? api : listAt(document, 'messages');
  const origin = objectAt(document, 'origin');
  const session = cleanText(firstStringAt(document, 'sessionId', '$task') || task);
  const reading: Reading = {
    session,
    times: timesOf(document),
    calls: { open: [], texts: 0 },
    found: { cwd: '', model: '' },
    out: [],
  };
  for (const [at, message] of messages.entries()) {
    if (isObject(message)) readMessage(reading, message, at);
    else reading.out.push(skip('invalid', 'message'));
  }
  const manifest = objectAt(document, '$manifest');
  const git = objectAt(objectAt(manifest, 'metadata'), 'git');
  const event = sessionEvent(
    session,
    {
      cwd:
        cleanText(firstStringAt(manifest, 'cwd', 'workspace_root') || stringAt(document, '$cwd')) ||
        reading.found.cwd,
      title: cleanText(titleOf(manifest, document)),
      model: cleanText(stringAt(manifest, 'model')) || reading.found.model,
      gitRemote: cleanText(stringAt(git, 'url')),
      gitBranch: cleanText(stringAt(git, 'branch')),
      agentVersion: cleanText(stringAt(origin, 'version')),
    },
    { externalId: cleanText(stringAt(origin, 'parentThreadId')), kind: 'subagent' },
  );
  return reading.out.some((one) => one.type === 'message') ? [event, ...reading.out] : reading.out;
}

function titleOf(manifest: unknown, document: JsonObject): string {
  const title = stringAt(objectAt(manifest, 'metadata'), 'title') || stringAt(document, '$title');
  return unwrapInput(title).slice(0, 500);
}

type Reading = {
  readonly session: string;
  readonly times: ReadonlyMap<number, number>;
  /** Calls written as text that wait for their results; the number of those seen. */
  calls: OpenCalls;
  readonly found: { cwd: string; model: string };
  readonly out: TranscriptEvent[];
};

/** When the message of each place was said, from what the extension showed. */
function timesOf(document: JsonObject): ReadonlyMap<number, number> {
  const times = new Map<number, number>();
  for (const pair of listAt(document, '$times')) {
    if (!Array.isArray(pair) || typeof pair[0] !== 'number') continue;
    const at = timeOf(pair[1]);
    if (at !== undefined && !times.has(pair[0])) times.set(pair[0], at);
  }
  return times;
}

function readMessage(reading: Reading, message: JsonObject, place: number): void {
  const role = stringAt(message, 'role');
  if (role === 'user') readUser(reading, message, place);
  else if (role === 'assistant') readAssistant(reading, message, place);
  else reading.out.push(skip(role === 'system' ? 'injected' : 'unknown', `message ${role}`));
}

function messageOf(
  reading: Reading,
  message: JsonObject,
  place: number,
  own: { readonly role: MessageEvent['role']; readonly parts: readonly Part[]; suffix?: string },
): void {
  if (own.parts.length === 0) return;
  const id = cleanText(stringAt(message, 'id'));
  const info = objectAt(message, 'modelInfo');
  const model = cleanText(firstStringAt(info, 'id', 'modelId'));
  if (model !== '') reading.found.model = model;
  const at = timeAt(message, 'ts') ?? reading.times.get(place) ?? reading.times.get(place - 1);
  reading.out.push({
    type: 'message',
    sessionExternalId: reading.session,
    externalId: id === '' ? '' : `${id}${own.suffix ?? ''}`,
    idScope: 'session',
    role: own.role,
    author: '',
    at,
    ...(model === '' || own.role !== 'assistant' ? {} : { model }),
    parts: own.parts,
  });
}

function blocksOf(message: JsonObject): readonly JsonObject[] {
  const content = valueAt(message, 'content');
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  return Array.isArray(content) ? content.filter(isObject) : [];
}

const PROGRAM_BLOCKS = [
  'environment_details',
  'explicit_instructions',
  'mode_notice',
  'file_content',
  'folder_content',
  'url_content',
  'workspace_diagnostics',
  'system_reminder',
] as const;
const PERSON_BLOCKS = ['task', 'feedback', 'answer', 'user_message', 'user_feedback'] as const;

/** Texts with which the program speaks in the person's place. */
const PROGRAM_TEXT =
  /^\s*(?:\[ERROR\]|\[TASK RESUMPTION\]|\[NOTE\]|# task_progress|The previous API request failed)/;
const COMPACTED = /^\s*(?:This session is being continued from a previous conversation|\[CONTEXT)/;

function readUser(reading: Reading, message: JsonObject, place: number): void {
  const words: Part[] = [];
  for (const [at, block] of blocksOf(message).entries()) {
    const type = stringAt(block, 'type');
    if (type === 'tool_result') {
      const parts = nativeResult(reading, block);
      messageOf(reading, message, place, { role: 'tool', parts, suffix: `:${at}` });
    } else if (type === 'image') words.push(imageOf(block));
    else if (type === 'text') readUserText(reading, message, place, at, words);
    else reading.out.push(skip('unknown', `block ${type}`));
  }
  messageOf(reading, message, place, { role: 'user', parts: words });
}

function readUserText(
  reading: Reading,
  message: JsonObject,
  place: number,
  at: number,
  words: Part[],
): void {
  const text = stringAt(blocksOf(message)[at], 'text');
  noteWorkspace(reading, text);
  const stripped = stripBlocks(text, PROGRAM_BLOCKS);
  if (stripped.removed > 0) reading.out.push(skip('injected', 'environment_details'));
  if (stripped.text.trim() === '') return;
  if (COMPACTED.test(stripped.text)) {
    reading.out.push(skip('compaction', 'summary'));
    return;
  }
  const result = resultInText(stripped.text, reading.calls);
  if (result !== undefined) {
    reading.calls = withoutOpen(reading.calls, result.callId, result.follows);
    const part = toolResult({ ...result, isError: result.isError });
    if (result.text.trim() !== '') {
      messageOf(reading, message, place, { role: 'tool', parts: [part], suffix: `:${at}` });
    }
    words.push(...textParts(result.feedback));
    return;
  }
  if (PROGRAM_TEXT.test(stripped.text)) {
    reading.out.push(skip('injected', 'notice'));
    return;
  }
  words.push(...textParts(unwrapBlocks(unwrapInput(stripped.text), PERSON_BLOCKS)));
}

const unwrapInput = (text: string): string =>
  text.replace(/^\s*<user_input(?: mode="[a-z]{1,20}")?>/, '').replace(/<\/user_input>\s*$/, '');

function noteWorkspace(reading: Reading, text: string): void {
  if (reading.found.cwd !== '') return;
  const line = /# Current Work(?:ing|space) Directory \(([^\n]{1,1000}?)\) Files/.exec(text);
  if (line?.[1] !== undefined) reading.found.cwd = cleanText(line[1]);
}

function imageOf(block: JsonObject): Part {
  const source = objectAt(block, 'source');
  const mediaType = firstStringAt(source, 'media_type') || stringAt(block, 'mediaType');
  return imageRef(mediaType, firstStringAt(source, 'data') || stringAt(block, 'data'), '');
}

function nativeResult(reading: Reading, block: JsonObject): readonly Part[] {
  const callId = stringAt(block, 'tool_use_id');
  const open = reading.calls.open.find((call) => call.callId === callId);
  const tool = stringAt(block, 'name') || (open?.tool ?? '');
  const answer = nativeAnswer(block, tool);
  const { text } = stripBlocks(answer.text, PROGRAM_BLOCKS);
  reading.calls = withoutOpen(reading.calls, callId, false);
  return [
    toolResult({ callId, tool, text, isError: answer.isError }),
    ...answer.images.map(imageOf),
  ];
}

function readAssistant(reading: Reading, message: JsonObject, place: number): void {
  const parts: Part[] = [];
  for (const [at, block] of blocksOf(message).entries()) {
    const type = stringAt(block, 'type');
    if (type === 'text') {
      const split = splitCalls(stringAt(block, 'text'), reading.calls, place);
      reading.calls = split.calls;
      parts.push(...split.parts);
    } else if (type === 'thinking') parts.push(...reasoningParts(stringAt(block, 'thinking')));
    else if (type === 'tool_use') {
      const callId = stringAt(block, 'id') || `${place}:${at}`;
      const tool = stringAt(block, 'name');
      parts.push(toolCall(callId, tool, valueAt(block, 'input')));
      reading.calls = { ...reading.calls, open: [...reading.calls.open, { callId, tool }] };
    } else if (type === 'image') parts.push(imageOf(block));
    else if (type === 'redacted_thinking') reading.out.push(skip('meta', type));
    else reading.out.push(skip('unknown', `block ${type}`));
  }
  messageOf(reading, message, place, { role: 'assistant', parts });
}
