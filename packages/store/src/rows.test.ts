/** Codecs: what is written is read back equal, and what would not be is refused. */
import { epochMs } from '@quipu/base';
import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import { openSqlite, type SqliteValue } from './driver.ts';
import { decodeRow, encodeRow, insertSql, type Row } from './rows.ts';
import { type Column, ddlOf } from './schema.ts';
import { TABLES } from './tables.ts';
import { rowTables, sampleRows } from './testing/sample-rows.ts';

const database = openSqlite(':memory:');
for (const [name, declared] of Object.entries(TABLES)) {
  for (const sql of ddlOf(name, declared)) database.exec(sql);
}
afterAll(() => database.close());

const storableText = fc
  .string({ unit: 'binary' })
  .map((text) => text.replace(/[\p{Surrogate}\0]/gu, '�'));

function anyValue(spec: Column): fc.Arbitrary<SqliteValue> {
  const values: Record<Column['type'], fc.Arbitrary<SqliteValue>> = {
    text: storableText,
    integer: fc.maxSafeInteger(),
    real: fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => number + 0),
    blob: fc.uint8Array().map((bytes) => Uint8Array.from(bytes)),
  };
  const value = values[spec.type];
  return spec.nullable === true ? fc.option(value) : value;
}

describe('any row that the columns can hold comes back equal (Verifies: STORE-9)', () => {
  for (const name of rowTables()) {
    test(name, () => {
      const columns = TABLES[name].columns as Readonly<Record<string, Column>>;
      const insert = database.prepare(insertSql(name));
      const select = database.prepare(`SELECT * FROM ${name}`);
      const rows = fc.record(
        Object.fromEntries(Object.entries(columns).map(([key, spec]) => [key, anyValue(spec)])),
      ) as fc.Arbitrary<Record<string, SqliteValue>>;
      fc.assert(
        fc.property(rows, (row) => {
          database.exec(`DELETE FROM ${name}`);
          insert.run(...encodeRow(name, row as Row<typeof name>));
          const found = select.all() as Record<string, unknown>[];
          expect(found).toHaveLength(1);
          expect(decodeRow(name, found[0] ?? {})).toEqual(row);
        }),
      );
    });
  }
});

describe('what SQLite or a driver would change is a defect', () => {
  const part = sampleRows('parts')[0] as Row<'parts'>;
  const source = sampleRows('sources')[0] as Row<'sources'>;
  const vector = sampleRows('chunk_vectors')[0] as Row<'chunk_vectors'>;
  const refused: [string, () => unknown][] = [
    ['half of a surrogate pair', () => encodeRow('parts', { ...part, text: 'a\ud83d' })],
    ['a NUL, after which some drivers stop', () => encodeRow('parts', { ...part, text: 'a\0b' })],
    ['a fraction in a whole column', () => encodeRow('parts', { ...part, ordinal: 1.5 })],
    [
      'a whole number beyond 2^53',
      () => encodeRow('parts', { ...part, ordinal: Number.MAX_SAFE_INTEGER + 1 }),
    ],
    ['no number', () => encodeRow('sources', { ...source, mtime_ms: Number.NaN })],
    ['an infinite number', () => encodeRow('sources', { ...source, mtime_ms: Infinity })],
    ['null in a column without', () => encodeRow('parts', { ...part, text: null as never })],
    ['a missing column', () => encodeRow('parts', { message_id: 'm' } as never)],
    ['a list for bytes', () => encodeRow('chunk_vectors', { ...vector, vector: [1, 2] as never })],
    ['a record of another table', () => decodeRow('parts', { ...source })],
  ];
  for (const [what, act] of refused) test(what, () => expect(act).toThrow('hold'));
});

test('a type of a row has the brands and nulls of the registry', () => {
  const row: Row<'messages'> = {
    id: 'msg_1',
    session_id: 'ses_1',
    external_id: 'x',
    role: 'user',
    author: '',
    at: epochMs(5),
    model: null,
    digest: 'd',
  };
  // @ts-expect-error a plain number is no moment
  const wrong: Row<'messages'> = { ...row, at: 5 };
  expect(encodeRow('messages', wrong)).toEqual(['msg_1', 'ses_1', 'x', 'user', '', 5, null, 'd']);
});
