/**
 * What the Claude Code parser knows between two lines, and whose line it reads.
 *
 * Decides: which session a line belongs to.
 *   <session>.jsonl                        the session is the file's name
 *   <session>/subagents/agent-<id>.jsonl   a sub-agent; its lines carry the parent's `sessionId`
 *   any other name (a copy)                the first `sessionId` in it
 *   `isSidechain` without `agentId`        a sub-agent inside its parent's file (versions before
 *                                          1.0.9x), followed from line to line by `parentUuid`
 * A line that names another session than its file, or where it was forked from, tells the parent.
 */
import type { SessionLink } from '@quipu/store';
import type { CallNames } from '../calls.ts';
import { firstStringAt, isTrueAt, type JsonObject, objectAt, stringAt } from '../json.ts';
import type { SourceContext } from '../reader.ts';
import type { Announced } from '../reading/announced.ts';
import { cleanText } from '../reading/feeds.ts';
import { CHAIN_IDS_MAX, CHAINS_MAX, RECENT_LINES_MAX } from './limits.ts';
import type { OpenMessage } from './open-messages.ts';

/** A sub-agent inside its parent's file: its session and the ids of its last lines. */
export type Chain = { readonly session: string; readonly ids: readonly string[] };

export type ClaudeState = {
  /** The main session's id; empty until it is known. */
  readonly session: string;
  /** The sub-agent's id when the whole file is one; else empty. */
  readonly agent: string;
  /** The session that this one was forked from; empty when none. */
  readonly forkOf: string;
  readonly title: string;
  readonly titleRank: number;
  readonly announced: Announced;
  readonly open: readonly OpenMessage[];
  readonly calls: CallNames;
  readonly chains: readonly Chain[];
  readonly recent: readonly string[];
};

export function initialState(context: SourceContext): ClaudeState {
  const steps = context.path.split(/[\\/]/);
  const name = (steps.at(-1) ?? '').replace(/\.jsonl$/, '');
  const agent = /^agent-(.+)$/.exec(name)?.[1] ?? '';
  const folder = steps.at(-2) === 'subagents' ? (steps.at(-3) ?? '') : '';
  return {
    session: UUID.test(name) ? name : UUID.test(folder) ? folder : '',
    agent: cleanText(agent),
    forkOf: '',
    title: '',
    titleRank: 0,
    announced: [],
    open: [],
    calls: [],
    chains: [],
    recent: [],
  };
}

/** Ids that Claude Code makes; such an id is the same message wherever it stands. */
export const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

export type Place = {
  readonly state: ClaudeState;
  readonly session: string;
  readonly parent: SessionLink | undefined;
};

/** The session of a line that has `uuid`, `sessionId` and so on. */
export function placeOf(before: ClaudeState, line: JsonObject): Place {
  const named = cleanText(stringAt(line, 'sessionId'));
  const state = before.session === '' ? { ...before, session: named } : before;
  const main = state.session === '' ? 'unnamed' : state.session;
  if (state.agent !== '') return subAgent(state, main, `agent-${state.agent}`);
  if (isTrueAt(line, 'isSidechain')) {
    const agent = cleanText(stringAt(line, 'agentId'));
    return agent === '' ? chainOf(state, main, line) : subAgent(state, main, `agent-${agent}`);
  }
  const forkedFrom = cleanText(stringAt(objectAt(line, 'forkedFrom'), 'sessionId'));
  const other = forkedFrom === '' ? named : forkedFrom;
  const forkOf = state.forkOf === '' && other !== main ? other : state.forkOf;
  const parent = forkOf === '' ? undefined : { externalId: forkOf, kind: 'fork' as const };
  return { state: { ...state, forkOf }, session: main, parent };
}

function subAgent(state: ClaudeState, main: string, name: string): Place {
  return {
    state,
    session: `${main}:${name}`,
    parent: { externalId: main, kind: 'subagent' },
  };
}

function chainOf(state: ClaudeState, main: string, line: JsonObject): Place {
  const id = cleanText(stringAt(line, 'uuid'));
  const after = cleanText(firstStringAt(line, 'parentUuid', 'logicalParentUuid'));
  const joined =
    after === ''
      ? undefined
      : (state.chains.findLast((chain) => chain.ids.includes(after)) ?? state.chains.at(-1));
  const session = joined?.session ?? `${main}:sidechain-${id}`;
  const ids = [...(joined?.ids ?? []), id].slice(-CHAIN_IDS_MAX);
  const others = state.chains.filter((chain) => chain !== joined).slice(1 - CHAINS_MAX);
  return {
    state: { ...state, chains: [...others, { session, ids }] },
    session,
    parent: { externalId: main, kind: 'subagent' },
  };
}

/** Remembers the line's id, so that a summary that names it is known to be of this session. */
export function withRecent(state: ClaudeState, line: JsonObject): ClaudeState {
  const id = stringAt(line, 'uuid');
  if (!UUID.test(id)) return state;
  return { ...state, recent: [...state.recent, id].slice(-RECENT_LINES_MAX) };
}
