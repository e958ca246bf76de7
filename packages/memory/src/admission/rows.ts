/**
 * Rows of messages, parts and cursors: the SQL behind admission.
 *
 * Decides: how a message is written and read back. Everything here runs inside the caller's
 * transaction.
 */
import type { MessageEvent, Part, Store } from '@quipu/store';
import type { SourceKey, StoredCursor } from './admission.ts';
import type { PassState } from './placement.ts';

export type MessageRow = {
  /** The session that the message is at home in. */
  readonly session: string;
  readonly event: Pick<MessageEvent, 'externalId' | 'role' | 'author' | 'at' | 'model'>;
  readonly parts: readonly Part[];
  readonly digest: string;
};

/** Writes the message and its parts, replacing what was there. */
export function writeMessage(store: Store, id: string, row: MessageRow): void {
  const { event } = row;
  store.run(
    `INSERT INTO messages (id, session_id, external_id, role, author, at, model, digest)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (id) DO UPDATE SET role = excluded.role, author = excluded.author,
       at = coalesce(messages.at, excluded.at), model = excluded.model, digest = excluded.digest`,
    [
      id,
      row.session,
      event.externalId,
      event.role,
      event.author,
      event.at ?? null,
      event.model ?? null,
      row.digest,
    ],
  );
  store.run('DELETE FROM parts WHERE message_id = ?', [id]);
  row.parts.forEach((part, ordinal) => {
    store.run(
      `INSERT INTO parts (message_id, ordinal, type, text, tool, call_id, is_error, extra)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
      [id, ordinal, ...partColumns(part)],
    );
  });
}

type PartColumns = [string, string, string, string, number, string];

function partColumns(part: Part): PartColumns {
  switch (part.type) {
    case 'text':
    case 'reasoning':
      return [part.type, part.text, '', '', 0, ''];
    case 'tool_call':
      return [part.type, part.input, part.tool, part.callId, 0, ''];
    case 'tool_result':
      return [part.type, part.text, part.tool, part.callId, part.isError ? 1 : 0, ''];
    case 'image_ref':
      return [
        part.type,
        part.source,
        '',
        '',
        0,
        JSON.stringify({ mediaType: part.mediaType, digest: part.digest }),
      ];
  }
}

type PartRow = {
  readonly type: Part['type'];
  readonly text: string;
  readonly tool: string;
  readonly call_id: string;
  readonly is_error: number;
  readonly extra: string;
};

export function readParts(store: Store, messageId: string): Part[] {
  const rows = store.all(
    `SELECT type, text, tool, call_id, is_error, extra FROM parts
     WHERE message_id = ? ORDER BY ordinal`,
    [messageId],
  ) as PartRow[];
  return rows.map(rowToPart);
}

function rowToPart(row: PartRow): Part {
  switch (row.type) {
    case 'text':
    case 'reasoning':
      return { type: row.type, text: row.text };
    case 'tool_call':
      return { type: row.type, callId: row.call_id, tool: row.tool, input: row.text };
    case 'tool_result':
      return {
        type: row.type,
        callId: row.call_id,
        tool: row.tool,
        text: row.text,
        isError: row.is_error === 1,
      };
    case 'image_ref': {
      const extra = JSON.parse(row.extra) as { mediaType: string; digest: string };
      return { type: row.type, mediaType: extra.mediaType, digest: extra.digest, source: row.text };
    }
  }
}

export function hasMessages(store: Store, session: string): boolean {
  const row = store.get('SELECT 1 AS n FROM session_messages WHERE session_id = ? LIMIT 1', [
    session,
  ]);
  return row !== undefined;
}

/** Position of a session's last message; -1 when it has none. */
export function lastPosition(store: Store, session: string): number {
  const row = store.get(
    'SELECT coalesce(max(position), -1) AS last FROM session_messages WHERE session_id = ?',
    [session],
  ) as { last: number };
  return row.last;
}

export type TombstoneKind = 'message' | 'session' | 'project';

export function isForgotten(store: Store, kind: TombstoneKind, key: string): boolean {
  return (
    store.get('SELECT 1 AS n FROM tombstones WHERE kind = ? AND key = ?', [kind, key]) !== undefined
  );
}

export function addRedactions(store: Store, byKind: Readonly<Record<string, number>>): void {
  for (const [kind, count] of Object.entries(byKind)) {
    store.run(
      `INSERT INTO redactions (kind, count) VALUES (?, ?)
       ON CONFLICT (kind) DO UPDATE SET count = redactions.count + excluded.count`,
      [kind, count],
    );
  }
}

type CursorState = { readonly parser: unknown; readonly pass: PassState };

export function readCursor(store: Store, source: SourceKey): StoredCursor | undefined {
  const row = store.get(
    `SELECT position, prefix_digest, size, mtime_ms, reader_version, state FROM sources
     WHERE agent = ? AND path = ? AND part = ?`,
    [source.agent, source.path, source.part],
  ) as
    | {
        position: number;
        prefix_digest: string;
        size: number;
        mtime_ms: number;
        reader_version: number;
        state: string;
      }
    | undefined;
  if (row === undefined) return undefined;
  const state = JSON.parse(row.state) as CursorState;
  return {
    position: row.position,
    prefixDigest: row.prefix_digest,
    size: row.size,
    mtimeMs: row.mtime_ms,
    readerVersion: row.reader_version,
    parser: state.parser,
    pass: state.pass,
  };
}

export function writeCursor(
  store: Store,
  source: SourceKey,
  cursor: StoredCursor,
  nowMs: number,
): void {
  const state: CursorState = { parser: cursor.parser, pass: cursor.pass };
  store.run(
    `INSERT INTO sources (agent, path, part, position, prefix_digest, size, mtime_ms,
       reader_version, state, updated_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (agent, path, part) DO UPDATE SET position = excluded.position,
       prefix_digest = excluded.prefix_digest, size = excluded.size, mtime_ms = excluded.mtime_ms,
       reader_version = excluded.reader_version, state = excluded.state,
       updated_at = excluded.updated_at`,
    [
      source.agent,
      source.path,
      source.part,
      cursor.position,
      cursor.prefixDigest,
      cursor.size,
      cursor.mtimeMs,
      cursor.readerVersion,
      JSON.stringify(state),
      nowMs,
    ],
  );
}
