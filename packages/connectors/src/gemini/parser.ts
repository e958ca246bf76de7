/**
 * Parser of Gemini CLI chats: appended lines, or one older JSON document.
 *
 *   {sessionId, projectHash, startTime, kind}   who and where; also in the middle after a resume
 *   {id, timestamp, type, content, toolCalls?}      a message; the last line of an id wins
 *   {"$set": {…}}   changed fields; `messages` is the history as rewritten, known ones are old
 *   {"$rewindTo": id}   what was undone was still said: nothing is taken back
 *
 * Decides: tool results are taken from the call that holds them, and only from the user line that
 * repeats them when no call did; `<session_context>`, `<hook_context>` and files that the program
 * pasted are not what a person wrote; summaries that replaced a history are compaction.
 * The working directory comes from the feed (`contextLine`), else from the injected context.
 */
import type { TranscriptEvent } from '@quipu/store';
import {
  firstStringAt,
  isObject,
  type JsonObject,
  listAt,
  objectAt,
  parseObject,
  stringAt,
  valueAt,
} from '../json.ts';
import type { SourceContext, TranscriptParser } from '../reader.ts';
import { type Announced, announce, sessionEvent } from '../reading/announced.ts';
import { cleanText } from '../reading/feeds.ts';
import { isKnown, type KnownIds, remember } from '../reading/known.ts';
import { skip } from '../reading/parts.ts';
import { readMessage, workspaceOf } from './message.ts';

export type GeminiState = {
  readonly session: string;
  readonly parent: string;
  readonly cwd: string;
  readonly title: string;
  readonly announced: Announced;
  /** Messages that were read from a line of their own. */
  readonly messages: KnownIds;
  /** Tool calls whose result stood in the call. */
  readonly results: KnownIds;
};

type Step = { state: GeminiState; events: readonly TranscriptEvent[] };

/** The feed's own first record: what is known of a chat besides its file. */
export const contextLine = (cwd: string): string => JSON.stringify({ $context: { cwd } });

export const geminiParser: TranscriptParser<GeminiState> = {
  version: 2,
  initial: (context) => ({
    session: fallbackSession(context),
    parent: parentOf(context),
    cwd: '',
    title: '',
    announced: [],
    messages: [],
    results: [],
  }),
  read: (state, record) => {
    const line = parseObject(record.text);
    if (line !== undefined) return readLine(state, line);
    return { state, events: record.text.trim() === '' ? [] : [skip('invalid', 'line')] };
  },
  finish: (state) => ({ state, events: [] }),
};

/** The file's name stands in for a session id that was never recorded. */
function fallbackSession(context: SourceContext): string {
  const name = context.path.split(/[\\/]/).at(-1) ?? '';
  return cleanText(name.replace(/\.jsonl?$/, ''));
}

/** A sub-agent's chat lies in a folder named after the session that started it. */
function parentOf(context: SourceContext): string {
  const folders = context.path.split(/[\\/]/);
  return folders.at(-3) === 'chats' ? cleanText(folders.at(-2) ?? '') : '';
}

function readLine(state: GeminiState, line: JsonObject): Step {
  const context = objectAt(line, '$context');
  if (context !== undefined) {
    const cwd = cleanText(stringAt(context, 'cwd'));
    return { state: cwd === '' ? state : { ...state, cwd }, events: [] };
  }
  const changed = objectAt(line, '$set');
  if (changed !== undefined) return readDocument(state, changed, true);
  if (stringAt(line, 'type') !== '') return readOne(state, line, false);
  if (stringAt(line, 'sessionId') !== '') return readDocument(state, line, false);
  const undone = stringAt(line, '$rewindTo') !== '';
  return { state, events: [skip(undone ? 'meta' : 'unknown', undone ? '$rewindTo' : 'line')] };
}

/** A metadata line, a `$set`, or a whole older document. */
function readDocument(state: GeminiState, source: JsonObject, rewrite: boolean): Step {
  const directory = listAt(source, 'directories').find((item) => typeof item === 'string');
  const cwd = state.cwd === '' && typeof directory === 'string' ? cleanText(directory) : state.cwd;
  const title = cleanText(stringAt(source, 'summary'));
  const session = cleanText(stringAt(source, 'sessionId'));
  let current: GeminiState = {
    ...state,
    session: session === '' ? state.session : session,
    cwd,
    title: title === '' ? state.title : title,
  };
  const events: TranscriptEvent[] = [];
  for (const item of listAt(source, 'messages')) {
    const step = isObject(item)
      ? readOne(current, item, rewrite)
      : { state: current, events: [skip('invalid', 'message')] };
    current = step.state;
    events.push(...step.events);
  }
  if (current.announced.length === 0) return { state: current, events };
  const told = announce(current.announced, currentSession(current));
  return { state: { ...current, announced: told.announced }, events: [...events, ...told.events] };
}

function currentSession(state: GeminiState) {
  return sessionEvent(
    state.session,
    { cwd: state.cwd, title: state.title },
    { externalId: state.parent, kind: 'subagent' },
  );
}

function readOne(state: GeminiState, source: JsonObject, rewrite: boolean): Step {
  const id = cleanText(stringAt(source, 'id'));
  const known = id !== '' && isKnown(state.messages, id);
  if (known && rewrite) return { state, events: [] };
  const read = readMessage(source, state.session, id, (call) => isKnown(state.results, call));
  const cwd = state.cwd === '' ? workspaceOf(source) : state.cwd;
  const next: GeminiState = {
    ...state,
    cwd,
    messages:
      id === '' || read.messages.length === 0 ? state.messages : remember(state.messages, id),
    results: read.results.reduce(remember, state.results),
  };
  if (read.messages.length === 0) return { state: next, events: read.skips };
  const model = cleanText(firstStringAt(source, 'model'));
  const named = sessionEvent(next.session, { model });
  const told = announce(next.announced, { ...currentSession(next), ...named });
  return {
    state: { ...next, announced: told.announced },
    events: [...read.skips, ...told.events, ...read.messages],
  };
}

/** True for the first line of a chat; what a file is told by. */
export function isGeminiStart(text: string): boolean {
  const line = parseObject(text);
  const hash = valueAt(line, 'projectHash');
  return stringAt(line, 'sessionId') !== '' && typeof hash === 'string';
}
