/**
 * Admission: the only way into memory.
 *
 * Decides: what of a transcript is stored, in one transaction a batch, together with the cursor
 * that says how far the source was read. A crash leaves both or neither.
 *
 *   events ──▶ own output out ──▶ secrets out ──▶ │ sessions ▶ placement ▶ parts ▶ index ▶ cursor │
 *              (prepare, before the transaction)   └──────────────── one transaction ─────────────┘
 *
 * Caller: gives events in transcript order, all of one source, and one `Pass` per source; after a
 * throw it begins a
 *   new pass, since the old one has moved.
 * Not decided here: which message is which (`identity.ts`, `placement.ts`), what a secret is
 * (`../secrets`), how text is found again (`../recall`).
 *
 * Invariants: MEMORY-3 (nothing is stored, indexed or hashed before redaction), MEMORY-4 (what was
 * forgotten does not come back by import), MEMORY-5 (cursor and content commit together),
 * MEMORY-6 (an older state of a message never replaces a newer one).
 */
import { assert } from '@quipu/base';
import type { MessageEvent, Part, SessionEvent, Store, TranscriptEvent } from '@quipu/store';
import { OWN_CALLS_MAX, SESSIONS_A_PASS_MAX } from '../limits.ts';
import type { ProjectEvidence } from '../projects/resolve.ts';
import type { EventCleaner } from './clean-event.ts';
import { withoutState, withState } from './cursor-state.ts';
import { findTwin, linkFork } from './forks.ts';
import { contentDigest, isEarlierState, sessionId } from './identity.ts';
import { type Occurrences, type PassState, placeMessage, type SessionPass } from './placement.ts';
import {
  addRedactions,
  hasMessages,
  isForgotten,
  lastPosition,
  type MessageRow,
  readCursor,
  readParts,
  writeCursor,
  writeMessage,
} from './rows.ts';
import { rehome, touchSession, upsertSession } from './session-rows.ts';

/** Takes own output and secrets out of a message's parts. Pure; the same input, the same output. */
export type PartCleaner = (
  parts: readonly Part[],
  /** Ids of calls to Quipu made earlier in this pass. */
  ownCalls?: ReadonlySet<string>,
) => {
  readonly parts: readonly Part[];
  readonly redacted: Readonly<Record<string, number>>;
  readonly ownOutput: number;
  /** Ids of calls to Quipu among the parts; their results are Quipu's too. */
  readonly ownCalls: readonly string[];
};

/** Keeps the full-text index in step with the messages, inside the same transaction. */
export type MessageIndex = {
  readonly add: (messageId: string) => void;
  readonly remove: (messageId: string) => void;
};

export type SourceKey = { readonly agent: string; readonly path: string; readonly part: string };

/** How far a source has been read, as kept in `sources`. */
export type SourceCursor = {
  readonly position: number;
  readonly prefixDigest: string;
  readonly size: number;
  readonly mtimeMs: number;
  readonly readerVersion: number;
  /** The parser's state, plain JSON. */
  readonly parser: unknown;
};

export type StoredCursor = SourceCursor & { readonly pass: PassState };

export type Pass = {
  readonly source: SourceKey;
  readonly state: PassState;
  readonly occurrences: Occurrences;
  /** May have met sessions before its beginning whose state was not kept. */
  readonly resumed: boolean;
  /** Sessions whose state no longer fits in the pass. */
  readonly evicted: Set<string>;
};

export type AdmitBatch = {
  readonly pass: Pass;
  readonly events: readonly TranscriptEvent[];
  /** Attribution of the sessions named in the batch, by the agent's session id. */
  readonly projects: ReadonlyMap<string, ProjectEvidence>;
  readonly cursor: SourceCursor | undefined;
  /** The pass's place to keep with the cursor, where it is not the one after these events. */
  readonly place?: PassState;
};

export type AdmitOutcome = {
  /** Sessions that got their first message. */
  sessions: number;
  messages: number;
  /** Messages of which a later state was stored. */
  updated: number;
  duplicates: number;
  toolResults: number;
  skippedByReason: Record<string, number>;
  unknownTypes: Record<string, number>;
  redactedByKind: Record<string, number>;
};

export type AdmissionDeps = {
  readonly store: Store;
  readonly nowMs: () => number;
  readonly clean: PartCleaner;
  readonly cleanEvent: EventCleaner;
  readonly index: MessageIndex;
};

export type Admission = {
  /** The session without secrets: what its project is found from. */
  readonly cleanSession: (event: SessionEvent) => SessionEvent;
  readonly cursor: (source: SourceKey) => StoredCursor | undefined;
  /** `resume` continues where the cursor stands; without it the source is read from the start. */
  readonly begin: (source: SourceKey, resume?: StoredCursor) => Pass;
  readonly admit: (batch: AdmitBatch) => AdmitOutcome;
};

export function createAdmission(deps: AdmissionDeps): Admission {
  return {
    cleanSession: deps.cleanEvent.session,
    cursor: (source) => readCursor(deps.store, source),
    begin: (source, resume) => ({
      source,
      state: structuredClone(resume?.pass ?? { sessions: {} }),
      occurrences: new Map(),
      resumed: Object.keys(resume?.pass.sessions ?? {}).length >= SESSIONS_A_PASS_MAX,
      evicted: new Set(),
    }),
    admit: (batch) => admit(deps, batch),
  };
}

export const emptyOutcome = (): AdmitOutcome => ({
  sessions: 0,
  messages: 0,
  updated: 0,
  duplicates: 0,
  toolResults: 0,
  skippedByReason: {},
  unknownTypes: {},
  redactedByKind: {},
});

/** Adds the second outcome's counts to the first. */
export function addOutcome(total: AdmitOutcome, more: AdmitOutcome): void {
  for (const key of ['sessions', 'messages', 'updated', 'duplicates', 'toolResults'] as const) {
    total[key] += more[key];
  }
  for (const key of ['skippedByReason', 'unknownTypes', 'redactedByKind'] as const) {
    addCounts(total[key], more[key]);
  }
}

function addCounts(total: Record<string, number>, more: Readonly<Record<string, number>>): void {
  for (const [name, count] of Object.entries(more)) total[name] = (total[name] ?? 0) + count;
}

type Prepared = {
  readonly event: MessageEvent;
  readonly parts: readonly Part[];
  readonly digest: string;
  readonly redacted: Readonly<Record<string, number>>;
};

type PreparedEvent =
  | {
      readonly type: 'session';
      readonly event: SessionEvent;
      readonly evidence: ProjectEvidence | undefined;
    }
  | { readonly type: 'message'; readonly prepared: Prepared };

function admit(deps: AdmissionDeps, batch: AdmitBatch): AdmitOutcome {
  const outcome = emptyOutcome();
  const { pass } = batch;
  const prepared = batch.events.flatMap((event) => prepare(deps, batch, event, outcome));
  deps.store.transaction(() => {
    for (const item of prepared) {
      if (item.type === 'session') admitSession(deps, batch, item.event, item.evidence);
    }
    linkUndeclaredForks(deps.store, pass, prepared);
    let forgotten = false;
    for (const item of prepared) {
      if (item.type !== 'message') continue;
      if (!admitMessage(deps, pass, item.prepared, outcome)) forgotten = true;
    }
    addRedactions(deps.store, outcome.redactedByKind);
    if (batch.cursor !== undefined) {
      const kept = forgotten
        ? withoutState(batch.cursor)
        : withState(deps.cleanEvent, batch, batch.cursor);
      writeCursor(deps.store, pass.source, kept, deps.nowMs());
    }
  });
  return outcome;
}

function prepare(
  deps: AdmissionDeps,
  batch: AdmitBatch,
  event: TranscriptEvent,
  outcome: AdmitOutcome,
): PreparedEvent[] {
  if (event.type === 'session') return [prepareSession(deps, batch, event)];
  if (event.type === 'skip') {
    addCounts(outcome.skippedByReason, { [event.reason]: 1 });
    if (event.reason === 'unknown') addCounts(outcome.unknownTypes, { [event.what]: 1 });
    return [];
  }
  const { pass } = batch;
  const cleaned = deps.clean(event.parts, new Set(pass.state.ownCalls));
  const calls = [...(pass.state.ownCalls ?? []), ...cleaned.ownCalls];
  pass.state.ownCalls = calls.slice(-OWN_CALLS_MAX);
  addCounts(outcome.skippedByReason, cleaned.ownOutput > 0 ? { 'own-output': 1 } : {});
  if (cleaned.parts.length === 0) return [];
  const named = deps.cleanEvent.message(event);
  const digest = contentDigest(named.role, named.author, cleaned.parts);
  return [
    {
      type: 'message',
      prepared: { event: named, parts: cleaned.parts, digest, redacted: cleaned.redacted },
    },
  ];
}

function prepareSession(
  deps: AdmissionDeps,
  batch: AdmitBatch,
  event: SessionEvent,
): PreparedEvent {
  const found = batch.projects.get(event.externalId);
  const evidence = found === undefined ? undefined : deps.cleanEvent.evidence(found);
  return { type: 'session', event: deps.cleanEvent.session(event), evidence };
}

function admitSession(
  deps: AdmissionDeps,
  batch: AdmitBatch,
  event: SessionEvent,
  evidence: ProjectEvidence | undefined,
): void {
  const agent = batch.pass.source.agent;
  if (isForgotten(deps.store, 'session', sessionId(agent, event.externalId))) return;
  upsertSession(deps.store, {
    agent,
    event,
    evidence,
    nowMs: deps.nowMs(),
  });
}

/** False when it was forgotten. */
function admitMessage(
  deps: AdmissionDeps,
  pass: Pass,
  prepared: Prepared,
  outcome: AdmitOutcome,
): boolean {
  const { store } = deps;
  const { event, parts, digest } = prepared;
  const agent = pass.source.agent;
  const session = sessionId(agent, event.sessionExternalId);
  if (isForgotten(store, 'session', session)) {
    addCounts(outcome.skippedByReason, { forgotten: 1 });
    return false;
  }
  ensureSession(deps, agent, event.sessionExternalId);
  const place = sessionPass(store, pass, session);
  const first = place.last < 0 && !hasMessages(store, session);
  const occurrences = pass.occurrences;
  const placed = placeMessage(store, {
    agent,
    sessionId: session,
    event,
    digest,
    pass: place,
    occurrences,
  });
  if (first) outcome.sessions += 1;
  const row = { session, event, parts, digest };
  const forgotten = isForgotten(store, 'message', placed.messageId);
  if (forgotten && !placed.known) {
    // Its session was forgotten too, or the tombstone came first: only the place is kept.
    const { model: _model, ...rest } = event;
    const emptied = { ...row, event: { ...rest, author: '' }, parts: [] };
    writeMessage(store, placed.messageId, emptied);
    addCounts(outcome.skippedByReason, { forgotten: 1 });
    return false;
  }
  if (!placed.known) {
    writeMessage(store, placed.messageId, row);
    deps.index.add(placed.messageId);
    touchSession(store, session, event.at);
    outcome.messages += 1;
    outcome.toolResults += parts.filter((part) => part.type === 'tool_result').length;
    addCounts(outcome.redactedByKind, prepared.redacted);
    return true;
  }
  if (placed.joined) {
    touchSession(store, session, event.at);
    rehome(deps, placed.messageId, session);
  }
  if (!forgotten && replaceIfNewer(deps, placed.messageId, row, prepared, outcome)) return true;
  outcome.duplicates += 1;
  return !forgotten;
}

/** A later state of a known message is stored over the earlier one; never the other way round. */
function replaceIfNewer(
  deps: AdmissionDeps,
  messageId: string,
  row: MessageRow,
  prepared: Prepared,
  outcome: AdmitOutcome,
): boolean {
  const stored = deps.store.get('SELECT session_id, digest FROM messages WHERE id = ?', [
    messageId,
  ]) as { session_id: string; digest: string } | undefined;
  assert(stored !== undefined, 'a placed message is stored');
  if (stored.digest === prepared.digest) return false;
  if (isEarlierState(prepared.parts, readParts(deps.store, messageId))) return false;
  deps.index.remove(messageId);
  writeMessage(deps.store, messageId, { ...row, session: stored.session_id });
  deps.index.add(messageId);
  outcome.updated += 1;
  addCounts(outcome.redactedByKind, prepared.redacted);
  return true;
}

/**
 * The pass's place in a session. State is kept for the sessions met last; one that fell out, or may
 * have before the cursor, continues at its end. One that is met first is read from its beginning,
 * whatever another source has brought of it.
 */
function sessionPass(store: Store, pass: Pass, session: string): SessionPass {
  const { sessions } = pass.state;
  const known = sessions[session];
  if (known !== undefined) return known;
  const earlier = pass.resumed || pass.evicted.has(session);
  const fresh: SessionPass = {
    last: earlier ? lastPosition(store, session) : -1,
    shared: earlier ? null : undefined,
  };
  const ids = Object.keys(sessions);
  const oldest = ids[0];
  if (ids.length >= SESSIONS_A_PASS_MAX && oldest !== undefined) {
    pass.evicted.add(oldest);
    delete sessions[oldest];
  }
  sessions[session] = fresh;
  return fresh;
}

/** A message whose session was never announced still gets one, with what is known of it. */
function ensureSession(deps: AdmissionDeps, agent: string, externalId: string): void {
  const id = sessionId(agent, externalId);
  if (deps.store.get('SELECT 1 AS n FROM sessions WHERE id = ?', [id]) !== undefined) return;
  upsertSession(deps.store, {
    agent,
    event: { type: 'session', externalId },
    evidence: undefined,
    nowMs: deps.nowMs(),
  });
}

/**
 * Some programs copy a session without naming it. Two sessions of one agent that begin alike are a
 * fork only on evidence that cannot recur: a tool call id in what they share.
 */
function linkUndeclaredForks(store: Store, pass: Pass, prepared: readonly PreparedEvent[]): void {
  const bySession = new Map<string, Prepared[]>();
  for (const item of prepared) {
    if (item.type !== 'message' || item.prepared.event.externalId !== '') continue;
    const id = sessionId(pass.source.agent, item.prepared.event.sessionExternalId);
    bySession.set(id, [...(bySession.get(id) ?? []), item.prepared]);
  }
  for (const [id, messages] of bySession) {
    if (pass.state.sessions[id] !== undefined || hasMessages(store, id)) continue;
    const twin = findTwin(store, pass.source.agent, id, messages);
    if (twin !== undefined) linkFork(store, id, twin);
  }
}
