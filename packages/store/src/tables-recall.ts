/**
 * The tables that recall searches: passages, their full-text indexes, their vectors. All derived:
 * they can be made again from messages and parts.
 *
 *   chunk_sessions.number ─▶ chunks.id = number · 2²⁰ + place in the session
 *                            chunks.id = rowid of the full-text rows = chunk_vectors.chunk_id
 *
 * A passage's id thus says its session and who its neighbours are, so that a posting list alone
 * is enough to filter and to borrow from neighbours.
 */
import type { Declared } from './schema.ts';

export const RECALL_TABLES = {
  /** The number of a session in passage ids, with what ranking needs to know of it. */
  chunk_sessions: {
    kind: 'table',
    columns: {
      number: { type: 'integer' },
      session_id: { type: 'text' },
      /** Place of the next passage. */
      next: { type: 'integer' },
      /** Passages in the word index, and their terms together. */
      chunks: { type: 'integer' },
      terms: { type: 'integer' },
      /** Names of its speakers, a line each; empty where the agent names none. */
      authors: { type: 'text', default: "''" },
    },
    primaryKey: ['number'],
    indexes: [['session_id', 'number']],
    replication: 'none',
    tier: 'derived',
    merge: 'last-write',
  },
  /** A passage of one part of a message; offsets in UTF-16 units of the part's text. */
  chunks: {
    kind: 'table',
    columns: {
      id: { type: 'integer' },
      message_id: { type: 'text' },
      part_ordinal: { type: 'integer' },
      ordinal: { type: 'integer' },
      kind: { type: 'text' },
      role: { type: 'text' },
      at: { type: 'integer', nullable: true, unit: 'epoch-ms' },
      start: { type: 'integer' },
      end: { type: 'integer' },
      /** 1: in the word index and embedded; 0: bulk, found as a substring only. */
      ranked: { type: 'integer' },
      text: { type: 'text', encrypted: true },
      /** Content terms in order, a space between two. */
      terms: { type: 'text', encrypted: true },
    },
    primaryKey: ['id'],
    indexes: [
      ['message_id', 'part_ordinal', 'ordinal'],
      ['kind', 'role', 'at'],
    ],
    replication: 'none',
    tier: 'derived',
    merge: 'last-write',
  },
  /** Stemmed words, tokenised by recall itself: a space between two terms. */
  chunks_words: {
    kind: 'fts5',
    columns: ['terms'],
    tokenize: 'unicode61 remove_diacritics 0',
    of: 'chunks',
    detail: 'none',
  },
  /** Identifiers, paths, codes and versions kept whole (the words index has them split). */
  chunks_identifiers: {
    kind: 'fts5',
    columns: ['terms'],
    tokenize: "unicode61 remove_diacritics 0 tokenchars '_-./:@#$'",
    of: 'chunks',
    detail: 'none',
  },
  chunks_trigram: {
    kind: 'fts5',
    columns: ['text'],
    tokenize: 'trigram',
    of: 'chunks',
    detail: 'none',
  },
  chunk_vectors: {
    kind: 'table',
    columns: {
      chunk_id: { type: 'integer' },
      model: { type: 'text' },
      /** Unit vector: a 32-bit float scale, then one signed byte a dimension. */
      vector: { type: 'blob' },
    },
    primaryKey: ['model', 'chunk_id'],
    indexes: [['chunk_id']],
    replication: 'none',
    tier: 'derived',
    merge: 'last-write',
  },
  /**
   * One bit a dimension (the sign of the centred component), all passages of a session in a row.
   */
  vector_codes: {
    kind: 'table',
    columns: {
      model: { type: 'text' },
      number: { type: 'integer' },
      codes: { type: 'blob' },
    },
    primaryKey: ['model', 'number'],
    indexes: [],
    replication: 'none',
    tier: 'derived',
    merge: 'last-write',
  },
  /**
   * What is known of a model's vectors here: their mean, and the mean that codes were made with.
   */
  vector_models: {
    kind: 'table',
    columns: {
      model: { type: 'text' },
      dimensions: { type: 'integer' },
      vectors: { type: 'integer' },
      /** Sum of the vectors, 64-bit floats. */
      sum: { type: 'blob' },
      /** Mean with which the codes were made, 32-bit floats; and of how many vectors it was. */
      code_mean: { type: 'blob' },
      coded_vectors: { type: 'integer' },
      /** Mean of generic questions by this model, 32-bit floats; empty until it is known. */
      question_mean: { type: 'blob' },
    },
    primaryKey: ['model'],
    indexes: [],
    replication: 'none',
    tier: 'derived',
    merge: 'last-write',
  },
} as const satisfies Record<string, Declared>;
