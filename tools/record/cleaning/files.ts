/**
 * Copying the transcripts of a run into a fixture, cleaned.
 *
 * Decides: how each kind of file is read and written again. Lines of JSON stay byte for byte but
 * for what is taken away; a document keeps its indentation; a database is copied through SQLite's
 * own backup (what stands in its write-ahead log included), cleaned row by row and compacted, so
 * that nothing taken away stays in free pages. Other text is renamed only.
 */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { openSqlite, type SqliteDatabase } from '@quipu/store';
import { type Known, renamed, strippedValue } from './strip.ts';

/** Bytes of a database's page: one with many empty tables is then a fixture's size. */
const PAGE_BYTES = 1024;

/** Copies what is kept; returns the paths written, below `to`, with their sizes. */
export function copyCleaned(
  from: string,
  to: string,
  keeps: (path: string) => boolean,
  known: Known,
): readonly { readonly path: string; readonly bytes: number }[] {
  const kept = readdirSync(from, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(from.length + 1))
    .filter(keeps)
    .sort();
  return kept.map((path) => {
    const target = join(to, renamed(path, known));
    mkdirSync(dirname(target), { recursive: true });
    if (path.endsWith('.db')) copyDatabase(join(from, path), target, known);
    else writeFileSync(target, cleanedText(path, readFileSync(join(from, path), 'utf8'), known));
    return { path: target.slice(to.length + 1), bytes: readFileSync(target).length };
  });
}

export function cleanedText(path: string, text: string, known: Known): string {
  if (path.endsWith('.jsonl')) {
    return text
      .split('\n')
      .map((line) => cleanedJson(line, known))
      .join('\n');
  }
  return path.endsWith('.json') ? cleanedJson(text, known) : renamed(text, known);
}

/** The text itself where nothing is taken away, or where it is no JSON. */
function cleanedJson(text: string, known: Known): string {
  if (text.trim() === '') return text;
  const own = renamed(text, known);
  let value: unknown;
  try {
    value = JSON.parse(own);
  } catch (failure) {
    if (failure instanceof SyntaxError) return own;
    throw failure;
  }
  const stripped = strippedValue(value, known);
  if (JSON.stringify(stripped) === JSON.stringify(value)) return own;
  const indent = /^[[{]\n( +|\t)/.exec(own)?.[1];
  return `${JSON.stringify(stripped, null, indent)}${own.endsWith('\n') ? '\n' : ''}`;
}

function copyDatabase(from: string, to: string, known: Known): void {
  const source = openSqlite(from);
  source.prepare('VACUUM INTO ?').run(to);
  source.close();
  const copy = openSqlite(to);
  copy.exec('PRAGMA journal_mode = DELETE');
  for (const table of namesFrom(copy, "SELECT name FROM sqlite_schema WHERE type = 'table'")) {
    cleanTable(copy, table, known);
  }
  copy.exec(`PRAGMA page_size = ${PAGE_BYTES}`);
  copy.exec('VACUUM');
  copy.close();
}

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;

const namesFrom = (database: SqliteDatabase, sql: string): string[] =>
  database
    .prepare(sql)
    .all()
    .map((row) => String((row as { name: unknown }).name))
    .filter((name) => !name.startsWith('sqlite_'));

function cleanTable(database: SqliteDatabase, table: string, known: Known): void {
  for (const column of namesFrom(database, `SELECT name FROM pragma_table_info('${table}')`)) {
    const [at, of] = [quoted(column), quoted(table)];
    const rows = database
      .prepare(`SELECT rowid AS row, ${at} AS value FROM ${of} WHERE typeof(${at}) = 'text'`)
      .all() as { readonly row: number; readonly value: string }[];
    const put = database.prepare(`UPDATE ${of} SET ${at} = ? WHERE rowid = ?`);
    for (const { row, value } of rows) {
      const cleaned = cleanedJson(value, known);
      if (cleaned !== value) put.run(cleaned, row);
    }
  }
}
