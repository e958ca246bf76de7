/** Contract of the registry: what an entry of `TABLES` owes. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { testKernel } from '@quipu/kernel';
import { describe, expect, test } from 'vitest';
import { openSqlite } from './driver.ts';
import { SCHEMA_VERSION } from './migrations.ts';
import { openStore, STORE_FILE } from './open.ts';
import { ddlOf, type Table } from './schema.ts';
import { TABLES } from './tables.ts';
import { schemaAt, schemaOf } from './testing/schema-of.ts';

const plainTables = (): [string, Table][] =>
  Object.entries(TABLES).flatMap(([name, declared]) =>
    declared.kind === 'table' ? [[name, declared as Table] as [string, Table]] : [],
  );

describe('TABLES', () => {
  for (const [name, declared] of plainTables()) {
    test(`${name} is keyed and indexed by columns of its own, keys never null`, () => {
      const columns = Object.keys(declared.columns);
      expect(declared.primaryKey.length).toBeGreaterThan(0);
      for (const column of [...declared.primaryKey, ...declared.indexes.flat()]) {
        expect(columns).toContain(column);
      }
      for (const column of declared.primaryKey) {
        expect(declared.columns[column]?.nullable).not.toBe(true);
      }
    });

    test(`${name} travels between machines only when it cannot be made again`, () => {
      if (declared.tier === 'source') expect(declared.replication).not.toBe('none');
      else expect(declared.replication).toBe('none');
    });

    test(`${name} has moments in whole milliseconds alone`, () => {
      for (const [column, spec] of Object.entries(declared.columns)) {
        if (spec.unit !== undefined) expect(spec.type).toBe('integer');
        if (/^at$|_at$/.test(column)) expect(spec.unit).toBe('epoch-ms');
      }
    });
  }

  test('a full-text index names the table whose rows it finds, keyed by one whole number', () => {
    for (const declared of Object.values(TABLES)) {
      if (declared.kind !== 'fts5') continue;
      const of = plainTables().find(([name]) => name === declared.of)?.[1];
      expect(of?.primaryKey).toHaveLength(1);
      expect(of?.columns[of.primaryKey[0] ?? '']?.type).toBe('integer');
    }
  });

  test('nothing of the registry can be changed', () => {
    expect(() => Object.assign(TABLES, { more: 1 })).toThrow(TypeError);
    expect(() => Object.assign(TABLES.parts.columns.text, { nullable: true })).toThrow(TypeError);
    expect(() => Array.prototype.push.call(TABLES.parts.primaryKey, 'x')).toThrow(TypeError);
  });

  test('the migrated schema is the one that the registry makes (Verifies: STORE-1)', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'quipu-store-'));
    const opened = await openStore({ directory: folder, kernel: testKernel() });
    if (!opened.ok) throw new Error(opened.error.message);
    opened.value.close();
    const fresh = openSqlite(':memory:');
    for (const [name, declared] of Object.entries(TABLES)) {
      for (const sql of ddlOf(name, declared)) fresh.exec(sql);
    }
    expect(schemaAt(join(folder, STORE_FILE))).toEqual(schemaOf(fresh));
    fresh.close();
    rmSync(folder, { recursive: true, force: true });
  });

  test('every column that may hold what people and agents wrote is encrypted', () => {
    const plain = plainTables().flatMap(([name, { columns, tier }]) =>
      Object.entries(columns)
        .filter(([, spec]) => spec.type === 'text' && spec.encrypted !== true && tier === 'source')
        .map(([column]) => `${name}.${column}`),
    );
    // Ids, digests, closed word lists and names of programs. A new column is put here knowingly.
    expect(plain.sort()).toEqual([
      'messages.digest',
      'messages.external_id',
      'messages.id',
      'messages.model',
      'messages.role',
      'messages.session_id',
      'parts.call_id',
      'parts.extra',
      'parts.message_id',
      'parts.tool',
      'parts.type',
      'project_keys.project_id',
      'projects.id',
      'recall_outputs.digest',
      'session_messages.message_id',
      'session_messages.session_id',
      'sessions.agent',
      'sessions.agent_version',
      'sessions.external_id',
      'sessions.id',
      'sessions.model',
      'sessions.parent_external_id',
      'sessions.parent_id',
      'sessions.parent_kind',
      'sessions.project_id',
      'tombstones.key',
      'tombstones.kind',
    ]);
  });

  test('the page on the format names the version, every table and every column', () => {
    const page = readFileSync(
      join(import.meta.dirname, '..', '..', '..', 'docs', 'formats', 'store.md'),
      'utf8',
    );
    expect(page).toContain(`Schema version: ${SCHEMA_VERSION}.`);
    const lines = page.split('\n');
    for (const [name, declared] of Object.entries(TABLES)) {
      const line = lines.find((each) => each.startsWith(`| \`${name}\` |`)) ?? '';
      const columns =
        declared.kind === 'fts5' ? declared.columns : Object.keys(declared.columns as object);
      for (const column of columns) expect(line, `${name}.${column}`).toContain(`\`${column}\``);
    }
  });
});
