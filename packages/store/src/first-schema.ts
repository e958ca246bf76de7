/**
 * The tables of version 1, word for word.
 *
 * Decides: nothing any more. This is history: stores of version 1 exist, and a later migration
 * starts from exactly these. A table changes by a new entry in `migrations.ts`, never here.
 */
export const FIRST_SCHEMA: readonly string[] = [
  `CREATE TABLE "projects" (
    "id" TEXT NOT NULL, "name" TEXT NOT NULL, "root" TEXT, "remote" TEXT,
    "created_at" INTEGER NOT NULL, PRIMARY KEY ("id")
  ) STRICT, WITHOUT ROWID`,
  `CREATE INDEX "projects_by_name" ON "projects" ("name")`,
  `CREATE TABLE "project_keys" (
    "key" TEXT NOT NULL, "project_id" TEXT NOT NULL, PRIMARY KEY ("key")
  ) STRICT, WITHOUT ROWID`,
  `CREATE INDEX "project_keys_by_project_id" ON "project_keys" ("project_id")`,
  `CREATE TABLE "sessions" (
    "id" TEXT NOT NULL, "agent" TEXT NOT NULL, "external_id" TEXT NOT NULL, "project_id" TEXT,
    "project_pinned" INTEGER NOT NULL DEFAULT 0, "parent_external_id" TEXT, "parent_kind" TEXT,
    "parent_id" TEXT, "title" TEXT, "cwd" TEXT, "git_remote" TEXT, "git_branch" TEXT,
    "model" TEXT, "agent_version" TEXT, "started_at" INTEGER, "ended_at" INTEGER,
    PRIMARY KEY ("id")
  ) STRICT, WITHOUT ROWID`,
  `CREATE INDEX "sessions_by_agent_external_id" ON "sessions" ("agent", "external_id")`,
  `CREATE INDEX "sessions_by_project_id_ended_at" ON "sessions" ("project_id", "ended_at")`,
  `CREATE INDEX "sessions_by_parent_id" ON "sessions" ("parent_id")`,
  `CREATE TABLE "messages" (
    "id" TEXT NOT NULL, "session_id" TEXT NOT NULL, "external_id" TEXT NOT NULL,
    "role" TEXT NOT NULL, "author" TEXT NOT NULL, "at" INTEGER, "model" TEXT,
    "digest" TEXT NOT NULL, PRIMARY KEY ("id")
  ) STRICT, WITHOUT ROWID`,
  `CREATE INDEX "messages_by_session_id" ON "messages" ("session_id")`,
  `CREATE INDEX "messages_by_external_id" ON "messages" ("external_id")`,
  `CREATE INDEX "messages_by_digest" ON "messages" ("digest")`,
  `CREATE INDEX "messages_by_at" ON "messages" ("at")`,
  `CREATE TABLE "session_messages" (
    "session_id" TEXT NOT NULL, "position" INTEGER NOT NULL, "message_id" TEXT NOT NULL,
    PRIMARY KEY ("session_id", "position")
  ) STRICT, WITHOUT ROWID`,
  `CREATE INDEX "session_messages_by_message_id_session_id" ON "session_messages" (
    "message_id", "session_id"
  )`,
  `CREATE TABLE "parts" (
    "message_id" TEXT NOT NULL, "ordinal" INTEGER NOT NULL, "type" TEXT NOT NULL,
    "text" TEXT NOT NULL, "tool" TEXT NOT NULL, "call_id" TEXT NOT NULL,
    "is_error" INTEGER NOT NULL, "extra" TEXT NOT NULL, PRIMARY KEY ("message_id", "ordinal")
  ) STRICT, WITHOUT ROWID`,
  `CREATE TABLE "sources" (
    "agent" TEXT NOT NULL, "path" TEXT NOT NULL, "part" TEXT NOT NULL,
    "position" INTEGER NOT NULL, "prefix_digest" TEXT NOT NULL, "size" INTEGER NOT NULL,
    "mtime_ms" REAL NOT NULL, "reader_version" INTEGER NOT NULL, "state" TEXT NOT NULL,
    "updated_at" INTEGER NOT NULL, PRIMARY KEY ("agent", "path", "part")
  ) STRICT, WITHOUT ROWID`,
  `CREATE TABLE "tombstones" (
    "kind" TEXT NOT NULL, "key" TEXT NOT NULL, "at" INTEGER NOT NULL,
    PRIMARY KEY ("kind", "key")
  ) STRICT, WITHOUT ROWID`,
  `CREATE TABLE "recall_outputs" (
    "digest" TEXT NOT NULL, "at" INTEGER NOT NULL, PRIMARY KEY ("digest")
  ) STRICT, WITHOUT ROWID`,
  `CREATE INDEX "recall_outputs_by_at" ON "recall_outputs" ("at")`,
  `CREATE TABLE "redactions" (
    "kind" TEXT NOT NULL, "count" INTEGER NOT NULL, PRIMARY KEY ("kind")
  ) STRICT, WITHOUT ROWID`,
  `CREATE TABLE "settings" (
    "key" TEXT NOT NULL, "value" TEXT NOT NULL, PRIMARY KEY ("key")
  ) STRICT, WITHOUT ROWID`,
  `CREATE TABLE "chunk_sessions" (
    "number" INTEGER PRIMARY KEY, "session_id" TEXT NOT NULL, "next" INTEGER NOT NULL,
    "chunks" INTEGER NOT NULL, "terms" INTEGER NOT NULL, "authors" TEXT NOT NULL DEFAULT ''
  ) STRICT`,
  `CREATE INDEX "chunk_sessions_by_session_id_number" ON "chunk_sessions" (
    "session_id", "number"
  )`,
  `CREATE TABLE "chunks" (
    "id" INTEGER PRIMARY KEY, "message_id" TEXT NOT NULL, "part_ordinal" INTEGER NOT NULL,
    "ordinal" INTEGER NOT NULL, "kind" TEXT NOT NULL, "role" TEXT NOT NULL, "at" INTEGER,
    "start" INTEGER NOT NULL, "end" INTEGER NOT NULL, "ranked" INTEGER NOT NULL,
    "text" TEXT NOT NULL, "terms" TEXT NOT NULL
  ) STRICT`,
  `CREATE INDEX "chunks_by_message_id_part_ordinal_ordinal" ON "chunks" (
    "message_id", "part_ordinal", "ordinal"
  )`,
  `CREATE INDEX "chunks_by_kind_role_at" ON "chunks" ("kind", "role", "at")`,
  `CREATE VIRTUAL TABLE "chunks_words" USING fts5(
    "terms", tokenize = "unicode61 remove_diacritics 0", content = '', contentless_delete = 1,
    detail = none
  )`,
  `CREATE VIRTUAL TABLE "chunks_identifiers" USING fts5(
    "terms", tokenize = "unicode61 remove_diacritics 0 tokenchars '_-./:@#$'", content = '',
    contentless_delete = 1, detail = none
  )`,
  `CREATE VIRTUAL TABLE "chunks_trigram" USING fts5(
    "text", tokenize = "trigram", content = '', contentless_delete = 1, detail = none
  )`,
  `CREATE TABLE "chunk_vectors" (
    "chunk_id" INTEGER NOT NULL, "model" TEXT NOT NULL, "vector" BLOB NOT NULL,
    PRIMARY KEY ("model", "chunk_id")
  ) STRICT, WITHOUT ROWID`,
  `CREATE INDEX "chunk_vectors_by_chunk_id" ON "chunk_vectors" ("chunk_id")`,
  `CREATE TABLE "vector_codes" (
    "model" TEXT NOT NULL, "number" INTEGER NOT NULL, "codes" BLOB NOT NULL,
    PRIMARY KEY ("model", "number")
  ) STRICT, WITHOUT ROWID`,
  `CREATE TABLE "vector_models" (
    "model" TEXT NOT NULL, "dimensions" INTEGER NOT NULL, "vectors" INTEGER NOT NULL,
    "sum" BLOB NOT NULL, "code_mean" BLOB NOT NULL, "coded_vectors" INTEGER NOT NULL,
    "question_mean" BLOB NOT NULL, PRIMARY KEY ("model")
  ) STRICT, WITHOUT ROWID`,
];
