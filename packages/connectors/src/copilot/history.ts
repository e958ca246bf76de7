/**
 * Sessions of Copilot CLI's first versions (2025): one document in `history-session-state`.
 *
 *   {sessionId, startTime, chatMessages: [{role, content, tool_calls?, tool_call_id?, name?}]}
 *
 * Decides: a message is known by its place in the list, since it has neither id nor time.
 */
import type { MessageEvent, Part, TranscriptEvent } from '@quipu/store';
import {
  firstStringAt,
  isObject,
  type JsonObject,
  listAt,
  objectAt,
  stringAt,
  valueAt,
} from '../json.ts';
import { announce, sessionEvent } from '../reading/announced.ts';
import { stripBlocks } from '../reading/blocks.ts';
import { imageRefOfUrl, skip, textParts, toolCall, toolResult } from '../reading/parts.ts';
import { type CopilotState, withNews } from './state.ts';

type Step = { readonly state: CopilotState; readonly events: readonly TranscriptEvent[] };

export function readHistory(before: CopilotState, document: JsonObject): Step {
  const news = withNews(before, document);
  const { session, cwd, model } = news;
  const told = announce(news.announced, sessionEvent(session, { cwd, model }));
  const names = new Map<string, string>();
  const events: TranscriptEvent[] = [];
  for (const [at, message] of listAt(document, 'chatMessages').entries()) {
    const read = isObject(message) ? readChat(message, `${at}`, names) : undefined;
    if (read === undefined) events.push(skip('invalid', 'message'));
    else if ('type' in read) events.push(read);
    else events.push(messageOf(session, `${at}`, read));
  }
  const said = events.some((event) => event.type === 'message');
  return {
    state: { ...news, announced: said ? told.announced : news.announced },
    events: said ? [...told.events, ...events] : events,
  };
}

type Chat = { readonly role: MessageEvent['role']; readonly parts: readonly Part[] };

const messageOf = (session: string, id: string, chat: Chat): MessageEvent => ({
  type: 'message',
  sessionExternalId: session,
  externalId: id,
  idScope: 'session',
  role: chat.role,
  author: '',
  at: undefined,
  parts: chat.parts,
});

function readChat(
  message: JsonObject,
  place: string,
  names: Map<string, string>,
): Chat | TranscriptEvent {
  const role = stringAt(message, 'role');
  if (role === 'system' || role === 'developer') return skip('injected', role);
  if (role === 'tool') return { role, parts: [resultOf(message, place, names)] };
  if (role !== 'user' && role !== 'assistant') return skip('unknown', `role ${role}`);
  const words = piecesOf(message).flatMap((piece): readonly Part[] => {
    const url = stringAt(objectAt(piece, 'image_url'), 'url');
    if (url !== '') return [imageRefOfUrl(url, '')];
    return textParts(stripBlocks(stringAt(piece, 'text'), TAGS).text);
  });
  const calls = listAt(message, 'tool_calls').filter(isObject);
  const parts = [...words, ...calls.map((call, at) => callOf(call, `${place}:${at}`, names))];
  return parts.length === 0 ? skip('meta', 'empty') : { role, parts };
}

const TAGS = ['current_datetime', 'system_reminder', 'reminder'];

function piecesOf(message: JsonObject): readonly JsonObject[] {
  const content = valueAt(message, 'content');
  return typeof content === 'string'
    ? [{ text: content }]
    : listAt(message, 'content').filter(isObject);
}

function callOf(call: JsonObject, place: string, names: Map<string, string>): Part {
  const called = objectAt(call, 'function') ?? objectAt(call, 'custom');
  const part = toolCall(
    firstStringAt(call, 'id') || place,
    stringAt(called, 'name'),
    valueAt(called, 'arguments') ?? valueAt(called, 'input'),
  );
  names.set(part.callId, part.tool);
  return part;
}

function resultOf(message: JsonObject, place: string, names: Map<string, string>): Part {
  const callId = firstStringAt(message, 'tool_call_id') || place;
  const text = piecesOf(message)
    .map((piece) => stringAt(piece, 'text'))
    .join('\n');
  return toolResult({
    callId,
    tool: names.get(callId) ?? stringAt(message, 'name'),
    text,
    isError: false,
  });
}
