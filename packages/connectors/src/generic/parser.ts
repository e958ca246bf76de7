/**
 * Parser of generic JSONL: one message a line, for programs that Quipu has no reader for.
 *
 *   {"project"?, "session", "id", "at", "role", "text"}     (docs/formats/generic.md)
 *
 * Decides: what a line must have (a session, someone who speaks, something said), and that a
 * speaker who is none of the four roles is a person with that name. A line that has not is counted
 * with its number and never stops the reading. Messages keep the order of the file.
 */
import type { MessageEvent, Part, Role, SessionEvent, TranscriptEvent } from '@quipu/store';
import { firstStringAt, isTrueAt, type JsonObject, parseObject, timeOf, valueAt } from '../json.ts';
import type { TranscriptParser } from '../reader.ts';
import { type Announced, announce, sessionEvent } from '../reading/announced.ts';
import { cleanText } from '../reading/feeds.ts';
import { skip, textParts, toolCall, toolResult } from '../reading/parts.ts';

export type GenericState = {
  /** Lines read so far. */
  readonly line: number;
  readonly announced: Announced;
};

export const genericParser: TranscriptParser<GenericState> = {
  version: 1,
  initial: () => ({ line: 0, announced: [] }),
  read: (state, record) => {
    const line = state.line + 1;
    if (record.text.trim() === '') return { state: { ...state, line }, events: [] };
    const source = parseObject(record.text);
    const said = source === undefined ? undefined : readLine(source, line);
    if (source === undefined || said === undefined) {
      return { state: { ...state, line }, events: [skip('invalid', `line ${line}`)] };
    }
    const told = announce(state.announced, sessionOf(source, said.session));
    const events: TranscriptEvent[] = [...told.events];
    if (said.message.parts.length > 0) events.push(said.message);
    else events.push(skip('meta', 'empty text'));
    return { state: { line, announced: told.announced }, events };
  },
  finish: (state) => ({ state, events: [] }),
};

/** Whether a line has the shape; what a file is told by. */
export function isGenericLine(text: string): boolean {
  const source = parseObject(text);
  return source !== undefined && readLine(source, 1) !== undefined;
}

type Said = { readonly session: string; readonly message: MessageEvent };

function readLine(source: JsonObject, line: number): Said | undefined {
  const session = idAt(source, 'session');
  const speaker = speakerOf(source);
  const text = valueAt(source, 'text');
  if (session === '' || speaker === undefined || typeof text !== 'string') return undefined;
  const externalId = idAt(source, 'id');
  const model = firstStringAt(source, 'model');
  const message: MessageEvent = {
    type: 'message',
    sessionExternalId: session,
    externalId,
    idScope: 'session',
    role: speaker.role,
    author: speaker.author,
    at: timeOf(valueAt(source, 'at')),
    ...(model === '' ? {} : { model: cleanText(model) }),
    parts: partsOf(source, speaker.role, text, externalId === '' ? `line-${line}` : externalId),
  };
  return { session, message };
}

/** An id as text: programs write numbers too. */
function idAt(source: JsonObject, key: string): string {
  const value = valueAt(source, key);
  if (typeof value === 'number' && Number.isFinite(value)) return String(value);
  return typeof value === 'string' ? cleanText(value).trim() : '';
}

const ROLES: ReadonlySet<string> = new Set(['user', 'assistant', 'system', 'tool']);

function speakerOf(source: JsonObject): { role: Role; author: string } | undefined {
  const named = cleanText(firstStringAt(source, 'role')).trim();
  const author = cleanText(firstStringAt(source, 'author', 'speaker')).trim();
  const role = named.toLowerCase();
  if (ROLES.has(role)) return { role: role as Role, author };
  if (named === '' && author === '') return undefined;
  return { role: 'user', author: author === '' ? named : author };
}

function partsOf(source: JsonObject, role: Role, text: string, place: string): readonly Part[] {
  const tool = firstStringAt(source, 'tool');
  const given = firstStringAt(source, 'call', 'callId', 'call_id');
  const callId = given === '' ? place : given;
  if (role === 'tool') {
    if (text === '') return [];
    return [toolResult({ callId, tool, text, isError: isTrueAt(source, 'error') })];
  }
  if (role !== 'assistant' || tool === '') return textParts(text);
  return [...textParts(text), toolCall(callId, tool, valueAt(source, 'input'))];
}

function sessionOf(source: JsonObject, session: string): SessionEvent {
  const text = (...keys: readonly string[]): string => cleanText(firstStringAt(source, ...keys));
  const kind = firstStringAt(source, 'parentKind', 'parent_kind') === 'fork' ? 'fork' : 'subagent';
  return sessionEvent(
    session,
    {
      project: text('project').trim(),
      cwd: text('cwd'),
      gitRemote: text('gitRemote', 'git_remote'),
      gitBranch: text('gitBranch', 'git_branch'),
      title: text('title'),
      model: text('model'),
    },
    { externalId: idAt(source, 'parent'), kind },
  );
}
