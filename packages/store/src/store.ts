/**
 * One connection to the store.
 *
 * Decides: how statements run (prepared once, traced, failures classified), what a transaction is
 * (immediate: it takes the write lock at its start, so two writers wait instead of failing half
 * way), and how deleted content is made unrecoverable.
 *
 * Callers: a transaction's function is synchronous; it does not outlive the call. An acknowledged
 * transaction survives the death of the process and the loss of power (`synchronous = FULL`).
 *
 * Invariants: STORE-2 (an acknowledged write is never lost), STORE-3 (no half of a transaction is
 * ever visible), STORE-4 (after `purge`, deleted content is nowhere in the files, backups
 * included).
 */
import { AssertionFailure, assert } from '@quipu/base';
import type { SqliteDatabase, SqliteValue } from './driver.ts';
import { classify, StoreFailure } from './errors.ts';
import { STATEMENTS_MAX } from './limits.ts';
import { removeBackups } from './migrate.ts';
import { TABLES } from './tables.ts';
import { type DbSpan, traced } from './trace.ts';

type Statement = ReturnType<SqliteDatabase['prepare']>;

export type StoreOptions = {
  readonly path: string;
  readonly schemaVersion: number;
  readonly readOnly: boolean;
};

const hasNul = (value: SqliteValue): boolean => typeof value === 'string' && value.includes('\0');

const TRACES_REMAIN =
  'It is deleted, but traces remain in the file while another process reads. Stop the daemon and ' +
  'other programs that use the memory, and run quipu scrub.';

export class Store {
  readonly path: string;
  readonly schemaVersion: number;
  readonly readOnly: boolean;
  readonly #database: SqliteDatabase;
  readonly #statements = new Map<string, Statement>();
  #inTransaction = false;
  #closed = false;

  constructor(database: SqliteDatabase, options: StoreOptions) {
    this.#database = database;
    this.path = options.path;
    this.schemaVersion = options.schemaVersion;
    this.readOnly = options.readOnly;
  }

  /** First row, or undefined. */
  get(sql: string, values: readonly SqliteValue[] = []): Record<string, unknown> | undefined {
    return this.#call('get', sql, (statement) => statement.get(...values)) as
      | Record<string, unknown>
      | undefined;
  }

  all(sql: string, values: readonly SqliteValue[] = []): Record<string, unknown>[] {
    return this.#call('all', sql, (statement) => statement.all(...values)) as Record<
      string,
      unknown
    >[];
  }

  /** Number of rows changed. Text with a NUL is a defect: not every driver keeps what follows. */
  run(sql: string, values: readonly SqliteValue[] = []): number {
    assert(!values.some(hasNul), 'text that is stored has no NUL');
    const result = this.#call('run', sql, (statement) => statement.run(...values)) as {
      readonly changes: number | bigint;
    };
    return Number(result.changes);
  }

  /** For statements without values; several are separated by `;`. */
  exec(sql: string): void {
    this.#guard({ sql, kind: 'exec' }, () => this.#database.exec(sql));
  }

  get inTransaction(): boolean {
    return this.#inTransaction;
  }

  /** Runs in one immediate transaction: all of it, or (on a throw, which goes on) nothing. */
  transaction<T>(run: () => T): T {
    assert(!this.#inTransaction, 'transactions do not nest');
    this.exec('BEGIN IMMEDIATE');
    this.#inTransaction = true;
    try {
      const value = run();
      if (value instanceof Promise) throw new AssertionFailure('a transaction is synchronous');
      this.exec('COMMIT');
      return value;
    } catch (failure) {
      // SQLite itself may have rolled back (disk full, I/O error); then there is nothing to undo.
      if (this.#database.isTransaction) this.exec('ROLLBACK');
      throw failure;
    } finally {
      this.#inTransaction = false;
    }
  }

  /**
   * Makes what was deleted unrecoverable: full-text segments are merged, the file is rewritten
   * without free pages, the write-ahead log is emptied, backups of older versions are removed. Long
   * on a large store. Throws `busy` when another process still reads the state from before: then
   * traces remain, and it has to be done again.
   */
  purge(): void {
    assert(!this.#inTransaction, 'purge runs outside a transaction');
    for (const [name, declared] of Object.entries(TABLES)) {
      if (declared.kind === 'fts5') this.exec(`INSERT INTO ${name}(${name}) VALUES ('optimize')`);
    }
    this.exec('VACUUM');
    removeBackups(this.path);
    const log = this.get('PRAGMA wal_checkpoint(TRUNCATE)');
    if (log?.['busy'] !== 0) throw new StoreFailure('busy', TRACES_REMAIN);
  }

  /** What SQLite finds wrong with the file, at most ten lines; empty when it is sound. */
  check(): string[] {
    const rows = this.all('PRAGMA quick_check(10)');
    return rows.map((row) => String(Object.values(row)[0])).filter((line) => line !== 'ok');
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#statements.clear();
    this.#database.close();
  }

  #call(
    kind: Exclude<DbSpan['kind'], 'exec'>,
    sql: string,
    use: (statement: Statement) => unknown,
  ): unknown {
    return this.#guard({ sql, kind }, () => use(this.#prepare(sql)));
  }

  #prepare(sql: string): Statement {
    assert(!this.#closed, 'the store is open');
    const known = this.#statements.get(sql);
    if (known !== undefined) return known;
    const statement = this.#database.prepare(sql);
    if (this.#statements.size >= STATEMENTS_MAX) {
      const oldest = this.#statements.keys().next();
      if (oldest.done !== true) this.#statements.delete(oldest.value);
    }
    this.#statements.set(sql, statement);
    return statement;
  }

  #guard<T>(span: DbSpan, run: () => T): T {
    try {
      return traced(span, run);
    } catch (failure) {
      const known = classify(failure);
      if (known === undefined) throw failure;
      throw new StoreFailure(known.kind, known.message);
    }
  }
}
