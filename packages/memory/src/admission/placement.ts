/**
 * Where a message belongs: found again, shared with a fork, or new.
 *
 * Decides, for one session and its messages in transcript order, which stored message an event is.
 * Runs inside the admission transaction, so that two importers of one file agree.
 *
 *   1. the same message of this session (by the agent's id, else the k-th of equal contents)
 *   2. the parent's message at the same place, while a fork still repeats its parent
 *   3. a child's message at the same place, when the fork was read before its parent
 *   4. new
 *
 * Order: positions are whole numbers without gaps. A message that a rewritten file has gained in
 * the middle is put after the one it follows there; what the file no longer has keeps its place.
 *
 * Invariants: MEMORY-1 (one event, one message, however often and from wherever it is delivered),
 * MEMORY-2 (a fork's shared prefix is stored once, in either order of arrival).
 */
import type { MessageEvent, Store } from '@quipu/store';
import { newMessageId } from './identity.ts';

/** Identity state of one reading pass over one source. Plain JSON: kept with the cursor. */
export type SessionPass = {
  /** Position of the last message of this session that the pass has met; -1 before the first. */
  last: number;
  /** That message: another source may since have put messages before it. */
  lastId?: string;
  /** Position in the parent (or in a child) of the last shared message; null once they part. */
  shared: SharedPlace | null | undefined;
};

type SharedPlace = { readonly with: string; readonly position: number; readonly id?: string };

export type PassState = {
  readonly sessions: Record<string, SessionPass>;
  /** Ids of the last calls to Quipu, whose results may come in later messages. */
  ownCalls?: readonly string[];
};

/**
 * What is counted in this pass and not persisted: occurrences of equal contents, by session and
 * digest; fork relatives, by session.
 */
export type Occurrences = Map<string, number>;

export type Placed = {
  readonly messageId: string;
  readonly known: boolean;
  /** Known, and newly made a member of this session (a fork's shared message). */
  readonly joined: boolean;
};

export type PlacementInput = {
  readonly agent: string;
  readonly sessionId: string;
  readonly event: MessageEvent;
  readonly digest: string;
  readonly pass: SessionPass;
  readonly occurrences: Occurrences;
};

type MemberRow = { readonly id: string; readonly digest: string; readonly position: number };

/** Finds or makes room for the message; adds the membership row. Call in transcript order. */
export function placeMessage(store: Store, input: PlacementInput): Placed {
  lookUpPlaces(store, input);
  const occurrence = nextOccurrence(store, input);
  const member = findMember(store, input, occurrence);
  if (member !== undefined) {
    moveOn(input.pass, member);
    followShared(store, input, member.id);
    return { messageId: member.id, known: true, joined: false };
  }
  const shared = findShared(store, input);
  const joined = shared === undefined ? undefined : placeIn(store, input.sessionId, shared);
  if (shared !== undefined && joined !== undefined) {
    // A fork that gave the shared message an id of its own, read anew.
    moveOn(input.pass, { id: shared, position: joined });
    return { messageId: shared, known: true, joined: false };
  }
  const messageId = shared ?? newMessageId(input.agent, input.event, input.digest, occurrence);
  const known = shared !== undefined || messageExists(store, messageId);
  insertMember(store, input, messageId);
  return { messageId, known, joined: known };
}

/** A place is remembered by its message, since positions move when messages are put before it. */
function lookUpPlaces(store: Store, { sessionId, pass }: PlacementInput): void {
  const { lastId, shared } = pass;
  if (lastId !== undefined) pass.last = placeIn(store, sessionId, lastId) ?? pass.last;
  if (shared?.id === undefined) return;
  const position = placeIn(store, shared.with, shared.id);
  if (position !== undefined) pass.shared = { ...shared, position };
}

function placeIn(store: Store, sessionId: string, messageId: string): number | undefined {
  const row = store.get(
    `SELECT position FROM session_messages WHERE message_id = ? AND session_id = ?
     ORDER BY position LIMIT 1`,
    [messageId, sessionId],
  ) as { position: number } | undefined;
  return row?.position;
}

function moveOn(pass: SessionPass, to: Pick<MemberRow, 'id' | 'position'>): void {
  if (to.position <= pass.last) return;
  pass.last = to.position;
  pass.lastId = to.id;
}

function nextOccurrence(store: Store, input: PlacementInput): number {
  if (input.event.externalId !== '') return 0;
  const key = `${input.sessionId}\n${input.digest}`;
  const seen =
    input.occurrences.get(key) ??
    countOf(
      store.get(
        `SELECT count(*) AS n FROM messages m CROSS JOIN session_messages sm
           ON sm.message_id = m.id AND sm.session_id = ? AND sm.position <= ?
         WHERE m.digest = ?`,
        [input.sessionId, input.pass.last, input.digest],
      ),
    );
  input.occurrences.set(key, seen + 1);
  return seen;
}

function countOf(row: unknown): number {
  return (row as { readonly n: number } | undefined)?.n ?? 0;
}

/**
 * The member that the event is. Its own id finds it at once; only a member that came from a fork
 * relative has another's. Never by looking through the session: that would make a long one cost the
 * square of its length (hence the fixed order of the joins).
 */
function findMember(
  store: Store,
  input: PlacementInput,
  occurrence: number,
): MemberRow | undefined {
  const { agent, event, sessionId, digest } = input;
  const own = newMessageId(agent, event, digest, occurrence);
  const member = store.get(
    `SELECT m.id, m.digest, sm.position FROM session_messages sm
     CROSS JOIN messages m ON m.id = sm.message_id
     WHERE sm.message_id = ? AND sm.session_id = ?`,
    [own, sessionId],
  ) as MemberRow | undefined;
  if (member !== undefined || !mayHaveGuests(store, input)) return member;
  const [column, value] =
    event.externalId === '' ? ['digest', digest] : ['external_id', event.externalId];
  return store.get(
    `SELECT m.id, m.digest, sm.position FROM messages m
     CROSS JOIN session_messages sm ON sm.message_id = m.id AND sm.session_id = ?
     WHERE m.${column} = ? ORDER BY sm.position LIMIT 1 OFFSET ?`,
    [sessionId, value, event.externalId === '' ? occurrence : 0],
  ) as MemberRow | undefined;
}

/**
 * Whether members of this session may be at home in another, under ids of that one. Asked once a
 * pass: links made while it runs lead to no guests before the next.
 */
function mayHaveGuests(store: Store, { event, sessionId, occurrences }: PlacementInput): boolean {
  if (event.idScope === 'global') return false;
  const key = `relatives\n${sessionId}`;
  const known = occurrences.get(key) ?? forkRelatives(store, sessionId).length;
  occurrences.set(key, known);
  return known > 0;
}

function messageExists(store: Store, id: string): boolean {
  return store.get('SELECT 1 AS n FROM messages WHERE id = ?', [id]) !== undefined;
}

/**
 * The message of a fork relative at the same place, if it says the same and all before it did.
 * A global id needs no alignment: a copy carries it.
 */
function findShared(store: Store, input: PlacementInput): string | undefined {
  const { pass, sessionId, digest } = input;
  if (pass.shared === null) return undefined;
  if (pass.shared !== undefined) {
    const next = memberAfter(store, pass.shared.with, pass.shared.position);
    if (next?.digest === digest) {
      pass.shared = { with: pass.shared.with, ...placeOf(next) };
      return next.id;
    }
    pass.shared = null;
    return undefined;
  }
  if (pass.last >= 0) return undefined;
  for (const relative of forkRelatives(store, sessionId)) {
    const first = memberAfter(store, relative, -1);
    if (first?.digest !== digest) continue;
    pass.shared = { with: relative, ...placeOf(first) };
    return first.id;
  }
  pass.shared = null;
  return undefined;
}

/** Keeps the alignment going over messages that are members already (a pass read anew). */
function followShared(store: Store, input: PlacementInput, messageId: string): void {
  const { pass, sessionId } = input;
  if (pass.shared === null) return;
  if (pass.shared === undefined) {
    const relative = forkRelatives(store, sessionId).find(
      (id) => memberAfter(store, id, -1)?.id === messageId,
    );
    const first = relative === undefined ? undefined : memberAfter(store, relative, -1);
    pass.shared =
      relative === undefined || first === undefined ? null : { with: relative, ...placeOf(first) };
    return;
  }
  const next = memberAfter(store, pass.shared.with, pass.shared.position);
  pass.shared = next?.id === messageId ? { with: pass.shared.with, ...placeOf(next) } : null;
}

/** The parent this session was forked from, then the forks of it that were read earlier. */
function forkRelatives(store: Store, sessionId: string): string[] {
  const rows = store.all(
    `SELECT p.id AS id, 0 AS rank FROM sessions s JOIN sessions p
       ON p.agent = s.agent AND p.external_id = s.parent_external_id
     WHERE s.id = ? AND s.parent_kind = 'fork'
     UNION
     SELECT c.id, 1 FROM sessions s JOIN sessions c
       ON c.agent = s.agent AND c.parent_external_id = s.external_id AND c.parent_kind = 'fork'
     WHERE s.id = ? ORDER BY rank, id LIMIT ?`,
    [sessionId, sessionId, FORK_RELATIVES_MAX],
  );
  return rows.map((row) => (row as { id: string }).id);
}

/** A session with more forks than this shares its prefix with the first ones only. */
const FORK_RELATIVES_MAX = 64;

const placeOf = ({ id, position }: MemberRow): Pick<MemberRow, 'id' | 'position'> => ({
  id,
  position,
});

function memberAfter(store: Store, sessionId: string, position: number): MemberRow | undefined {
  return store.get(
    `SELECT m.id, m.digest, sm.position FROM session_messages sm
     JOIN messages m ON m.id = sm.message_id
     WHERE sm.session_id = ? AND sm.position > ? ORDER BY sm.position LIMIT 1`,
    [sessionId, position],
  ) as MemberRow | undefined;
}

function insertMember(store: Store, input: PlacementInput, messageId: string): void {
  const { sessionId, pass } = input;
  const position = pass.last + 1;
  const taken = store.get(
    'SELECT 1 AS n FROM session_messages WHERE session_id = ? AND position = ?',
    [sessionId, position],
  );
  if (taken !== undefined) {
    // Two steps through negative numbers: a single shift would meet the primary key half way.
    store.run(
      `UPDATE session_messages SET position = -position - 1
       WHERE session_id = ? AND position >= ?`,
      [sessionId, position],
    );
    store.run(
      'UPDATE session_messages SET position = -position WHERE session_id = ? AND position < 0',
      [sessionId],
    );
  }
  store.run('INSERT INTO session_messages (session_id, position, message_id) VALUES (?, ?, ?)', [
    sessionId,
    position,
    messageId,
  ]);
  pass.last = position;
  pass.lastId = messageId;
}
