/**
 * Parser of Aider's chat history: Markdown that Aider appends to, one file a project.
 *
 *   # aider chat started at 2026-12-01 10:00:00      a session begins
 *   #### words of the person, each line with two blanks at its end
 *   > what Aider printed; of several lines only the first is quoted, the last has the two blanks
 *   anything else: the answer, after a blank line
 *
 *        header ──▶ preamble ──▶ user ⇄ answer ⇄ output      a block ends where another kind begins
 *
 * Decides: blocks are messages; the last one is held until another begins (`finish` gives it as it
 * stands). An answer may hold headings and quotes of its own: once the file has shown Aider's two
 * blanks, only lines that end in them are Aider's, and inside a code fence none is without them.
 * What stands right below a line that Aider printed is printed too, whatever it looks like: words
 * of the person and answers begin after a blank line.
 * A session is known by its start, its folder's name and its first words, so that a copied or moved
 * file is the same; one without words is not a session. Times are the start of the session, in the
 * zone of this machine: Aider records no other.
 */
import { digestOf } from '@quipu/base';
import type { MessageEvent, TranscriptEvent } from '@quipu/store';
import type { SourceContext, TranscriptParser } from '../reader.ts';
import { sessionEvent } from '../reading/announced.ts';
import { cleanText } from '../reading/feeds.ts';
import { HELD_CHARS_MAX } from '../reading/limits.ts';
import { skip, textParts, toolResult } from '../reading/parts.ts';

type Kind = 'user' | 'answer' | 'output';

export type AiderState = {
  readonly folder: string;
  /** As written in the header; empty before the first. */
  readonly startedAt: string;
  /** Empty until the person's first words are known. */
  readonly session: string;
  readonly model: string;
  readonly agentVersion: string;
  /** Blocks of this session so far: the place of the held one. */
  readonly place: number;
  readonly held: { readonly kind: Kind; readonly text: string } | null;
  readonly inFence: boolean;
  /** Aider's lines have been seen to end in two blanks. */
  readonly marked: boolean;
  /** What the line right above was, where it was Aider's own. */
  readonly above: 'header' | 'user' | 'output' | 'other';
  /** What Aider printed goes on until a line ends in two blanks. */
  readonly goesOn: boolean;
};

type Step = { state: AiderState; events: readonly TranscriptEvent[] };

export const aiderParser: TranscriptParser<AiderState> = {
  version: 2,
  initial: (context) => ({ folder: folderOf(context), ...FRESH, startedAt: '', marked: false }),
  read: (state, record) => readLine(state, record.text),
  finish: (state) => {
    const ended = endBlock(state);
    return { state: ended.state, events: ended.events };
  },
};

const FRESH = {
  session: '',
  model: '',
  agentVersion: '',
  place: 0,
  held: null,
  inFence: false,
  above: 'other',
  goesOn: false,
} as const;

function folderOf(context: SourceContext): string {
  const end = Math.max(context.path.lastIndexOf('/'), context.path.lastIndexOf('\\'));
  return cleanText(context.path.slice(0, Math.max(end, 0)));
}

const HEADER = /^# aider chat started at (\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2})\s*$/;

/** True for the line that a session begins with; what a file is told by. */
export const isAiderStart = (line: string): boolean => HEADER.test(line);

function readLine(state: AiderState, line: string): Step {
  const header = HEADER.exec(line);
  if (header !== null) {
    const ended = endBlock(state);
    const startedAt = header[1] ?? '';
    return {
      state: { ...ended.state, ...FRESH, startedAt, above: 'header' },
      events: ended.events,
    };
  }
  const { kind, text, isMarked } = kindOf(state, line);
  const current = placed(state, line, kind, isMarked);
  if (state.held?.kind === kind) return { state: extend(current, kind, text), events: [] };
  if (kind === 'answer' && text.trim() === '') return { state: current, events: [] };
  const ended = endBlock(current);
  return { state: extend(ended.state, kind, text), events: ended.events };
}

/** The state below this line. */
function placed(state: AiderState, line: string, kind: Kind, isMarked: boolean): AiderState {
  const marked = state.marked || (kind !== 'answer' && isMarked);
  const isBelowHeader = state.above === 'header' && line.trim() === '';
  const above = kind !== 'answer' ? kind : isBelowHeader ? 'header' : 'other';
  return { ...state, marked, above, goesOn: marked && kind === 'output' && !isMarked };
}

function kindOf(state: AiderState, line: string): { kind: Kind; text: string; isMarked: boolean } {
  const isMarked = line.endsWith('  ');
  const isQuote = /^>(?: |$)/.test(line);
  const output = { kind: 'output', text: line.replace(/^> ?/, '').trimEnd(), isMarked } as const;
  const isBelowOutput = state.marked && state.above === 'output' && line.trim() !== '';
  if (state.goesOn || isBelowOutput) return output;
  if (state.marked && isQuote && state.above !== 'other') return output;
  const isOwn = isMarked || (!state.marked && !state.inFence);
  if (isOwn && isQuote) return output;
  if (isOwn && /^####(?: |$)/.test(line)) {
    return { kind: 'user', text: line.slice(5).trimEnd(), isMarked };
  }
  return { kind: 'answer', text: line, isMarked };
}

function extend(state: AiderState, kind: Kind, text: string): AiderState {
  const before = state.held?.kind === kind ? state.held.text : undefined;
  const joined = before === undefined ? text : `${before}\n${text}`;
  const held = { kind, text: joined.length <= HELD_CHARS_MAX ? joined : cutOff(before ?? text) };
  const fence = kind === 'answer' && /^\s{0,3}(?:```|~~~)/.test(text);
  return { ...state, held, inFence: kind === 'answer' && state.inFence !== fence };
}

const CUT = '\n[the rest is left out]';

/** A block over the limit ends where it reached it, and says so once. */
function cutOff(text: string): string {
  return text.endsWith(CUT) ? text : `${text.slice(0, HELD_CHARS_MAX - CUT.length)}${CUT}`;
}

/** Ends the held block: a message, or a line about the program. */
function endBlock(state: AiderState): Step {
  const { held } = state;
  const rest = { ...state, held: null, inFence: false };
  if (held === null || state.startedAt === '') return { state: rest, events: [] };
  if (held.kind === 'output' && state.session === '') return readPreamble(rest, held.text);
  const words = held.text.trim();
  if (held.kind === 'user' && (words === '' || words === '<blank>')) {
    return { state: rest, events: [skip('meta', 'blank')] };
  }
  if (state.session === '' && held.kind === 'answer') {
    return { state: rest, events: [skip('meta', 'before the first words')] };
  }
  const begun = state.session === '' ? begin(rest, words) : { state: rest, events: [] };
  const message = messageOf(begun.state, held.kind, words);
  const told = message === undefined ? [skip('meta', 'token counts')] : [message];
  return {
    state: { ...begun.state, place: begun.state.place + 1 },
    events: [...begun.events, ...told],
  };
}

function readPreamble(state: AiderState, text: string): Step {
  const version = /^Aider v(\S{1,40})/m.exec(text)?.[1] ?? state.agentVersion;
  const model = /^(?:Main model|Models?): (\S{1,200})/m.exec(text)?.[1] ?? state.model;
  const known = { agentVersion: cleanText(version), model: cleanText(model) };
  return { state: { ...state, ...known }, events: [skip('meta', 'preamble')] };
}

function begin(state: AiderState, words: string): Step {
  const name = state.folder.split(/[\\/]/).at(-1) ?? '';
  // The first line alone: the block is not whole while Aider writes it.
  const mark = digestOf(name, cleanText(words.split('\n', 1)[0] ?? '')).slice(0, 12);
  const session = `${state.startedAt.replace(' ', 'T')}-${mark}`;
  const event = sessionEvent(session, {
    cwd: state.folder,
    model: state.model,
    agentVersion: state.agentVersion,
  });
  return { state: { ...state, session }, events: [event] };
}

/** Lines that count tokens and money: about the program, not about the work. */
const COUNTS = /^(?:Tokens: |Cost: |Warning: it's best to only add files).*$/;

function messageOf(state: AiderState, kind: Kind, words: string): MessageEvent | undefined {
  const base = {
    type: 'message',
    sessionExternalId: state.session,
    externalId: String(state.place),
    idScope: 'session',
    author: '',
    at: timeOfStart(state.startedAt),
  } as const;
  if (kind !== 'output') {
    const role = kind === 'user' ? 'user' : 'assistant';
    const model = role === 'assistant' && state.model !== '' ? { model: state.model } : {};
    return { ...base, role, ...model, parts: textParts(words) };
  }
  const lines = words.split('\n').filter((line) => !COUNTS.test(line));
  const text = lines.join('\n').trim();
  if (text === '') return undefined;
  const callId = `output-${state.place}`;
  return {
    ...base,
    role: 'tool',
    parts: [toolResult({ callId, tool: 'aider', text, isError: false })],
  };
}

/** `2026-12-01 10:00:00` on this machine's clock. */
function timeOfStart(text: string): number | undefined {
  const numbers = text.split(/\D/).map(Number);
  const [year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0] = numbers;
  const ms = new Date(year, month - 1, day, hour, minute, second).getTime();
  return Number.isFinite(ms) && ms > 0 ? ms : undefined;
}
