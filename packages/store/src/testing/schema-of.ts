/** What two schemas are compared by: every table and index with its SQL, white space folded. */
import { openSqlite, type SqliteDatabase } from '../driver.ts';

export function schemaOf(database: Pick<SqliteDatabase, 'prepare'>): Record<string, string> {
  const rows = database
    .prepare('SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY name')
    .all() as { name: string; sql: string }[];
  return Object.fromEntries(rows.map((row) => [row.name, folded(row.sql)]));
}

const folded = (sql: string): string =>
  sql.replace(/\s+/g, ' ').replace(/\( | \)/g, (edge) => edge.trim());

export function schemaAt(path: string): Record<string, string> {
  const database = openSqlite(path, { readOnly: true });
  try {
    return schemaOf(database);
  } finally {
    database.close();
  }
}
