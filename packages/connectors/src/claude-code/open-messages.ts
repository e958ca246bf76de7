/**
 * One message of the model over several lines.
 *
 * Claude Code writes a line for each content block; lines of one API message share `message.id`.
 * With tools that run while the model still streams, results stand between them.
 *
 *   line A1 ──▶ open ──▶ (result line of the same session) told ──▶ line A2 ──▶ told again, longer
 *
 * Decides: the message is told when another of its session begins, or at the end of the records,
 * and again whole when it grew; its id is the first line's. Open messages are few and bounded; one
 * that is no longer open simply is not joined any more.
 */
import type { MessageEvent, Part } from '@quipu/store';
import { OPEN_MESSAGE_CHARS_MAX, OPEN_MESSAGE_LINES_MAX, OPEN_MESSAGES_MAX } from './limits.ts';

export type OpenMessage = {
  readonly session: string;
  readonly apiId: string;
  /** Ids of the lines so far; the first is the message's. */
  readonly lines: readonly string[];
  readonly event: MessageEvent;
  /** Its present state has been emitted. */
  readonly told: boolean;
};

export type Opened = {
  readonly open: readonly OpenMessage[];
  readonly events: readonly MessageEvent[];
  /** False when the very line has been read before. */
  readonly fresh: boolean;
};

/** Adds a line: to the open message of the same API id, or as a new one. */
export function addLine(open: readonly OpenMessage[], apiId: string, event: MessageEvent): Opened {
  const session = event.sessionExternalId;
  const same = (one: OpenMessage): boolean => one.session === session && one.apiId === apiId;
  const found = apiId === '' ? undefined : open.find(same);
  if (found === undefined) {
    const before = tell(open, session);
    const added = { session, apiId, lines: [event.externalId], event, told: false };
    return keepFew([...before.open, added], before.events);
  }
  if (found.lines.includes(event.externalId)) return { open, events: [], fresh: false };
  const before = tell(open, session, found);
  const grown: OpenMessage = {
    ...found,
    lines: [...found.lines, event.externalId],
    event: { ...found.event, parts: [...found.event.parts, ...event.parts] },
    told: false,
  };
  return keepFew([...before.open.filter((one) => !same(one)), grown], before.events);
}

/** Emits what is not told yet of a session (of all, without one). */
export function tell(
  open: readonly OpenMessage[],
  session?: string,
  except?: OpenMessage,
): { readonly open: readonly OpenMessage[]; readonly events: readonly MessageEvent[] } {
  const due = (one: OpenMessage): boolean =>
    !one.told && one !== except && (session === undefined || one.session === session);
  return {
    open: open.map((one) => (due(one) ? { ...one, told: true } : one)),
    events: open.filter((one) => due(one) && one.event.parts.length > 0).map((one) => one.event),
  };
}

/** A new prompt of the person: what came before it in the session does not grow any more. */
export function close(open: readonly OpenMessage[], session: string): readonly OpenMessage[] {
  return open.filter((one) => one.session !== session);
}

function keepFew(open: readonly OpenMessage[], events: readonly MessageEvent[]): Opened {
  const leaving = open.filter(
    (one, at) =>
      at < open.length - OPEN_MESSAGES_MAX ||
      one.lines.length >= OPEN_MESSAGE_LINES_MAX ||
      charsOf(one.event.parts) > OPEN_MESSAGE_CHARS_MAX,
  );
  const last = tell(leaving).events;
  return {
    open: open.filter((one) => !leaving.includes(one)),
    events: [...events, ...last],
    fresh: true,
  };
}

function charsOf(parts: readonly Part[]): number {
  return parts.reduce((sum, part) => {
    if (part.type === 'tool_call') return sum + part.input.length;
    return 'text' in part ? sum + part.text.length : sum;
  }, 0);
}
