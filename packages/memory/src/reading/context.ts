/**
 * What a session starts with: notes of the project, then what its last sessions were about.
 *
 * Decides: order and form. The bytes change only when the content does: no clock, no counters,
 * stable order; a budget cuts whole lines from the end. Text from memory is quoted.
 */
import { ok, type Result } from '@quipu/base';
import type { Store } from '@quipu/store';
import { readParts } from '../admission/rows.ts';
import { type MemoryError, memoryError } from '../errors.ts';
import { NOTES_AGENT } from '../keeping/remember.ts';
import { CONTEXT_TOKENS_DEFAULT, CONTEXT_TOKENS_MAX } from '../limits.ts';
import { OUTPUT_VERSION } from '../shapes.ts';
import { findProject } from './ids.ts';
import { isoOrNull } from './views.ts';

export type ContextRequest = {
  readonly project?: string | undefined;
  readonly tokens?: number | undefined;
};

export type ContextView = {
  readonly version: number;
  readonly text: string;
  readonly items: readonly { readonly id: string; readonly kind: 'note' | 'session' }[];
  /** Items that the budget left out. */
  readonly leftOut: number;
};

/** Characters a token, on the safe side: prose and code have between 3 and 4.5. */
const CHARS_A_TOKEN = 3;
const NOTE_CHARS_MAX = 600;
const PROMPT_CHARS_MAX = 240;
const NOTES_MAX = 200;
const RECENT_SESSIONS = 8;

type Item = { readonly id: string; readonly kind: 'note' | 'session'; readonly line: string };

export function context(store: Store, request: ContextRequest): Result<ContextView, MemoryError> {
  const tokens = request.tokens ?? CONTEXT_TOKENS_DEFAULT;
  if (!Number.isInteger(tokens) || tokens < 1 || tokens > CONTEXT_TOKENS_MAX) {
    return memoryError('bad-request', `tokens is a whole number from 1 to ${CONTEXT_TOKENS_MAX}.`);
  }
  let project: string | null = null;
  if (request.project !== undefined) {
    const found = findProject(store, request.project);
    if (!found.ok) return found;
    project = found.value;
  }
  const items = [...notes(store, project), ...recentSessions(store, project)];
  const lines: string[] = [];
  let left = tokens * CHARS_A_TOKEN;
  const taken: Item[] = [];
  for (const item of items) {
    if (item.line.length + 1 > left) break;
    left -= item.line.length + 1;
    lines.push(item.line);
    taken.push(item);
  }
  return ok({
    version: OUTPUT_VERSION,
    text: lines.join('\n'),
    items: taken.map(({ id, kind }) => ({ id, kind })),
    leftOut: items.length - taken.length,
  });
}

/** Notes in the order in which they were made; those of no project count for every project. */
function notes(store: Store, project: string | null): Item[] {
  const rows = store.all(
    `SELECT m.id FROM messages m JOIN sessions s ON s.id = m.session_id
     WHERE s.agent = ? AND (s.project_id IS NULL OR s.project_id = ?)
       AND EXISTS (SELECT 1 FROM parts p WHERE p.message_id = m.id)
     ORDER BY m.at, m.id LIMIT ?`,
    [NOTES_AGENT, project, NOTES_MAX],
  ) as { id: string }[];
  return rows.map(({ id }) => ({
    id,
    kind: 'note' as const,
    line: `- Note (${id}): ${quote(textOf(store, id), NOTE_CHARS_MAX)}`,
  }));
}

/** The project's last sessions that a person began, by their first words; the newest first. */
function recentSessions(store: Store, project: string | null): Item[] {
  const rows = store.all(
    `SELECT s.id, s.agent, s.ended_at, (SELECT m.id FROM session_messages sm
         JOIN messages m ON m.id = sm.message_id
       WHERE sm.session_id = s.id AND m.role = 'user' ORDER BY sm.position LIMIT 1) AS first
     FROM sessions s WHERE s.project_id IS ? AND s.agent <> ? AND s.parent_id IS NULL
       AND s.ended_at IS NOT NULL ORDER BY s.ended_at DESC, s.id LIMIT ?`,
    [project, NOTES_AGENT, RECENT_SESSIONS],
  ) as { id: string; agent: string; ended_at: number; first: string | null }[];
  return rows.flatMap((row) => {
    if (row.first === null) return [];
    const day = (isoOrNull(row.ended_at) ?? '').slice(0, 10);
    const words = quote(textOf(store, row.first), PROMPT_CHARS_MAX);
    return [
      { id: row.id, kind: 'session' as const, line: `- ${day} ${row.agent} (${row.id}): ${words}` },
    ];
  });
}

function textOf(store: Store, message: string): string {
  return readParts(store, message)
    .flatMap((part) => (part.type === 'text' ? [part.text] : []))
    .join(' ');
}

/** One line of JSON string syntax: line ends and quotes in memory cannot end the quotation. */
function quote(text: string, max: number): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return JSON.stringify(line.length > max ? `${line.slice(0, max - 1)}…` : line);
}
