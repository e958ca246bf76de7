/**
 * Parser of opencode's records, as its feeds give them: database rows and older JSON files alike.
 *
 *   {type: "session", id, directory, title, version, parent?, forkOf?}
 *   {type: "message", session, id, created, info, parts: [{id, type, …}]}
 *
 * Decides: a message keeps its own id, a tool part is a call in it and, once it has ended, a
 * message of role `tool` after it. Text that the program wrote in the person's place (`synthetic`:
 * files it read, the turn after a compaction) is injected; a compaction's summary is no message.
 * What was undone (`revert`) was still said. Errors of a provider are not memory. Stateless: every
 * record holds all it needs.
 */
import type { MessageEvent, Part, TranscriptEvent } from '@quipu/store';
import {
  firstStringAt,
  isObject,
  isTrueAt,
  type JsonObject,
  listAt,
  objectAt,
  parseObject,
  stringAt,
  timeAt,
  valueAt,
} from '../json.ts';
import type { TranscriptParser } from '../reader.ts';
import { sessionEvent } from '../reading/announced.ts';
import { cleanText } from '../reading/feeds.ts';
import {
  imageRefOfUrl,
  reasoningParts,
  skip,
  textParts,
  toolCall,
  toolResult,
} from '../reading/parts.ts';
import { partsOfFirstForm } from './first-form.ts';

export type OpencodeState = Readonly<Record<string, never>>;

export const opencodeParser: TranscriptParser<OpencodeState> = {
  version: 1,
  initial: () => ({}),
  read: (state, record) => {
    const row = parseObject(record.text);
    if (row === undefined) return { state, events: [skip('invalid', 'row')] };
    return { state, events: readRow(row) };
  },
  finish: (state) => ({ state, events: [] }),
};

function readRow(row: JsonObject): readonly TranscriptEvent[] {
  const type = stringAt(row, 'type');
  if (type === 'session') return readSession(row);
  if (type === 'message') return readMessage(row);
  return [skip('unknown', type)];
}

const textAt = (source: unknown, key: string): string => cleanText(stringAt(source, key));

function readSession(row: JsonObject): readonly TranscriptEvent[] {
  const id = textAt(row, 'id');
  if (id === '') return [skip('invalid', 'session')];
  const parent = textAt(row, 'parent');
  return [
    sessionEvent(
      id,
      {
        cwd: textAt(row, 'directory'),
        title: textAt(row, 'title'),
        agentVersion: textAt(row, 'version'),
        model: textAt(row, 'model'),
      },
      parent === ''
        ? { externalId: textAt(row, 'forkOf'), kind: 'fork' }
        : { externalId: parent, kind: 'subagent' },
    ),
  ];
}

type Base = {
  readonly session: string;
  readonly id: string;
  readonly at: number | undefined;
  readonly model: string;
  readonly out: TranscriptEvent[];
};

function readMessage(row: JsonObject): readonly TranscriptEvent[] {
  const info = objectAt(row, 'info');
  const session = textAt(row, 'session');
  const id = textAt(row, 'id');
  if (info === undefined || session === '' || id === '') return [skip('invalid', 'message')];
  const time = objectAt(info, 'time') ?? objectAt(objectAt(info, 'metadata'), 'time');
  const base: Base = {
    session,
    id,
    at: timeAt(time, 'created') ?? timeAt(row, 'created'),
    model: modelOf(info),
    out: [],
  };
  const listed = listAt(row, 'parts').filter(isObject);
  const parts = listed.length > 0 ? listed : partsOfFirstForm(info);
  const role = stringAt(info, 'role');
  if (role === 'user') readUser(base, parts);
  else if (role === 'assistant') readAssistant(base, info, parts);
  else base.out.push(skip(role === 'system' ? 'injected' : 'unknown', `message ${role}`));
  return base.out;
}

function modelOf(info: JsonObject): string {
  const assistant = objectAt(objectAt(info, 'metadata'), 'assistant');
  const named = stringAt(info, 'modelID') || stringAt(objectAt(info, 'model'), 'modelID');
  return cleanText(named || stringAt(assistant, 'modelID'));
}

function emit(
  base: Base,
  role: MessageEvent['role'],
  parts: readonly Part[],
  own: { readonly externalId: string; readonly at: number | undefined } = {
    externalId: base.id,
    at: base.at,
  },
): void {
  if (parts.length === 0) return;
  base.out.push({
    type: 'message',
    sessionExternalId: base.session,
    externalId: own.externalId,
    idScope: 'session',
    role,
    author: '',
    at: own.at,
    ...(base.model === '' || role !== 'assistant' ? {} : { model: base.model }),
    parts,
  });
}

function readUser(base: Base, parts: readonly JsonObject[]): void {
  const words: Part[] = [];
  for (const part of parts) {
    const type = stringAt(part, 'type');
    if (type === 'text') {
      if (isTrueAt(part, 'synthetic') || isTrueAt(part, 'ignored')) {
        base.out.push(skip('injected', 'synthetic'));
      } else words.push(...textParts(stringAt(part, 'text')));
    } else if (type === 'file') words.push(...filePart(part));
    else if (type === 'subtask') words.push(...textParts(stringAt(part, 'prompt')));
    else if (type === 'compaction') base.out.push(skip('compaction', type));
    else if (!QUIET.has(type)) base.out.push(skip('unknown', `part ${type}`));
  }
  emit(base, 'user', words);
}

/** Parts that are about the program: steps, snapshots of the working tree, mentions. */
const QUIET = new Set(['step-start', 'step-finish', 'snapshot', 'patch', 'agent', 'retry']);

/** A picture is kept as a reference; what a text file held is the program's `synthetic` text. */
function filePart(part: JsonObject): readonly Part[] {
  const mediaType = stringAt(part, 'mime') || stringAt(part, 'mediaType');
  if (!mediaType.startsWith('image/')) return [];
  return [imageRefOfUrl(stringAt(part, 'url'), mediaType)];
}

function readAssistant(base: Base, info: JsonObject, parts: readonly JsonObject[]): void {
  const mode = firstStringAt(info, 'mode', 'agent');
  if (isTrueAt(info, 'summary') || mode === 'compaction') {
    base.out.push(skip('compaction', 'summary'));
    return;
  }
  const said: Part[] = [];
  const tools: JsonObject[] = [];
  for (const part of parts) {
    const type = stringAt(part, 'type');
    if (type === 'text') said.push(...textParts(stringAt(part, 'text')));
    else if (type === 'reasoning') said.push(...reasoningParts(stringAt(part, 'text')));
    else if (type === 'file') said.push(...filePart(part));
    else if (type === 'tool') {
      const input = valueAt(objectAt(part, 'state'), 'input');
      said.push(toolCall(callIdOf(part), stringAt(part, 'tool'), input));
      tools.push(part);
    } else if (!QUIET.has(type)) base.out.push(skip('unknown', `part ${type}`));
  }
  emit(base, 'assistant', said);
  for (const part of tools) readResult(base, part);
}

const callIdOf = (part: JsonObject): string => firstStringAt(part, 'callID', 'id');

function readResult(base: Base, part: JsonObject): void {
  const state = objectAt(part, 'state');
  const status = stringAt(state, 'status');
  if (status !== 'completed' && status !== 'error') return;
  const callId = callIdOf(part);
  const result = toolResult({
    callId,
    tool: stringAt(part, 'tool'),
    text: status === 'error' ? stringAt(state, 'error') : stringAt(state, 'output'),
    isError: status === 'error',
  });
  const images = listAt(state, 'attachments').filter(isObject).flatMap(filePart);
  const own = {
    externalId: `${textAt(part, 'id') || callId}:result`,
    at: timeAt(objectAt(state, 'time'), 'end') ?? base.at,
  };
  emit(base, 'tool', [result, ...images], own);
}
