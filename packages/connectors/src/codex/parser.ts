/**
 * Parser of Codex CLI rollouts: one JSON object a line.
 *
 *   {timestamp, ordinal?, type: session_meta | response_item | event_msg | …, payload}
 *   bare items without the wrapper, after a bare first line (versions before September 2025)
 *   one document {session, items} (the first, TypeScript versions)
 *
 * Decides: words are taken from `response_item` alone: `event_msg` repeats them for the screen.
 * Items before a compaction stay; the history that a `compacted` line carries is a copy and is not
 * read. Format notes and versions seen: docs/formats/codex.md.
 */
import type { SkipEvent, TranscriptEvent } from '@quipu/store';
import {
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
import { cleanText } from '../reading/feeds.ts';
import { skip } from '../reading/parts.ts';
import { type ItemRead, readItem } from './items.ts';
import { type CodexState, initialState, withMeta } from './state.ts';

type Step = { readonly state: CodexState; readonly events: readonly TranscriptEvent[] };

export const codexParser: TranscriptParser<CodexState> = {
  version: 1,
  initial: initialState,
  read: (state, record) => {
    const line = parseObject(record.text);
    if (line !== undefined) return readLine(state, line);
    return { state, events: record.text.trim() === '' ? [] : [skip('invalid', 'line')] };
  },
  finish: (state) => ({ state, events: [] }),
};

const only = (state: CodexState, event: SkipEvent): Step => ({ state, events: [event] });

function readLine(state: CodexState, line: JsonObject): Step {
  const type = stringAt(line, 'type');
  const payload = objectAt(line, 'payload');
  if (payload === undefined) return readBare(state, line, type);
  if (type === 'session_meta') return only(withMeta(state, payload), skip('meta', type));
  if (type === 'response_item') return tell(readItem(state, payload, line), line);
  if (type === 'inter_agent_communication') {
    return tell(readItem(state, { ...payload, type: 'agent_message' }, line), line);
  }
  if (type === 'turn_context') return readTurnContext(state, payload);
  if (type === 'compacted') return only(state, skip('compaction', type));
  if (type === 'event_msg') return readEventMessage(state, payload);
  return only(state, skip(META.has(type) ? 'meta' : 'unknown', type));
}

const META = new Set([
  'inter_agent_communication_metadata',
  'token_usage_record',
  'world_state',
  'thread_settings',
]);

function readTurnContext(state: CodexState, payload: JsonObject): Step {
  const model = cleanText(stringAt(payload, 'model'));
  const cwd = state.cwd === '' ? cleanText(stringAt(payload, 'cwd')) : state.cwd;
  const next = { ...state, cwd, model: model === '' ? state.model : model };
  return only(next, skip('meta', 'turn_context'));
}

/** Repeats of what `response_item` lines say, and notices; a thread's name is the one news. */
function readEventMessage(state: CodexState, payload: JsonObject): Step {
  const type = stringAt(payload, 'type');
  const name = cleanText(stringAt(payload, 'thread_name'));
  if (type !== 'thread_name_updated' || name === '') {
    return only(state, skip(type === 'context_compacted' ? 'compaction' : 'meta', type));
  }
  const next = { ...state, title: name };
  return state.announced.length === 0 ? { state: next, events: [] } : announced(next);
}

/** Lines without a wrapper: the first line, items, and states of old versions; a whole document. */
function readBare(state: CodexState, line: JsonObject, type: string): Step {
  const items = valueAt(line, 'items');
  const session = objectAt(line, 'session');
  if (session !== undefined && Array.isArray(items)) return readDocument(state, session, items);
  if (type !== '') return tell(readItem(state, line, line), line);
  if (stringAt(line, 'record_type') !== '') return only(state, skip('meta', 'state'));
  if (stringAt(line, 'id') !== '' && stringAt(line, 'timestamp') !== '') {
    return only(withMeta(state, line), skip('meta', 'session'));
  }
  return only(state, skip('unknown', type));
}

function readDocument(before: CodexState, session: JsonObject, items: readonly unknown[]): Step {
  let state = withMeta(before, session);
  const events: TranscriptEvent[] = [];
  for (const item of items) {
    const step = isObject(item)
      ? tell(readItem(state, item, item), { timestamp: valueAt(item, 'timestamp') })
      : only(state, skip('invalid', 'item'));
    state = step.state;
    events.push(...step.events);
  }
  return { state, events };
}

/** The item's messages, after the session's announcement. */
function tell(read: ItemRead, line: JsonObject): Step {
  if (read.said.length === 0) return { state: read.state, events: read.skips };
  const told = announced(read.state);
  const { session, model } = told.state;
  const messages = read.said.map((said) => ({
    type: 'message' as const,
    sessionExternalId: session,
    idScope: 'session' as const,
    at: timeAt(line, 'timestamp'),
    ...(said.role === 'assistant' && model !== '' ? { model } : {}),
    ...said,
  }));
  return { state: told.state, events: [...told.events, ...read.skips, ...messages] };
}

function announced(state: CodexState): Step {
  const { cwd, gitRemote, gitBranch, title, model, agentVersion } = state;
  const said = announce(
    state.announced,
    sessionEvent(
      state.session,
      { cwd, gitRemote, gitBranch, title, model, agentVersion },
      state.parent ?? undefined,
    ),
  );
  return { state: { ...state, announced: said.announced }, events: said.events };
}

/** Whether a line can be a rollout's first: what a file without the usual name is told by. */
export function isRolloutStart(text: string): boolean {
  const line = parseObject(text);
  const type = stringAt(line, 'type');
  if (type === 'session_meta') return stringAt(objectAt(line, 'payload'), 'id') !== '';
  if (type !== '' || line === undefined) return false;
  return listAt(line, 'items').length > 0
    ? stringAt(objectAt(line, 'session'), 'id') !== ''
    : stringAt(line, 'id') !== '' && 'instructions' in line && stringAt(line, 'timestamp') !== '';
}
