/**
 * `TABLES`: every table of the store, declared once.
 *
 * Decides: what is kept. A change here is a migration (`migrations.ts`): the contract test compares
 * the schema made from this registry with the one that migrations lead to.
 *
 *   projects ◀─ project_keys        sessions ◀─ session_messages ─▶ messages ◀─ parts
 *                    sessions ─▶ projects                            messages ◀─ chunks ◀─ vectors
 *
 * Invariant: STORE-1 (the registry and the migrated schema are the same).
 */
import { type Column, type Declared, deepFreeze, type Table } from './schema.ts';
import { RECALL_TABLES } from './tables-recall.ts';

const text = { type: 'text' } as const satisfies Column;
const textOrNull = { type: 'text', nullable: true } as const satisfies Column;
const integer = { type: 'integer' } as const satisfies Column;
const moment = { type: 'integer', unit: 'epoch-ms' } as const satisfies Column;
const momentOrNull = { ...moment, nullable: true } as const satisfies Column;
const secretText = { type: 'text', encrypted: true } as const satisfies Column;
const secretTextOrNull = { ...secretText, nullable: true } as const satisfies Column;

const table = <const T extends Omit<Table, 'kind'>>(spec: T): T & { readonly kind: 'table' } => ({
  kind: 'table',
  ...spec,
});

export const TABLES = deepFreeze({
  projects: table({
    columns: {
      id: text,
      name: secretText,
      root: secretTextOrNull,
      remote: secretTextOrNull,
      created_at: moment,
    },
    primaryKey: ['id'],
    indexes: [['name']],
    replication: 'both',
    tier: 'source',
    merge: 'last-write',
  }),
  /** Every identity that leads to a project: remotes, roots, repository identities. */
  project_keys: table({
    columns: { key: secretText, project_id: text },
    primaryKey: ['key'],
    indexes: [['project_id']],
    replication: 'both',
    tier: 'source',
    merge: 'last-write',
  }),
  sessions: table({
    columns: {
      id: text,
      agent: text,
      external_id: text,
      project_id: textOrNull,
      /** 1 when a person chose the project. */
      project_pinned: { type: 'integer', default: '0' },
      parent_external_id: textOrNull,
      parent_kind: textOrNull,
      parent_id: textOrNull,
      title: secretTextOrNull,
      cwd: secretTextOrNull,
      git_remote: secretTextOrNull,
      git_branch: secretTextOrNull,
      model: textOrNull,
      agent_version: textOrNull,
      started_at: momentOrNull,
      ended_at: momentOrNull,
    },
    primaryKey: ['id'],
    indexes: [['agent', 'external_id'], ['project_id', 'ended_at'], ['parent_id'], ['ended_at']],
    replication: 'both',
    tier: 'source',
    merge: 'last-write',
  }),
  messages: table({
    columns: {
      id: text,
      /** The session it is at home in; forks share it through `session_messages`. */
      session_id: text,
      external_id: text,
      role: text,
      author: secretText,
      at: momentOrNull,
      model: textOrNull,
      /** Digest of the redacted content, by which a repeat is known. */
      digest: text,
    },
    primaryKey: ['id'],
    indexes: [['session_id'], ['external_id'], ['digest'], ['at']],
    replication: 'both',
    tier: 'source',
    merge: 'last-write',
  }),
  session_messages: table({
    columns: { session_id: text, position: integer, message_id: text },
    primaryKey: ['session_id', 'position'],
    indexes: [['message_id', 'session_id']],
    replication: 'both',
    tier: 'source',
    merge: 'last-write',
  }),
  parts: table({
    columns: {
      message_id: text,
      ordinal: integer,
      type: text,
      text: secretText,
      tool: text,
      call_id: text,
      is_error: integer,
      extra: text,
    },
    primaryKey: ['message_id', 'ordinal'],
    indexes: [],
    replication: 'both',
    tier: 'source',
    merge: 'last-write',
  }),
  /** How far each source has been read, with the parser's state. */
  sources: table({
    columns: {
      agent: text,
      path: text,
      part: text,
      position: integer,
      prefix_digest: text,
      size: integer,
      mtime_ms: { type: 'real' },
      reader_version: integer,
      state: text,
      updated_at: moment,
    },
    primaryKey: ['agent', 'path', 'part'],
    indexes: [],
    replication: 'none',
    tier: 'local',
    merge: 'last-write',
  }),
  /** What was forgotten; it does not come back by import or from another machine. */
  tombstones: table({
    columns: { kind: text, key: text, at: moment },
    primaryKey: ['kind', 'key'],
    indexes: [],
    replication: 'both',
    tier: 'source',
    merge: 'same',
  }),
  /** Digests of paragraphs that Quipu printed as recall, so that they are not taken in again. */
  recall_outputs: table({
    columns: { digest: text, at: moment },
    primaryKey: ['digest'],
    indexes: [['at']],
    replication: 'both',
    tier: 'source',
    merge: 'max',
  }),
  redactions: table({
    columns: { kind: text, count: integer },
    primaryKey: ['kind'],
    indexes: [],
    replication: 'none',
    tier: 'local',
    merge: 'max',
  }),
  settings: table({
    columns: { key: text, value: text },
    primaryKey: ['key'],
    indexes: [],
    replication: 'none',
    tier: 'local',
    merge: 'last-write',
  }),
  ...RECALL_TABLES,
} satisfies Record<string, Declared>);

export type TableName = keyof typeof TABLES;
