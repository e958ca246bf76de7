/**
 * Rows for every table of the registry, the same each time: what fixtures of old versions hold and
 * contract tests are fed with.
 */
import type { SqliteValue } from '../driver.ts';
import { encodeRow, insertSql, type Row, type RowTable } from '../rows.ts';
import type { Column } from '../schema.ts';
import type { Store } from '../store.ts';
import { TABLES } from '../tables.ts';

const ROWS = 3;

export const rowTables = (): RowTable[] =>
  Object.entries(TABLES).flatMap(([name, declared]) =>
    declared.kind === 'table' ? [name as RowTable] : [],
  );

export const fullTextTables = (): { name: string; column: string }[] =>
  Object.entries(TABLES).flatMap(([name, declared]) =>
    declared.kind === 'fts5' ? declared.columns.map((column) => ({ name, column })) : [],
  );

export function sampleRows<N extends RowTable>(name: N): Row<N>[] {
  const columns = Object.entries(TABLES[name].columns as Readonly<Record<string, Column>>);
  return Array.from({ length: ROWS }, (_, at) => {
    const entries = columns.map(([column, spec]) => [column, sampleValue(name, column, spec, at)]);
    return Object.fromEntries(entries) as Row<N>;
  });
}

function sampleValue(table: string, column: string, spec: Column, at: number): SqliteValue {
  if (at === 0 && spec.nullable === true) return null;
  switch (spec.type) {
    case 'text':
      return `${table}.${column} ${at} — größer 猫 🐈`;
    case 'integer':
      return spec.unit === 'epoch-ms' ? 1_790_000_000_000 + at : at + 1;
    case 'real':
      return at + 0.25;
    case 'blob':
      return Uint8Array.of(at, 0, 255);
  }
}

/** Writes the sample rows of every table, and a row in each full-text index. */
export function writeSampleRows(store: Store): void {
  store.transaction(() => {
    for (const name of rowTables()) {
      for (const row of sampleRows(name)) store.run(insertSql(name), encodeRow(name, row));
    }
    for (const { name, column } of fullTextTables()) {
      store.run(`INSERT INTO ${name} (rowid, ${column}) VALUES (1, 'quiet harbour')`);
    }
  });
}
