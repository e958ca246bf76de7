/**
 * What the Codex parser knows between two lines: which session this is and where it came from.
 *
 * Decides: the first `session_meta` is this file's; a later one of another id is its parent's,
 * copied by a fork of an older version. Without any (2025's first versions began with a bare
 * object) the file's name tells: `rollout-<time>-<session id>.jsonl`.
 */
import type { SessionLink } from '@quipu/store';
import type { CallNames } from '../calls.ts';
import { firstStringAt, type JsonObject, objectAt, stringAt } from '../json.ts';
import type { SourceContext } from '../reader.ts';
import type { Announced } from '../reading/announced.ts';
import { cleanText } from '../reading/feeds.ts';
import type { KnownIds } from '../reading/known.ts';

export type CodexState = {
  readonly session: string;
  /** A line of this file has told the session. */
  readonly met: boolean;
  readonly parent: SessionLink | null;
  readonly cwd: string;
  readonly gitRemote: string;
  readonly gitBranch: string;
  readonly agentVersion: string;
  readonly model: string;
  readonly title: string;
  readonly announced: Announced;
  readonly calls: CallNames;
  readonly known: KnownIds;
};

export function initialState(context: SourceContext): CodexState {
  const name = (context.path.split(/[\\/]/).at(-1) ?? '').replace(/\.jsonl?$/, '');
  const id = /^rollout-.*?((?:[0-9a-f]{8}-)(?:[0-9a-f]{4}-){3}[0-9a-f]{12})$/i.exec(name)?.[1];
  return {
    session: cleanText(id ?? name) || 'unnamed',
    met: false,
    parent: null,
    cwd: '',
    gitRemote: '',
    gitBranch: '',
    agentVersion: '',
    model: '',
    title: '',
    announced: [],
    calls: [],
    known: [],
  };
}

const textAt = (source: unknown, key: string): string => cleanText(stringAt(source, key));

/** The state after a `session_meta` (or the bare first line of old versions). */
export function withMeta(state: CodexState, meta: JsonObject): CodexState {
  const id = cleanText(firstStringAt(meta, 'id', 'session_id'));
  if (state.met) {
    if (id === '' || id === state.session || state.parent !== null) return state;
    return { ...state, parent: { externalId: id, kind: 'fork' } };
  }
  const git = objectAt(meta, 'git');
  const session = id === '' ? state.session : id;
  return {
    ...state,
    session,
    met: true,
    parent: parentOf(meta, session) ?? null,
    cwd: textAt(meta, 'cwd'),
    gitRemote: textAt(git, 'repository_url'),
    gitBranch: textAt(git, 'branch'),
    agentVersion: textAt(meta, 'cli_version'),
    title: textAt(meta, 'agent_nickname'),
  };
}

/**
 * A fork is linked as a fork even when a sub-agent was given it: its copied messages are to be
 * stored once.
 */
function parentOf(meta: JsonObject, session: string): SessionLink | undefined {
  const forked = textAt(meta, 'forked_from_id');
  if (forked !== '' && forked !== session) return { externalId: forked, kind: 'fork' };
  const subagent = objectAt(objectAt(meta, 'source'), 'subagent');
  const spawned = textAt(objectAt(subagent, 'thread_spawn'), 'parent_thread_id');
  const named = [textAt(meta, 'parent_thread_id'), spawned, textAt(meta, 'session_id')];
  const parent = named.find((one) => one !== '' && one !== session);
  return parent === undefined ? undefined : { externalId: parent, kind: 'subagent' };
}
