/**
 * The pool: the passages that are scored exactly.
 *
 * Decides: who gets in. A small scope is scored whole. Of a larger one: the best by words
 * (neighbours' included), by identifiers and substrings, the nearest by vectors, and for a query
 * that names nothing but a time, the passages of that time.
 */
import type { Role, Store } from '@quipu/store';
import type { NamedTime } from './calendar.ts';
import { bestPositions, roughScores, type TermPostings } from './lexical.ts';
import { POOL_SUBSTRING_MAX, POOL_VECTORS_MAX, POOL_WHOLE_MAX, POOL_WORDS_MAX } from './limits.ts';
import type { Scope } from './scope.ts';
import type { Weights } from './weights.ts';

export type Passage = {
  readonly position: number;
  readonly id: number;
  readonly messageId: string;
  readonly partOrdinal: number;
  readonly kind: string;
  readonly role: Role;
  readonly author: string;
  readonly at: number | null;
  readonly ranked: boolean;
  readonly text: string;
  readonly terms: readonly string[];
};

export type PoolSources = {
  readonly terms: readonly TermPostings[];
  readonly identifiers: readonly TermPostings[];
  /** Positions that hold one of the query's words, or phrases, as a substring. */
  readonly substrings: ReadonlySet<number>;
  readonly nearest: readonly number[];
  readonly times: readonly NamedTime[];
};

export function choosePool(
  store: Store,
  scope: Scope,
  sources: PoolSources,
  weights: Weights,
): Passage[] {
  const { allowed } = scope;
  const positions = new Set<number>();
  const isAllowed = (position: number): boolean => allowed === undefined || allowed[position] === 1;
  if (scope.chunks <= POOL_WHOLE_MAX) {
    for (const session of scope.sessions) {
      for (let place = 0; place < session.places; place += 1) positions.add(session.base + place);
    }
  } else {
    const rough = roughScores(scope, [...sources.terms, ...sources.identifiers], weights);
    for (const position of bestPositions(rough, allowed, POOL_WORDS_MAX)) positions.add(position);
    for (const position of sources.nearest.slice(0, POOL_VECTORS_MAX)) positions.add(position);
  }
  const substrings = [...sources.substrings].filter(isAllowed).sort((a, b) => b - a);
  for (const position of substrings.slice(0, POOL_SUBSTRING_MAX)) positions.add(position);
  if (sources.terms.length === 0) {
    for (const time of sources.times) {
      for (const position of positionsOfTime(store, scope, time)) positions.add(position);
    }
  }
  return readPassages(store, scope, [...positions].filter(isAllowed)).filter(
    (passage) => passage.ranked || sources.substrings.has(passage.position),
  );
}

/** The first passages of a time that the scope allows: filters hold before anything is cut. */
function positionsOfTime(store: Store, scope: Scope, time: NamedTime): number[] {
  const row = store.get(
    `SELECT json_group_array(id) AS list FROM
       (SELECT c.id FROM messages m JOIN chunks c ON c.message_id = m.id
        WHERE m.at >= ? AND m.at < ? AND c.ranked = 1 ORDER BY m.at, c.id)`,
    [time.from, time.to],
  ) as { list: string };
  return (JSON.parse(row.list) as number[])
    .map((id) => scope.positionOf(id))
    .filter((at) => at >= 0 && (scope.allowed === undefined || scope.allowed[at] === 1))
    .slice(0, POOL_WORDS_MAX);
}

type Row = {
  readonly id: number;
  readonly message_id: string;
  readonly part_ordinal: number;
  readonly kind: string;
  readonly role: Role;
  readonly author: string;
  readonly at: number | null;
  readonly ranked: number;
  readonly text: string;
  readonly terms: string;
};

export function readPassages(store: Store, scope: Scope, positions: readonly number[]): Passage[] {
  const ids = positions
    .filter((position) => position >= 0)
    .map((position) => scope.idAt(position))
    .sort((a, b) => a - b);
  const rows = store.all(
    `SELECT c.id, c.message_id, c.part_ordinal, c.kind, c.role, m.author, c.at, c.ranked, c.text,
       c.terms FROM json_each(?) j CROSS JOIN chunks c ON c.id = j.value
     JOIN messages m ON m.id = c.message_id`,
    [JSON.stringify(ids)],
  ) as Row[];
  return rows.map((row) => ({
    position: scope.positionOf(row.id),
    id: row.id,
    messageId: row.message_id,
    partOrdinal: row.part_ordinal,
    kind: row.kind,
    role: row.role,
    author: row.author,
    at: row.at,
    ranked: row.ranked === 1,
    text: row.text,
    terms: row.terms === '' ? [] : row.terms.split(' '),
  }));
}
