/**
 * Which sessions a parser has announced, and with what.
 *
 * Decides: a session event is emitted before its first message and again when something is learnt,
 * not before every message. Remembered are the sessions met last; announcing one again is harmless.
 * Plain JSON, newest last.
 */
import type { SessionEvent } from '@quipu/store';
import { ANNOUNCED_SESSIONS_MAX } from './limits.ts';

export type Announced = readonly SessionEvent[];

export type Announcement = {
  readonly announced: Announced;
  readonly events: readonly SessionEvent[];
};

/** The event, with what was known before, if that says more than what was announced. */
export function announce(announced: Announced, event: SessionEvent): Announcement {
  const at = announced.findLastIndex((one) => one.externalId === event.externalId);
  const before = announced[at];
  const merged = { ...before, ...event };
  if (JSON.stringify(before) === JSON.stringify(merged)) return { announced, events: [] };
  const others = announced.filter((_, index) => index !== at);
  const kept = others.slice(Math.max(0, others.length - ANNOUNCED_SESSIONS_MAX + 1));
  return { announced: [...kept, merged], events: [merged] };
}

/** The fields that are known: an empty string says nothing and is left out. */
export function sessionEvent(
  externalId: string,
  fields: { readonly [K in TextField]?: string },
  parent?: SessionEvent['parent'],
): SessionEvent {
  const known = TEXT_FIELDS.flatMap((name) => {
    const value = fields[name];
    return value === undefined || value === '' ? [] : [[name, value] as const];
  });
  return {
    type: 'session',
    externalId,
    ...Object.fromEntries(known),
    ...(parent === undefined || parent.externalId === '' ? {} : { parent }),
  };
}

const TEXT_FIELDS = [
  'cwd',
  'project',
  'gitRemote',
  'gitBranch',
  'title',
  'model',
  'agentVersion',
] as const;

type TextField = (typeof TEXT_FIELDS)[number];
