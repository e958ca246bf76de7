/**
 * LoCoMo in a store. Decides: rows are written as admission would write them, one transaction a session,
 * and indexed by the product's own indexing.
 */
import { derivedId } from '@quipu/base';
import { indexMessage } from '@quipu/memory';
import type { Store } from '@quipu/store';
import type { Conversation, Turn } from './locomo-corpus.ts';

export const projectIdOf = (conversation: Conversation): string =>
  derivedId('prj', 'locomo', conversation.name);

export function writeConversation(store: Store, conversation: Conversation): void {
  const project = projectIdOf(conversation);
  store.run(
    'INSERT INTO projects (id, name, root, remote, created_at) VALUES (?, ?, NULL, NULL, 0)',
    [project, conversation.name],
  );
  const names = new Set(conversation.turns.map((turn) => turn.session));
  for (const name of names) {
    const turns = conversation.turns.filter((turn) => turn.session === name);
    store.transaction(() => writeSession(store, project, turns));
  }
}

function writeSession(store: Store, project: string, turns: readonly Turn[]): void {
  const [first] = turns;
  const last = turns.at(-1);
  if (first === undefined || last === undefined) return;
  const session = derivedId('ses', 'generic', first.session);
  store.run(
    `INSERT INTO sessions (id, agent, external_id, project_id, started_at, ended_at)
     VALUES (?, 'generic', ?, ?, ?, ?)`,
    [session, first.session, project, first.at, last.at],
  );
  turns.forEach((turn, position) => {
    const id = derivedId('msg', session, turn.id);
    store.run(
      `INSERT INTO messages (id, session_id, external_id, role, author, at, digest)
       VALUES (?, ?, ?, 'user', ?, ?, ?)`,
      [id, session, turn.id, turn.speaker, turn.at, id],
    );
    store.run('INSERT INTO session_messages (session_id, position, message_id) VALUES (?, ?, ?)', [
      session,
      position,
      id,
    ]);
    store.run(
      `INSERT INTO parts (message_id, ordinal, type, text, tool, call_id, is_error, extra)
       VALUES (?, 0, 'text', ?, '', '', 0, '')`,
      [id, turn.text],
    );
    indexMessage(store, id);
  });
}
