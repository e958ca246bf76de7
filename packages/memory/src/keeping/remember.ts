/**
 * Remembering on request: a note that a person or an agent asks to keep.
 *
 * Decides: a note is a message of the agent `quipu` in one session a project, so that everything
 * that holds for messages (redaction, recall, forgetting, export) holds for notes. The same note
 * twice is one note. Tombstones hold for imports; what is asked for again after it was forgotten is
 * a new note, under the next free name.
 */
import { digestOf, ok, type Result } from '@quipu/base';
import type { MessageEvent, SessionEvent, Store } from '@quipu/store';
import type { Admission } from '../admission/admission.ts';
import type { TextCleaner } from '../admission/clean.ts';
import { newMessageId, sessionId } from '../admission/identity.ts';
import { isForgotten } from '../admission/rows.ts';
import { type MemoryError, memoryError } from '../errors.ts';
import { REMEMBER_CHARS_MAX } from '../limits.ts';
import { findProject } from '../reading/ids.ts';
import { MESSAGE_COLUMNS, type MessageRecord, messageView } from '../reading/views.ts';
import type { MessageView } from '../shapes.ts';

/** The agent under which Quipu keeps what it was asked to remember. */
export const NOTES_AGENT = 'quipu';

export type RememberInput = {
  readonly text: string;
  /** Id, name or root of a project; without it the note belongs to none. */
  readonly project?: string | undefined;
  readonly author?: string | undefined;
};

export type RememberDeps = {
  readonly store: Store;
  readonly admission: Admission;
  readonly cleanTexts: TextCleaner;
  readonly nowMs: () => number;
};

export function remember(
  deps: RememberDeps,
  input: RememberInput,
): Result<MessageView, MemoryError> {
  const text = input.text.replaceAll('\0', '').normalize('NFC').trim();
  if (text === '') return memoryError('bad-request', 'There is no text to remember.');
  if (text.length > REMEMBER_CHARS_MAX) {
    return memoryError(
      'bad-request',
      `A note has at most ${REMEMBER_CHARS_MAX} characters; this one has ${text.length}.`,
    );
  }
  let project: string | null = null;
  if (input.project !== undefined) {
    const found = findProject(deps.store, input.project);
    if (!found.ok) return found;
    project = found.value;
  }
  const author = (input.author ?? '').replaceAll('\0', '');
  // The note's id is a digest: of what is kept, for that of a short secret tells it.
  const kept = deps.cleanTexts([text])[0] ?? '';
  return ok(admitNote(deps, kept, author, project));
}

function admitNote(
  deps: RememberDeps,
  text: string,
  author: string,
  project: string | null,
): MessageView {
  const externalId = notesSession(deps.store, project ?? '-');
  const session: SessionEvent = { type: 'session', externalId, title: 'Notes' };
  const message: MessageEvent = {
    type: 'message',
    sessionExternalId: externalId,
    externalId: noteId(deps.store, externalId, text),
    idScope: 'session',
    role: 'user',
    author,
    at: deps.nowMs(),
    parts: [{ type: 'text', text }],
  };
  const source = { agent: NOTES_AGENT, path: '', part: externalId };
  const pass = { ...deps.admission.begin(source), resumed: true };
  deps.admission.admit({
    pass,
    events: [session, message],
    projects: new Map(),
    cursor: undefined,
  });
  const id = sessionId(NOTES_AGENT, externalId);
  deps.store.run('UPDATE sessions SET project_id = ?, project_pinned = 1 WHERE id = ?', [
    project,
    id,
  ]);
  const row = deps.store.get(
    `SELECT ${MESSAGE_COLUMNS} FROM session_messages sm JOIN messages m ON m.id = sm.message_id
     WHERE sm.session_id = ? AND m.external_id = ?`,
    [id, message.externalId],
  ) as MessageRecord;
  return messageView(deps.store, row);
}

/** The session of a project's notes: the first that was not forgotten. */
function notesSession(store: Store, project: string): string {
  for (let turn = 1; ; turn += 1) {
    const name = `remembered:${project}${turn === 1 ? '' : `:${turn}`}`;
    if (!isForgotten(store, 'session', sessionId(NOTES_AGENT, name))) return name;
  }
}

function noteId(store: Store, session: string, text: string): string {
  for (let turn = 1; ; turn += 1) {
    const externalId = turn === 1 ? digestOf(text) : digestOf(text, String(turn));
    const event = { externalId, idScope: 'session', sessionExternalId: session } as const;
    const id = newMessageId(NOTES_AGENT, event, '', 0);
    if (!isForgotten(store, 'message', id)) return externalId;
  }
}
