/**
 * Parser of Claude Code transcripts: one JSON object a line.
 *
 *   user | assistant    a message, or one block of one (`open-messages.ts`)
 *   attachment          context a program added; a prompt typed while the model worked
 *   system, summary, …  bookkeeping
 *
 * Decides: which lines are messages. Lines are read in the order written, every branch of the tree;
 * what was said before a compaction stays. What the program wrote in the person's name (`isMeta`,
 * `isCompactSummary`, reminders, command output) is counted, never a message.
 * Format notes and versions seen: docs/formats/claude-code.md.
 */
import type { MessageEvent, Part, SkipEvent, TranscriptEvent } from '@quipu/store';
import { rememberCall } from '../calls.ts';
import {
  isTrueAt,
  type JsonObject,
  objectAt,
  parseObject,
  stringAt,
  timeAt,
  valueAt,
} from '../json.ts';
import type { TranscriptParser } from '../reader.ts';
import { announce, sessionEvent } from '../reading/announced.ts';
import { cleanText } from '../reading/feeds.ts';
import { skip, textParts, toolResult } from '../reading/parts.ts';
import { blocksOf, documentText, imageOf, isResult, modelBlock, resultParts } from './blocks.ts';
import { ATTACHMENT_OF_PERSON, bookkeeping, titleOf } from './bookkeeping.ts';
import { addLine, close, tell } from './open-messages.ts';
import { personText } from './person-text.ts';
import { type ClaudeState, initialState, placeOf, UUID, withRecent } from './state.ts';

type Step = { readonly state: ClaudeState; readonly events: readonly TranscriptEvent[] };

export const claudeCodeParser: TranscriptParser<ClaudeState> = {
  version: 1,
  initial: initialState,
  read: (state, record) => {
    const line = parseObject(record.text);
    if (line !== undefined) return readLine(withRecent(state, line), line);
    return { state, events: record.text.trim() === '' ? [] : [skip('invalid', 'line')] };
  },
  finish: (state) => {
    const told = tell(state.open);
    return { state: { ...state, open: told.open }, events: told.events };
  },
};

function readLine(state: ClaudeState, line: JsonObject): Step {
  const type = stringAt(line, 'type');
  if (type === 'assistant') return readAssistant(state, line);
  if (type === 'user') return readUser(state, line);
  if (type === 'attachment') return readAttachment(state, line);
  const title = titleOf(line, state.recent);
  if (title !== undefined) return retitle(state, title.text, title.rank);
  return { state, events: [bookkeeping(line)] };
}

type Told = Step & { readonly session: string };

/** Finds the line's session and announces what it says of it. */
function announced(before: ClaudeState, line: JsonObject, model: string): Told {
  const { state, session, parent } = placeOf(before, line);
  const known = state.announced.find((one) => one.externalId === session);
  const isMain = session === state.session;
  const said = announce(
    state.announced,
    sessionEvent(
      session,
      {
        // The first one is where the session was started; `cd` does not move it.
        cwd: known?.cwd === undefined ? textAt(line, 'cwd') : '',
        gitBranch: textAt(line, 'gitBranch'),
        agentVersion: textAt(line, 'version'),
        model,
        title: isMain ? state.title : '',
      },
      parent,
    ),
  );
  return { state: { ...state, announced: said.announced }, events: said.events, session };
}

const textAt = (source: unknown, key: string): string => cleanText(stringAt(source, key));

/** Titles given by the person win over those of the model, and these over old summaries. */
function retitle(state: ClaudeState, title: string, rank: number): Step {
  if (title === '' || rank < state.titleRank) {
    return { state, events: [skip('meta', 'title')] };
  }
  const next = { ...state, title, titleRank: rank };
  const known = state.announced.some((one) => one.externalId === state.session);
  if (!known) return { state: next, events: [] };
  const said = announce(state.announced, sessionEvent(state.session, { title }));
  return { state: { ...next, announced: said.announced }, events: said.events };
}

function readAssistant(before: ClaudeState, line: JsonObject): Step {
  const message = objectAt(line, 'message');
  const model = textAt(message, 'model');
  if (message === undefined) return { state: before, events: [skip('invalid', 'assistant')] };
  if (model === '<synthetic>' || isTrueAt(line, 'isApiErrorMessage')) {
    return { state: before, events: [skip('meta', 'synthetic')] };
  }
  const told = announced(before, line, model);
  const id = textAt(line, 'uuid') || textAt(message, 'id');
  const content = readModelContent(told.state, valueAt(message, 'content'), id);
  const event: MessageEvent = {
    ...messageOf(told.session, id, line, 'assistant', content.parts),
    ...(model === '' ? {} : { model }),
  };
  const added = addLine(content.state.open, textAt(message, 'id') || id, event);
  if (!added.fresh) return { state: before, events: [skip('meta', 'repeated')] };
  const step: Step = {
    state: { ...content.state, open: added.open },
    events: [...told.events, ...content.skips, ...added.events],
  };
  return content.results.length === 0
    ? step
    : then(step, told.session, [
        messageOf(told.session, `${id}:result`, line, 'tool', content.results),
      ]);
}

type ModelContent = {
  readonly state: ClaudeState;
  readonly parts: readonly Part[];
  readonly results: readonly Part[];
  readonly skips: readonly SkipEvent[];
};

function readModelContent(before: ClaudeState, content: unknown, id: string): ModelContent {
  let state = before;
  const parts: Part[] = [];
  const results: Part[] = [];
  const skips: SkipEvent[] = [];
  for (const [at, block] of blocksOf(content).entries()) {
    const read = modelBlock(block, `${id}:${at}`);
    if (read.kind === 'parts') parts.push(...read.parts);
    else if (read.kind === 'unknown') skips.push(read.skip);
    else if (read.kind === 'call') {
      parts.push(read.call);
      const calls = rememberCall(state.calls, read.call.callId, read.call.tool);
      state = { ...state, calls };
    } else {
      const result = resultParts(block, state.calls);
      results.push(...result.parts);
      state = { ...state, calls: result.calls };
    }
  }
  if (parts.length === 0 && results.length === 0 && skips.length === 0) {
    skips.push(skip('meta', 'empty'));
  }
  return { state, parts, results, skips };
}

/** Emits messages after whatever the model still had open in their session. */
function then(step: Step, session: string, messages: readonly TranscriptEvent[]): Step {
  const before = tell(step.state.open, session);
  return {
    state: { ...step.state, open: before.open },
    events: [...step.events, ...before.events, ...messages],
  };
}

function messageOf(
  session: string,
  id: string,
  line: JsonObject,
  role: MessageEvent['role'],
  parts: readonly Part[],
): MessageEvent {
  return {
    type: 'message',
    sessionExternalId: session,
    externalId: id,
    idScope: UUID.test(id.slice(0, UUID_CHARS)) ? 'global' : 'session',
    role,
    author: '',
    at: timeAt(line, 'timestamp'),
    parts,
  };
}

const UUID_CHARS = 36;

function readUser(before: ClaudeState, line: JsonObject): Step {
  const message = objectAt(line, 'message');
  if (message === undefined) return { state: before, events: [skip('invalid', 'user')] };
  if (isTrueAt(line, 'isCompactSummary')) return only(before, skip('compaction', 'summary'));
  if (isTrueAt(line, 'isMeta')) return only(before, skip('injected', 'isMeta'));
  const origin = stringAt(objectAt(line, 'origin'), 'kind');
  if (origin !== '' && origin !== 'human') return only(before, skip('injected', origin));
  if (isTrueAt(line, 'isVisibleInTranscriptOnly')) return only(before, skip('meta', 'shown-only'));
  return readPerson(before, line, valueAt(message, 'content'));
}

const only = (state: ClaudeState, event: TranscriptEvent): Step => ({ state, events: [event] });

function readAttachment(before: ClaudeState, line: JsonObject): Step {
  const attachment = objectAt(line, 'attachment');
  const type = stringAt(attachment, 'type');
  const origin = stringAt(objectAt(attachment, 'origin'), 'kind');
  const mode = stringAt(attachment, 'commandMode');
  const typed =
    type === ATTACHMENT_OF_PERSON &&
    (mode === '' || mode === 'prompt') &&
    (origin === '' || origin === 'human') &&
    !isTrueAt(attachment, 'isMeta') &&
    !isTrueAt(line, 'isMeta');
  if (!typed) return only(before, skip('injected', type === '' ? 'attachment' : type));
  return readPerson(before, line, valueAt(attachment, 'prompt'));
}

/** A line in the person's name: results of tools, then words and pictures of the person. */
function readPerson(before: ClaudeState, line: JsonObject, content: unknown): Step {
  const told = announced(before, line, '');
  const id = textAt(line, 'uuid');
  let calls = told.state.calls;
  const results: Part[] = [];
  const parts: Part[] = [];
  const skips: SkipEvent[] = [];
  for (const block of blocksOf(content)) {
    const type = stringAt(block, 'type');
    if (isResult(block)) {
      const read = resultParts(block, calls);
      calls = read.calls;
      results.push(...read.parts);
    } else if (type === 'text' || documentText(block) !== '') {
      const said = personText(type === 'text' ? stringAt(block, 'text') : documentText(block));
      skips.push(...said.skips);
      parts.push(...textParts(said.text));
      if (said.shellOutput !== undefined) results.push(shellResult(id, said.shellOutput));
    } else {
      const images = imageOf(block);
      parts.push(...images);
      if (images.length === 0) skips.push(skip('unknown', `block ${type}`));
    }
  }
  const nothing = results.length + parts.length + skips.length === 0;
  const messages: TranscriptEvent[] = nothing ? [skip('meta', 'empty')] : [...skips];
  if (results.length > 0) messages.push(messageOf(told.session, id, line, 'tool', results));
  if (parts.length > 0) {
    const own = results.length > 0 ? `${id}:text` : id;
    messages.push(messageOf(told.session, own, line, 'user', parts));
  }
  const said = results.length > 0 || parts.length > 0;
  if (!said) return { state: before, events: messages };
  const step = then(
    { state: { ...told.state, calls }, events: told.events },
    told.session,
    messages,
  );
  if (results.length > 0) return step;
  return { ...step, state: { ...step.state, open: close(step.state.open, told.session) } };
}

const shellResult = (id: string, text: string): Part =>
  toolResult({ callId: id, tool: 'Bash', text, isError: false });
