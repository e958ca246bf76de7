/**
 * What the Copilot CLI parser knows between two events, and whose event it reads.
 *
 * Decides: the session is the one that `session.start` names, before that the folder's or file's
 * name. Events of a sub-agent stand in its parent's file: `agentId` tells it (versions before 1.0:
 * the call that started it), and it is a session of its own below the parent.
 */
import type { SessionLink } from '@quipu/store';
import type { CallNames } from '../calls.ts';
import { firstStringAt, type JsonObject, objectAt, stringAt } from '../json.ts';
import type { SourceContext } from '../reader.ts';
import type { Announced } from '../reading/announced.ts';
import { cleanText } from '../reading/feeds.ts';

export type CopilotState = {
  readonly session: string;
  readonly cwd: string;
  readonly gitRemote: string;
  readonly gitBranch: string;
  readonly agentVersion: string;
  readonly model: string;
  readonly title: string;
  readonly announced: Announced;
  readonly calls: CallNames;
  /** Reasoning told by an event of its own, for the message that follows it. */
  readonly reasoning: string;
};

export function initialState(context: SourceContext): CopilotState {
  const steps = context.path.split(/[\\/]/);
  const name = steps.at(-1) ?? '';
  const own = name === 'events.jsonl' ? (steps.at(-2) ?? '') : name.replace(/\.jsonl?$/, '');
  return {
    session: cleanText(own.replace(/^session_(.+)_\d+$/, '$1')) || 'unnamed',
    cwd: '',
    gitRemote: '',
    gitBranch: '',
    agentVersion: '',
    model: '',
    title: '',
    announced: [],
    calls: [],
    reasoning: '',
  };
}

export const textAt = (source: unknown, key: string): string => cleanText(stringAt(source, key));

/** The state after an event that tells about the session: start, change of place or model. */
export function withNews(state: CopilotState, data: JsonObject): CopilotState {
  const place = objectAt(data, 'context') ?? data;
  const session = textAt(data, 'sessionId');
  const model = cleanText(firstStringAt(data, 'newModel', 'selectedModel'));
  const branch = textAt(place, 'branch');
  const title = textAt(data, 'title');
  return {
    ...state,
    session: session === '' ? state.session : session,
    // Where the session was started; going elsewhere does not move it.
    cwd: state.cwd === '' ? textAt(place, 'cwd') : state.cwd,
    gitRemote: state.gitRemote === '' ? remoteOf(place) : state.gitRemote,
    gitBranch: branch === '' ? state.gitBranch : branch,
    agentVersion: textAt(data, 'copilotVersion') || state.agentVersion,
    model: model === '' ? state.model : model,
    title: title === '' ? state.title : title,
  };
}

/** Recorded is `owner/name`, and the host where it is not GitHub's. */
function remoteOf(place: JsonObject): string {
  const repository = textAt(place, 'repository');
  if (!/^[\w.-]{1,100}\/[\w.-]{1,100}$/.test(repository)) return '';
  const host = textAt(place, 'repositoryHost');
  return `https://${/^[\w.-]{1,200}$/.test(host) ? host : 'github.com'}/${repository}`;
}

export type Place = { readonly session: string; readonly parent: SessionLink | undefined };

export function placeOf(state: CopilotState, event: JsonObject, data: JsonObject): Place {
  const agent =
    textAt(event, 'agentId') || textAt(data, 'agentId') || textAt(data, 'parentToolCallId');
  if (agent === '') return { session: state.session, parent: undefined };
  return {
    session: `${state.session}:agent-${agent}`,
    parent: { externalId: state.session, kind: 'subagent' },
  };
}
