/**
 * Parser of Copilot CLI sessions: one event a line, `{type, data, id, timestamp, parentId}`.
 *
 *   user.message         the person's words are `content`; `transformedContent` is what was sent
 *   assistant.message    an answer with the tools it asks for
 *   tool.execution_complete   a tool's answer
 *   anything else        bookkeeping, or text of the program
 *
 * Decides: which events are messages and whose. What was said before a compaction stays. Sessions
 * of 2025 are one document (`history.ts`).
 * Format notes and versions seen: docs/formats/copilot.md.
 */
import type { MessageEvent, Part, TranscriptEvent } from '@quipu/store';
import { type CallNames, forgetCall, rememberCall, toolOfCall } from '../calls.ts';
import {
  firstStringAt,
  isObject,
  type JsonObject,
  listAt,
  objectAt,
  parseObject,
  stringAt,
  timeAt,
  valueAt,
} from '../json.ts';
import type { TranscriptParser } from '../reader.ts';
import { announce, sessionEvent } from '../reading/announced.ts';
import { stripBlocks } from '../reading/blocks.ts';
import { cleanText } from '../reading/feeds.ts';
import { HELD_CHARS_MAX } from '../reading/limits.ts';
import { reasoningParts, skip, textParts, toolCall, toolResult } from '../reading/parts.ts';
import { counted } from './events.ts';
import { readHistory } from './history.ts';
import { imageOf, toolAnswer } from './results.ts';
import { type CopilotState, initialState, placeOf, textAt, withNews } from './state.ts';

type Step = { readonly state: CopilotState; readonly events: readonly TranscriptEvent[] };

export const copilotParser: TranscriptParser<CopilotState> = {
  version: 1,
  initial: initialState,
  read: (state, record) => {
    const event = parseObject(record.text);
    if (event === undefined) {
      return { state, events: record.text.trim() === '' ? [] : [skip('invalid', 'line')] };
    }
    if (Array.isArray(valueAt(event, 'chatMessages'))) return readHistory(state, event);
    return readEvent(state, event);
  },
  finish: (state) => ({ state, events: [] }),
};

function readEvent(state: CopilotState, event: JsonObject): Step {
  const type = stringAt(event, 'type');
  const data = objectAt(event, 'data');
  if (data === undefined) {
    return { state, events: [type === '' ? skip('unknown', '') : counted(type)] };
  }
  const read = READERS.get(type);
  return read === undefined ? { state, events: [counted(type)] } : read(state, event, data, type);
}

type ReadEvent = (state: CopilotState, event: JsonObject, data: JsonObject, type: string) => Step;

const READERS: ReadonlyMap<string, ReadEvent> = new Map<string, ReadEvent>([
  ['user.message', readUser],
  ['assistant.message', readAssistant],
  ['assistant.reasoning', readReasoning],
  ['tool.user_requested', readRequested],
  ['tool.execution_start', readStart],
  ['tool.execution_complete', readComplete],
  ['subagent.started', readSubAgent],
  ['session.start', readNews],
  ['session.resume', readNews],
  ['session.context_changed', readNews],
  ['session.model_change', readNews],
  ['session.title_changed', readNews],
]);

/** News of a sub-agent are not the session's. */
function readNews(state: CopilotState, event: JsonObject, data: JsonObject, type: string): Step {
  if (placeOf(state, event, data).parent !== undefined) return { state, events: [counted(type)] };
  const next = withNews(state, data);
  if (state.announced.length === 0) return { state: next, events: [counted(type)] };
  const told = announced(next, event, data, {});
  return { state: told.state, events: [counted(type), ...told.events] };
}

type Extra = { readonly model?: string; readonly title?: string };

function announced(state: CopilotState, event: JsonObject, data: JsonObject, extra: Extra): Step {
  const { session, parent } = placeOf(state, event, data);
  const { cwd, gitRemote, gitBranch, agentVersion, model } = state;
  const title = parent === undefined ? state.title : '';
  const said = announce(
    state.announced,
    sessionEvent(
      session,
      { cwd, gitRemote, gitBranch, agentVersion, model, title, ...extra },
      parent,
    ),
  );
  return { state: { ...state, announced: said.announced }, events: said.events };
}

function readSubAgent(state: CopilotState, event: JsonObject, data: JsonObject): Step {
  const key = textAt(event, 'agentId') || textAt(data, 'toolCallId');
  if (key === '') return { state, events: [counted('subagent.started')] };
  const title = cleanText(firstStringAt(data, 'agentDisplayName', 'agentName'));
  const model = textAt(data, 'model');
  const told = announced(state, { agentId: key }, {}, model === '' ? { title } : { title, model });
  return { state: told.state, events: [counted('subagent.started'), ...told.events] };
}

type Saying = {
  readonly role: MessageEvent['role'];
  readonly parts: readonly Part[];
  readonly model?: string;
};

/** One message of the event, after its session's announcement. */
function say(state: CopilotState, event: JsonObject, data: JsonObject, saying: Saying): Step {
  if (saying.parts.length === 0) return { state, events: [skip('meta', 'empty')] };
  const model = saying.model ?? '';
  const told = announced(state, event, data, model === '' ? {} : { model });
  const id = cleanText(firstStringAt(event, 'id')) || textAt(data, 'messageId');
  const message: MessageEvent = {
    type: 'message',
    sessionExternalId: placeOf(state, event, data).session,
    externalId: id,
    idScope: UUID.test(id) ? 'global' : 'session',
    role: saying.role,
    author: '',
    at: timeAt(event, 'timestamp'),
    ...(model === '' ? {} : { model }),
    parts: saying.parts,
  };
  return { state: told.state, events: [...told.events, message] };
}

const UUID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i;

/** What the program puts around a prompt. */
const INJECTED_TAGS = [
  'current_datetime',
  'system_reminder',
  'system-reminder',
  'system_notification',
];

function readUser(state: CopilotState, event: JsonObject, data: JsonObject): Step {
  const source = stringAt(data, 'source');
  if (!(source === '' || source === 'user' || source.startsWith('agent-'))) {
    return { state, events: [skip('injected', source)] };
  }
  const stripped = stripBlocks(stringAt(data, 'content'), INJECTED_TAGS);
  const images = listAt(data, 'attachments').filter(isObject).flatMap(imageOf);
  const said = say(state, event, data, {
    role: 'user',
    parts: [...textParts(stripped.text), ...images],
  });
  if (stripped.removed === 0) return said;
  return { ...said, events: [skip('injected', 'reminder'), ...said.events] };
}

function readReasoning(state: CopilotState, _event: JsonObject, data: JsonObject): Step {
  const reasoning = stringAt(data, 'content').slice(0, HELD_CHARS_MAX);
  return { state: { ...state, reasoning }, events: [counted('assistant.reasoning')] };
}

function readAssistant(before: CopilotState, event: JsonObject, data: JsonObject): Step {
  let calls: CallNames = before.calls;
  const requests = listAt(data, 'toolRequests')
    .filter(isObject)
    .map((request, at): Part => {
      const id = firstStringAt(request, 'toolCallId') || `${stringAt(event, 'id')}:${at}`;
      const call = toolCall(id, toolName(request, 'name'), valueAt(request, 'arguments'));
      calls = rememberCall(calls, call.callId, call.tool);
      return call;
    });
  const parts = [
    ...reasoningParts(stringAt(data, 'reasoningText') || before.reasoning),
    ...textParts(stringAt(data, 'content')),
    ...requests,
  ];
  const model = textAt(data, 'model');
  const state = { ...before, calls, reasoning: '' };
  return say(state, event, data, { role: 'assistant', parts, ...(model === '' ? {} : { model }) });
}

/** Tools of a server are named as other agents name them: `mcp__server__tool`. */
function toolName(source: JsonObject, key: string): string {
  const server = textAt(source, 'mcpServerName');
  const tool = textAt(source, 'mcpToolName');
  return server === '' || tool === '' ? stringAt(source, key) : `mcp__${server}__${tool}`;
}

/** A command that the person ran with `!`. */
function readRequested(before: CopilotState, event: JsonObject, data: JsonObject): Step {
  const id = firstStringAt(data, 'toolCallId') || stringAt(event, 'id');
  const call = toolCall(id, toolName(data, 'toolName'), valueAt(data, 'arguments'));
  const state = { ...before, calls: rememberCall(before.calls, call.callId, call.tool) };
  return say(state, event, data, { role: 'user', parts: [call] });
}

/** Names the call where the message that asked for it was not seen. */
function readStart(state: CopilotState, _event: JsonObject, data: JsonObject): Step {
  const id = textAt(data, 'toolCallId');
  const known = toolOfCall(state.calls, id) !== '';
  const name = cleanText(toolName(data, 'toolName'));
  const calls = known ? state.calls : rememberCall(state.calls, id, name);
  return { state: { ...state, calls }, events: [counted('tool.execution_start')] };
}

function readComplete(before: CopilotState, event: JsonObject, data: JsonObject): Step {
  const callId = textAt(data, 'toolCallId');
  const answer = toolAnswer(data);
  const tool = toolOfCall(before.calls, callId) || stringAt(data, 'toolName');
  const result = toolResult({ callId, tool, text: answer.text, isError: answer.isError });
  const state = { ...before, calls: forgetCall(before.calls, callId) };
  return say(state, event, data, { role: 'tool', parts: [result, ...answer.images] });
}
