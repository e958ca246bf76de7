/**
 * What a table's declaration may say, and what is made of it.
 *
 * Decides: the language of the `TABLES` registry. DDL, row codecs and contract tests are derived
 * from an entry; nobody keeps a second list.
 */

export type ColumnType = 'text' | 'integer' | 'real' | 'blob';

export type Column = {
  readonly type: ColumnType;
  /** May be NULL. */
  readonly nullable?: boolean;
  /** SQL literal used when nothing is given. */
  readonly default?: string;
  /** Holds what a person or agent wrote: encrypted before it leaves the machine. */
  readonly encrypted?: boolean;
  /** Of an integer column that is a moment. */
  readonly unit?: 'epoch-ms';
};

/** Which way rows travel between a person's machines. */
export type Replication = 'none' | 'both' | 'pull';

/**
 * `source` cannot be made again; `derived` is computed from source rows; `local` means something
 * on this machine only.
 */
export type Tier = 'source' | 'derived' | 'local';

/** Which of two rows with one key holds: the later write, the larger value, or either. */
export type MergeRule = 'last-write' | 'max' | 'same';

export type Table = {
  readonly kind: 'table';
  readonly columns: Readonly<Record<string, Column>>;
  readonly primaryKey: readonly string[];
  readonly indexes: readonly (readonly string[])[];
  readonly replication: Replication;
  readonly tier: Tier;
  readonly merge: MergeRule;
};

/** A full-text index over rows that are kept elsewhere; its rows are those with the same rowid. */
export type FullText = {
  readonly kind: 'fts5';
  readonly columns: readonly string[];
  readonly tokenize: string;
  /** Table whose integer key the rowid is. */
  readonly of: string;
  readonly detail?: 'full' | 'column' | 'none';
};

export type Declared = Table | FullText;

/** The entry and all within it frozen: what callers share, nobody changes. */
export function deepFreeze<T extends object>(value: T): T {
  for (const inner of Object.values(value)) {
    if (typeof inner === 'object' && inner !== null) deepFreeze(inner);
  }
  return Object.freeze(value);
}

const quote = (name: string): string => `"${name.replace(/"/g, '""')}"`;

/** The statements that create it, in order. */
export function ddlOf(name: string, declared: Declared): string[] {
  return declared.kind === 'fts5' ? [fullTextDdl(name, declared)] : tableDdl(name, declared);
}

function tableDdl(name: string, table: Table): string[] {
  const [only] = table.primaryKey;
  const rowid =
    table.primaryKey.length === 1 && only !== undefined && table.columns[only]?.type === 'integer';
  const columns = Object.entries(table.columns).map(([column, spec]) => {
    const key = rowid && column === only ? ' PRIMARY KEY' : '';
    const nullable = spec.nullable === true || key !== '' ? '' : ' NOT NULL';
    const fallback = spec.default === undefined ? '' : ` DEFAULT ${spec.default}`;
    return `${quote(column)} ${spec.type.toUpperCase()}${key}${nullable}${fallback}`;
  });
  const key = rowid ? [] : [`PRIMARY KEY (${table.primaryKey.map(quote).join(', ')})`];
  const without = rowid ? '' : ', WITHOUT ROWID';
  return [
    `CREATE TABLE ${quote(name)} (${[...columns, ...key].join(', ')}) STRICT${without}`,
    ...table.indexes.map((index) => {
      const indexName = quote(`${name}_by_${index.join('_')}`);
      return `CREATE INDEX ${indexName} ON ${quote(name)} (${index.map(quote).join(', ')})`;
    }),
  ];
}

function fullTextDdl(name: string, table: FullText): string {
  const options = [
    ...table.columns.map(quote),
    `tokenize = ${quote(table.tokenize)}`,
    "content = ''",
    'contentless_delete = 1',
    ...(table.detail === undefined ? [] : [`detail = ${table.detail}`]),
  ];
  return `CREATE VIRTUAL TABLE ${quote(name)} USING fts5(${options.join(', ')})`;
}
