/**
 * Row codecs, derived from `TABLES`: what a row is in the program, and what SQLite is given.
 *
 *   Row<'parts'>  ──encodeRow──▶  values in column order  ──SQLite──▶  record  ──decodeRow──▶  Row
 *
 * Decides: which values a column can hold without loss. What SQLite or a driver would change
 * silently (half of a surrogate pair, a NUL, a number that is no number, a whole number that a
 * double cannot hold) is a defect of the caller and is thrown before it is written.
 *
 * Invariant: STORE-9 (a row that is written is read back equal).
 */
import { assert, type EpochMs } from '@quipu/base';
import type { SqliteValue } from './driver.ts';
import type { Column, ColumnType } from './schema.ts';
import { TABLES } from './tables.ts';

/** The tables that have rows of their own; the others are full-text indexes. */
export type RowTable = {
  [N in keyof typeof TABLES]: (typeof TABLES)[N] extends { readonly kind: 'table' } ? N : never;
}[keyof typeof TABLES];

type ValueByType = { text: string; integer: number; real: number; blob: Uint8Array };

type ValueOf<C extends Column> =
  | (C extends { readonly unit: 'epoch-ms' } ? EpochMs : ValueByType[C['type']])
  | (C extends { readonly nullable: true } ? null : never);

type Columns<N extends RowTable> = (typeof TABLES)[N]['columns'];

/** A row of the table, as the registry declares it. */
export type Row<N extends RowTable> = {
  readonly [K in keyof Columns<N>]: Columns<N>[K] extends Column ? ValueOf<Columns<N>[K]> : never;
};

/** The statement that takes what `encodeRow` gives. */
export function insertSql(name: RowTable): string {
  const columns = columnsOf(name).map(([column]) => `"${column}"`);
  const marks = columns.map(() => '?');
  return `INSERT INTO "${name}" (${columns.join(', ')}) VALUES (${marks.join(', ')})`;
}

/** The row's values in the order of the table's columns. Throws on what would not come back. */
export function encodeRow<N extends RowTable>(name: N, row: Row<N>): SqliteValue[] {
  const given = row as Readonly<Record<string, unknown>>;
  return columnsOf(name).map(([column, spec]) => {
    const value = given[column];
    assert(isStorable(value, spec), `${name}.${column} cannot hold this value`);
    // SQLite keeps whole reals as integers, which have one zero.
    return Object.is(value, -0) ? 0 : value;
  });
}

/** The row that a `SELECT *` gave. Throws when it is none of this table. */
export function decodeRow<N extends RowTable>(
  name: N,
  found: Readonly<Record<string, unknown>>,
): Row<N> {
  const entries = columnsOf(name).map(([column, spec]) => {
    const value = found[column];
    assert(isStorable(value, spec), `${name}.${column} holds what it cannot hold`);
    return [column, value] as const;
  });
  return Object.fromEntries(entries) as Row<N>;
}

const columnsOf = (name: RowTable): [string, Column][] =>
  Object.entries(TABLES[name].columns as Readonly<Record<string, Column>>);

function isStorable(value: unknown, spec: Column): value is SqliteValue {
  return value === null ? spec.nullable === true : HOLDS[spec.type](value);
}

/** Half of a surrogate pair, which becomes another character; NUL, which may end the text. */
const LOST = /[\p{Surrogate}\0]/u;

const HOLDS: Readonly<Record<ColumnType, (value: unknown) => boolean>> = {
  text: (value) => typeof value === 'string' && !LOST.test(value),
  integer: (value) => Number.isSafeInteger(value),
  real: (value) => Number.isFinite(value),
  blob: (value) => value instanceof Uint8Array,
};
