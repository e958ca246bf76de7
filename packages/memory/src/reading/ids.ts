/**
 * Ids as people type them: whole, or an unambiguous beginning.
 */
import { ok, type Result } from '@quipu/base';
import type { Store } from '@quipu/store';
import { type MemoryError, memoryError } from '../errors.ts';

export type ThingKind = 'message' | 'session' | 'project';
export type Thing = { readonly kind: ThingKind; readonly id: string };

const TABLE_BY_PREFIX: Readonly<Record<string, { kind: ThingKind; table: string }>> = {
  msg: { kind: 'message', table: 'messages' },
  ses: { kind: 'session', table: 'sessions' },
  prj: { kind: 'project', table: 'projects' },
};

/** Characters that an abbreviated id needs after its prefix. */
const ABBREVIATION_CHARS_MIN = 4;

export function findThing(store: Store, text: string): Result<Thing, MemoryError> {
  const id = text.trim();
  const match = /^(msg|ses|prj)_([0-9a-z]+)$/.exec(id);
  const place = TABLE_BY_PREFIX[match?.[1] ?? ''];
  if (place === undefined || (match?.[2]?.length ?? 0) < ABBREVIATION_CHARS_MIN) {
    return memoryError(
      'bad-request',
      `'${clip(id)}' is not an id. Ids look like msg_…, ses_… or prj_…, as recall prints them.`,
    );
  }
  const rows = store.all(
    `SELECT id FROM ${place.table} WHERE id >= ? AND id < ? ORDER BY id LIMIT 2`,
    [id, `${id}~`],
  ) as { id: string }[];
  const [first, second] = rows;
  if (first === undefined) {
    return memoryError('not-found', `Nothing here has the id '${id}'.`);
  }
  if (second !== undefined && first.id !== id) {
    return memoryError('ambiguous-id', `Several ids begin with '${id}'. Give more of it.`);
  }
  return ok({ kind: place.kind, id: first.id });
}

const CLIP_CHARS = 80;

function clip(text: string): string {
  return text.length > CLIP_CHARS ? `${text.slice(0, CLIP_CHARS)}…` : text;
}

/**
 * The project that a person means: its id, its exact name, or its root folder. `not-found` names
 * what would be possible.
 */
export function findProject(store: Store, text: string): Result<string, MemoryError> {
  const rows = store.all(
    'SELECT id, name, root FROM projects WHERE id = ? OR name = ? OR root = ? ORDER BY id',
    [text, text, text.length > 1 ? text.replace(/\/+$/, '') : text],
  ) as { id: string; name: string; root: string | null }[];
  const exact = rows.find((row) => row.id === text || row.root === text) ?? rows[0];
  const byKey = exact === undefined ? projectOfKey(store, text) : undefined;
  if (byKey !== undefined) return ok(byKey);
  if (exact === undefined) {
    return memoryError(
      'not-found',
      `No project is called '${clip(text)}'. 'quipu projects' lists them.`,
    );
  }
  if (rows.length > 1 && exact.name === text) {
    return memoryError(
      'ambiguous-id',
      `Several projects are called '${clip(text)}': ` +
        `${rows.map((row) => row.id).join(', ')}. Use the id.`,
    );
  }
  return ok(exact.id);
}

/** A project by one of its identities, as the attribution of a folder gives them. */
function projectOfKey(store: Store, key: string): string | undefined {
  const row = store.get('SELECT project_id FROM project_keys WHERE key = ?', [key]);
  return (row as { project_id: string } | undefined)?.project_id;
}
