/**
 * A recorded fixture as people write down what is in it. For tests only.
 *
 * Decides: the shape of `expected.json`, and how much of a text it quotes: enough to tell that the
 * right text came out of the right place, little enough to be written by hand.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { MessageEvent, Part, SessionEvent, TranscriptEvent } from '@quipu/store';
import type { AgentEntry, FoundSource } from '../reader.ts';

export const FIXTURES = resolve(import.meta.dirname, '../../fixtures');
/** Code points of a text that are written down. */
const QUOTED = 60;

export type Expected = {
  /** What the situation shows, in a sentence. */
  readonly shows: string;
  /** By the agent's own session id. */
  readonly sessions: Readonly<Record<string, ExpectedSession>>;
  /** How often each kind of line without a message comes, as `reason/what`. */
  readonly skips: Readonly<Record<string, number>>;
};

export type ExpectedSession = {
  readonly cwd: string;
  /** `fork of ID`, `subagent of ID`, or empty. */
  readonly parent: string;
  /** A message a list: its role, then its parts as `quoted` says them. */
  readonly messages: readonly (readonly string[])[];
};

export type Fixture = { readonly name: string; readonly agent: string; readonly folder: string };

/** Every fixture: `AGENT-VERSION/SITUATION`. */
export function fixtures(agents: readonly AgentEntry[]): Fixture[] {
  return readdirSync(FIXTURES).flatMap((program) => {
    const agent = agents.find(({ name }) => program.startsWith(`${name}-`));
    if (agent === undefined) throw new Error(`${program} is a fixture of no agent`);
    return readdirSync(join(FIXTURES, program)).map((situation) => ({
      name: `${program}/${situation}`,
      agent: agent.name,
      folder: join(FIXTURES, program, situation),
    }));
  });
}

export const expectedOf = (fixture: Fixture): Expected =>
  JSON.parse(readFileSync(join(fixture.folder, 'expected.json'), 'utf8')) as Expected;

export type ReadSource = { readonly source: FoundSource; readonly texts: readonly string[] };

/** The sources that the finder sees in a fixture's home, with their records. */
export async function sourcesOf(agent: AgentEntry, home: string): Promise<ReadSource[]> {
  const found: ReadSource[] = [];
  for await (const source of agent.reader.find({ home, env: {}, platform: 'linux' })) {
    const texts: string[] = [];
    for await (const record of agent.reader.feed(source, 0)) texts.push(record.text);
    found.push({ source, texts });
  }
  return found;
}

/**
 * What was read, in the words of `expected.json`; later events win, as in admission. A folder that
 * is known by its place alone is below `/home/dev`, as in the recording.
 */
export function described(
  events: readonly TranscriptEvent[],
  home: string,
): Omit<Expected, 'shows'> {
  const sessions = new Map<string, SessionEvent>();
  const messages = new Map<string, Map<string, MessageEvent>>();
  const skips: Record<string, number> = {};
  for (const [at, event] of events.entries()) {
    if (event.type === 'skip') {
      const kind = `${event.reason}/${event.what}`;
      skips[kind] = (skips[kind] ?? 0) + 1;
    } else if (event.type === 'session') {
      sessions.set(event.externalId, { ...sessions.get(event.externalId), ...event });
    } else {
      const session = messages.get(event.sessionExternalId) ?? new Map<string, MessageEvent>();
      session.set(event.externalId === '' ? `#${at}` : event.externalId, event);
      messages.set(event.sessionExternalId, session);
    }
  }
  const ids = [...new Set([...sessions.keys(), ...messages.keys()])].sort();
  return {
    sessions: Object.fromEntries(
      ids.map((id) => {
        const { cwd, ...rest } = session(sessions.get(id), messages.get(id));
        return [id, { cwd: cwd.replace(home, '/home/dev'), ...rest }];
      }),
    ),
    skips,
  };
}

function session(
  event: SessionEvent | undefined,
  messages: ReadonlyMap<string, MessageEvent> | undefined,
): ExpectedSession {
  const { parent } = event ?? {};
  return {
    cwd: event?.cwd ?? '',
    parent: parent === undefined ? '' : `${parent.kind} of ${parent.externalId}`,
    messages: [...(messages?.values() ?? [])].map(({ role, parts }) => [role, ...parts.map(said)]),
  };
}

function said(part: Part): string {
  switch (part.type) {
    case 'text':
      return quoted(part.text);
    case 'reasoning':
      return `(thinks) ${quoted(part.text)}`;
    case 'tool_call':
      return `${part.tool} <- ${quoted(part.input)}`;
    case 'tool_result':
      return `${part.tool} -> ${part.isError ? '(error) ' : ''}${quoted(part.text)}`;
    case 'image_ref':
      return `(image ${part.mediaType})`;
  }
}

function quoted(text: string): string {
  const points = [...text];
  return points.length <= QUOTED ? text : `${points.slice(0, QUOTED).join('')}…`;
}
