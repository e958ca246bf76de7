/**
 * Scope: the passages that a query may find, laid out in a row.
 *
 *   position:  … [session 7: 0 1 2 3 4] · · · [session 9: 0 1 2]  (three free places between)
 *
 * Decides: that filters hold before anything is cut. Sessions come from a join with what they are
 * now (project, agent), so a session that was moved is right at once. A position stands for a
 * passage id; sessions are `WINDOW_PASSAGES` apart, so that a neighbour at position ± 3 is always
 * of the same session.
 */
import type { Store } from '@quipu/store';
import { SESSION_PASSAGES_MAX, WINDOW_PASSAGES } from './limits.ts';
import { stateOf } from './unchanged.ts';

export type ScopeFilters = {
  readonly projectId?: string | undefined;
  readonly sessionId?: string | undefined;
  readonly agent?: string | undefined;
  readonly kind?: string | undefined;
  readonly role?: string | undefined;
  /** Milliseconds since 1970; `beforeMs` exclusive, `afterMs` inclusive. */
  readonly beforeMs?: number | undefined;
  readonly afterMs?: number | undefined;
};

export type ScopeSession = {
  readonly number: number;
  /** Position of its first passage. */
  readonly base: number;
  readonly places: number;
  readonly chunks: number;
  readonly terms: number;
};

export type Scope = {
  readonly sessions: readonly ScopeSession[];
  /** Positions, free ones included. */
  readonly size: number;
  readonly chunks: number;
  readonly averageTerms: number;
  /** Per position 1 where allowed; undefined when every passage of these sessions is. */
  readonly allowed: Uint8Array | undefined;
  /** Position of a passage, or −1 when it is outside. */
  readonly positionOf: (chunkId: number) => number;
  readonly idAt: (position: number) => number;
  /** Index in `sessions` of the session at a position. */
  readonly sessionAt: (position: number) => number;
};

export function loadScope(store: Store, filters: ScopeFilters): Scope {
  const layout = layoutOf(store, filters);
  const ids = allowedIds(store, filters);
  return { ...layout, allowed: ids === undefined ? undefined : bitmap(layout, ids) };
}

type Layout = Omit<Scope, 'allowed'>;
type KeptLayout = { readonly state: string; readonly filters: string; readonly layout: Layout };

/** The layout of a connection's last query, kept while nothing was written. */
const kept = new WeakMap<Store, KeptLayout>();

function layoutOf(store: Store, filters: ScopeFilters): Layout {
  const state = stateOf(store);
  const key = JSON.stringify(filters);
  const known = kept.get(store);
  if (known?.state === state && known.filters === key) return known.layout;
  const layout = layOut(sessionRows(store, filters));
  kept.set(store, { state, filters: key, layout });
  return layout;
}

/** A map of positions that hold one of these passages. */
export function bitmap(
  scope: Pick<Scope, 'size' | 'positionOf'>,
  ids: readonly number[],
): Uint8Array {
  const map = new Uint8Array(scope.size);
  for (const id of ids) {
    const position = scope.positionOf(id);
    if (position >= 0) map[position] = 1;
  }
  return map;
}

type Row = readonly [number: number, next: number, chunks: number, terms: number];

function sessionRows(store: Store, filters: ScopeFilters): Row[] {
  const conditions: string[] = ['cs.next > 0'];
  const values: (string | number)[] = [];
  const add = (condition: string, ...more: readonly (string | number)[]): void => {
    conditions.push(condition);
    values.push(...more);
  };
  if (filters.projectId !== undefined) add('s.project_id = ?', filters.projectId);
  if (filters.agent !== undefined) add('s.agent = ?', filters.agent);
  if (filters.sessionId !== undefined) {
    add(
      `s.id IN (SELECT m.session_id FROM session_messages sm JOIN messages m
         ON m.id = sm.message_id WHERE sm.session_id = ?)`,
      filters.sessionId,
    );
  }
  if (filters.beforeMs !== undefined) add('(s.started_at < ?)', filters.beforeMs);
  if (filters.afterMs !== undefined) add('(s.ended_at >= ?)', filters.afterMs);
  const row = store.get(
    `SELECT json_group_array(json_array(number, next, chunks, terms)) AS list FROM
       (SELECT cs.number, cs.next, cs.chunks, cs.terms FROM chunk_sessions cs
        JOIN sessions s ON s.id = cs.session_id WHERE ${conditions.join(' AND ')}
        ORDER BY cs.number)`,
    values,
  ) as { list: string };
  return JSON.parse(row.list) as Row[];
}

function layOut(rows: readonly Row[]): Layout {
  const sessions: ScopeSession[] = [];
  const byNumber = new Map<number, ScopeSession>();
  let size = WINDOW_PASSAGES;
  let chunks = 0;
  let terms = 0;
  for (const [number, places, count, termCount] of rows) {
    const session = { number, base: size, places, chunks: count, terms: termCount };
    sessions.push(session);
    byNumber.set(number, session);
    size += places + WINDOW_PASSAGES;
    chunks += count;
    terms += termCount;
  }
  const sessionAt = (position: number): number => {
    let low = 0;
    let high = sessions.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((sessions[middle]?.base ?? 0) <= position) low = middle;
      else high = middle - 1;
    }
    return low;
  };
  // Posting lists are in order of id: the last session looked up is nearly always the next one too.
  let last: ScopeSession | undefined;
  const positionOf = (chunkId: number): number => {
    const number = Math.floor(chunkId / SESSION_PASSAGES_MAX);
    if (last?.number !== number) last = byNumber.get(number);
    if (last === undefined) return -1;
    const place = chunkId - number * SESSION_PASSAGES_MAX;
    return place < last.places ? last.base + place : -1;
  };
  const idAt = (position: number): number => {
    const session = sessions[sessionAt(position)];
    if (session === undefined) return -1;
    return session.number * SESSION_PASSAGES_MAX + position - session.base;
  };
  return {
    sessions,
    size,
    chunks,
    averageTerms: chunks === 0 ? 1 : Math.max(1, terms / chunks),
    positionOf,
    idAt,
    sessionAt,
  };
}

/** Passage ids under the filters that differ within a session; undefined without such a filter. */
function allowedIds(store: Store, filters: ScopeFilters): number[] | undefined {
  const conditions: string[] = [];
  const values: (string | number)[] = [];
  const add = (condition: string, value: string | number | undefined): void => {
    if (value === undefined) return;
    conditions.push(condition);
    values.push(value);
  };
  add('c.kind = ?', filters.kind);
  add('c.role = ?', filters.role);
  add('c.at < ?', filters.beforeMs);
  add('c.at >= ?', filters.afterMs);
  let from = 'chunks c';
  if (filters.sessionId !== undefined) {
    from = 'session_messages sm JOIN chunks c ON c.message_id = sm.message_id';
    add('sm.session_id = ?', filters.sessionId);
  }
  if (conditions.length === 0) return undefined;
  const row = store.get(
    `SELECT json_group_array(c.id) AS list FROM ${from} WHERE ${conditions.join(' AND ')}`,
    values,
  ) as { list: string };
  return JSON.parse(row.list) as number[];
}
