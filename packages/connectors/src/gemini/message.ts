/**
 * One message of a Gemini CLI chat.
 *
 * Decides: order within a message (thoughts, words, calls), that each tool result is a message of
 * its own after the call, and what in a user's message a program put there.
 */
import type { MessageEvent, Part, SkipEvent } from '@quipu/store';
import {
  compactJson,
  firstStringAt,
  isObject,
  type JsonObject,
  listAt,
  objectAt,
  stringAt,
  timeAt,
  valueAt,
} from '../json.ts';
import { insideBlock, stripBlocks, unwrapBlocks } from '../reading/blocks.ts';
import { cleanText } from '../reading/feeds.ts';
import {
  imageRef,
  reasoningParts,
  skip,
  textParts,
  toolCall,
  toolResult,
} from '../reading/parts.ts';
import { shellResult } from './shell-result.ts';

export type ReadMessage = {
  readonly messages: readonly MessageEvent[];
  readonly skips: readonly SkipEvent[];
  /** Ids of the calls whose results are among the messages. */
  readonly results: readonly string[];
};

export function readMessage(
  source: JsonObject,
  session: string,
  id: string,
  hasResult: (callId: string) => boolean,
): ReadMessage {
  const type = stringAt(source, 'type');
  const base = { session, id, at: timeAt(source, 'timestamp'), source };
  if (type === 'user') return readUser(base, hasResult);
  if (type === 'gemini' || type === 'model') return readModel(base);
  const notice = type === 'info' || type === 'error' || type === 'warning';
  return nothing(skip(notice ? 'meta' : 'unknown', type));
}

const nothing = (...skips: readonly SkipEvent[]): ReadMessage => ({
  messages: [],
  skips,
  results: [],
});

type Base = {
  readonly session: string;
  readonly id: string;
  readonly at: number | undefined;
  readonly source: JsonObject;
};

function messageOf(
  base: Base,
  role: MessageEvent['role'],
  parts: readonly Part[],
  own: { readonly externalId?: string; readonly at?: number | undefined } = {},
): MessageEvent {
  const model = cleanText(firstStringAt(base.source, 'model'));
  return {
    type: 'message',
    sessionExternalId: base.session,
    externalId: own.externalId ?? base.id,
    idScope: 'session',
    role,
    author: '',
    at: own.at ?? base.at,
    ...(model === '' || role !== 'assistant' ? {} : { model }),
    parts,
  };
}

/** Content is text, one part, or a list of both. */
function contentOf(source: JsonObject, key: string): readonly JsonObject[] {
  const value = valueAt(source, key);
  const items = Array.isArray(value) ? value : [value];
  return items.flatMap((item) => {
    if (typeof item === 'string') return [{ text: item }];
    return isObject(item) ? [item] : [];
  });
}

const COMPACTED = /^\s*<(?:state_snapshot|compressed_chat_history)>/;
const SETUP = /^\s*(?:<session_context>|This is the Gemini CLI\. We are setting up the context)/;

function readUser(base: Base, hasResult: (callId: string) => boolean): ReadMessage {
  const all = contentOf(base.source, 'content');
  const first = stringAt(all[0], 'text');
  if (SETUP.test(first)) return nothing(skip('injected', 'session context'));
  if (COMPACTED.test(first)) return nothing(skip('compaction', 'state_snapshot'));
  const shown = contentOf(base.source, 'displayContent');
  const kept = withoutPastedFiles(shown.length > 0 ? shown : all);
  const skips: SkipEvent[] =
    kept.length < (shown.length > 0 ? shown : all).length
      ? [skip('injected', 'referenced files')]
      : [];
  const parts: Part[] = [];
  for (const item of kept) {
    const stripped = stripBlocks(stringAt(item, 'text'), ['hook_context', 'session_context']);
    if (stripped.removed > 0) skips.push(skip('injected', 'hook_context'));
    parts.push(...textParts(stripped.text), ...imageParts(item));
  }
  const results = all.flatMap((item) => responseMessages(base, item, hasResult));
  const words = parts.length > 0 ? [messageOf(base, 'user', parts)] : [];
  return { messages: [...results, ...words], skips, results: [] };
}

/** `@file` makes the program paste files between two marks; the person wrote the mention only. */
function withoutPastedFiles(items: readonly JsonObject[]): readonly JsonObject[] {
  const start = items.findIndex((item) =>
    stringAt(item, 'text').includes('--- Content from referenced files ---'),
  );
  if (start < 0) return items;
  const end = items.findIndex(
    (item, at) => at >= start && stringAt(item, 'text').includes('--- End of content ---'),
  );
  return items.filter((_, at) => at < start || (end >= 0 && at > end));
}

function imageParts(item: JsonObject): readonly Part[] {
  const inline = objectAt(item, 'inlineData');
  if (inline !== undefined) {
    return [imageRef(stringAt(inline, 'mimeType'), stringAt(inline, 'data'), '')];
  }
  const file = objectAt(item, 'fileData');
  if (file === undefined) return [];
  return [imageRef(stringAt(file, 'mimeType'), '', stringAt(file, 'fileUri'))];
}

/** A result that stands in a user line of its own, where no call held it. */
function responseMessages(
  base: Base,
  item: JsonObject,
  hasResult: (callId: string) => boolean,
): readonly MessageEvent[] {
  const response = objectAt(item, 'functionResponse');
  if (response === undefined) return [];
  const tool = stringAt(response, 'name');
  const callId = cleanText(firstStringAt(response, 'id') || `${base.id}:${tool}`);
  if (hasResult(callId)) return [];
  const shell = shellResult(tool, responseText(response));
  const isError = shell.isError || stringAt(objectAt(response, 'response'), 'error') !== '';
  const part = toolResult({ callId, tool, text: shell.text, isError });
  return [messageOf(base, 'tool', [part], { externalId: `result:${callId}` })];
}

function readModel(base: Base): ReadMessage {
  const parts: Part[] = listAt(base.source, 'thoughts').flatMap((thought) => {
    const words = [stringAt(thought, 'subject'), stringAt(thought, 'description')];
    return reasoningParts(words.filter((word) => word !== '').join('\n'));
  });
  const results: MessageEvent[] = [];
  const calls = listAt(base.source, 'toolCalls').filter(isObject);
  for (const item of contentOf(base.source, 'content')) {
    if (valueAt(item, 'thought') === true) parts.push(...reasoningParts(stringAt(item, 'text')));
    else parts.push(...textParts(stringAt(item, 'text')), ...imageParts(item));
    if (calls.length === 0) parts.push(...inlineCall(base, item));
  }
  for (const [at, call] of calls.entries()) {
    const callId = cleanText(firstStringAt(call, 'id') || `${base.id}:${at}`);
    const tool = stringAt(call, 'name');
    parts.push(toolCall(callId, tool, valueAt(call, 'args')));
    results.push(...callResult(base, call, callId));
  }
  const words = parts.length > 0 ? [messageOf(base, 'assistant', parts)] : [];
  const callIds = results.map((message) => message.externalId.slice('result:'.length));
  return { messages: [...words, ...results], skips: [], results: callIds };
}

function inlineCall(base: Base, item: JsonObject): readonly Part[] {
  const call = objectAt(item, 'functionCall');
  if (call === undefined) return [];
  const tool = stringAt(call, 'name');
  return [toolCall(firstStringAt(call, 'id') || `${base.id}:${tool}`, tool, valueAt(call, 'args'))];
}

function callResult(base: Base, call: JsonObject, callId: string): readonly MessageEvent[] {
  const result = contentOf(call, 'result');
  const status = stringAt(call, 'status');
  const texts = result.map((item) => {
    const response = objectAt(item, 'functionResponse');
    return response === undefined ? stringAt(item, 'text') : responseText(response);
  });
  const text = texts.filter((one) => one !== '').join('\n');
  const done = status === 'success' || status === 'error' || status === 'cancelled';
  if (result.length === 0 && !done) return [];
  const tool = stringAt(call, 'name');
  const shell = shellResult(tool, text);
  const isError = shell.isError || status === 'error' || status === 'cancelled';
  const said = toolResult({ callId, tool, text: shell.text, isError });
  const parts = [said, ...result.flatMap(imageParts)];
  const own = { externalId: `result:${callId}`, at: timeAt(call, 'timestamp') };
  return [messageOf(base, 'tool', parts, own)];
}

function responseText(functionResponse: JsonObject): string {
  const response = objectAt(functionResponse, 'response');
  const said = firstStringAt(response, 'output', 'error', 'content');
  const text = said === '' ? compactJson(response) : said;
  const words = stripBlocks(text, ['hook_context']).text;
  return unwrapBlocks(words, ['untrusted_context']);
}

/** The working directory that the injected context names; '' when there is none. */
export function workspaceOf(source: JsonObject): string {
  for (const item of contentOf(source, 'content')) {
    const context =
      insideBlock(stringAt(item, 'text'), 'session_context') ?? stringAt(item, 'text');
    if (!SETUP.test(stringAt(item, 'text'))) continue;
    const listed = /Workspace Directories:\*\*\s*\n\s*- ([^\n]{1,1000})/.exec(context);
    const named = /working in the directory: ([^\n]{1,1000})/.exec(context);
    const found = listed?.[1] ?? named?.[1];
    if (found !== undefined) return cleanText(found.trim());
  }
  return '';
}
