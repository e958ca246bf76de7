/** The SQLite file and the shapes of what it keeps. */
export { dataDirectory, type Environment, makeDataDirectory } from './directory.ts';
export { driverName, openSqlite, type SqliteDatabase, type SqliteValue } from './driver.ts';
export { type StoreErrorKind, StoreFailure, type StoreOpenError } from './errors.ts';
export { type LockFile, openLockFile } from './lock-file.ts';
export { MIGRATIONS, SCHEMA_VERSION } from './migrations.ts';
export { type OpenOptions, openStore, STORE_FILE } from './open.ts';
export type {
  ImageRefPart,
  Part,
  PartType,
  ReasoningPart,
  Role,
  TextPart,
  ToolCallPart,
  ToolResultPart,
} from './parts.ts';
export { PART_TYPES, ROLES } from './parts.ts';
export { decodeRow, encodeRow, insertSql, type Row, type RowTable } from './rows.ts';
export { Store } from './store.ts';
export { TABLES, type TableName } from './tables.ts';
export { type DbSink, type DbSpan, registerSink } from './trace.ts';
export type {
  MessageEvent,
  SessionEvent,
  SessionLink,
  SkipEvent,
  TranscriptEvent,
} from './transcript.ts';
