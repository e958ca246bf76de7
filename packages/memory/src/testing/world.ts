/**
 * A fresh memory in a folder of its own, for tests; and short ways to say transcripts.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { assert } from '@quipu/base';
import { type TestKernel, testKernel } from '@quipu/kernel';
import {
  type MessageEvent,
  openStore,
  type Part,
  type Store,
  type TranscriptEvent,
} from '@quipu/store';
import type { AdmitOutcome, Pass } from '../admission/admission.ts';
import { type Memory, openMemory } from '../memory.ts';
import type { ProjectEvidence } from '../projects/resolve.ts';

export type TestMemory = {
  readonly memory: Memory;
  readonly store: Store;
  readonly kernel: TestKernel;
  readonly directory: string;
  /** Admits events of one source; a new pass unless one is given. */
  readonly admit: (
    events: readonly TranscriptEvent[],
    options?: { pass?: Pass; agent?: string; project?: string },
  ) => AdmitOutcome;
  readonly close: () => void;
};

export async function testMemory(): Promise<TestMemory> {
  const directory = mkdtempSync(join(tmpdir(), 'quipu-memory-'));
  const kernel = testKernel();
  const opened = await openStore({ directory: join(directory, 'data'), kernel });
  assert(opened.ok, 'a fresh store opens');
  const store = opened.value;
  const memory = openMemory({ store, kernel });
  return {
    memory,
    store,
    kernel,
    directory: join(directory, 'data'),
    admit: (events, options = {}) => {
      const source = { agent: options.agent ?? 'codex', path: '/t.jsonl', part: '' };
      const pass = options.pass ?? memory.admission.begin(source);
      const projects = new Map<string, ProjectEvidence>();
      for (const event of events) {
        if (event.type !== 'session') continue;
        const name = options.project ?? event.project;
        if (name !== undefined) projects.set(event.externalId, { name, keys: [`name:${name}`] });
      }
      return memory.admission.admit({ pass, events, projects, cursor: undefined });
    },
    close: () => {
      store.close();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** A message without an id of its own, as agents write that keep none. */
export function said(
  session: string,
  role: MessageEvent['role'],
  text: string | readonly Part[],
  more: Partial<MessageEvent> = {},
): MessageEvent {
  return {
    type: 'message',
    sessionExternalId: session,
    externalId: '',
    idScope: 'session',
    role,
    author: '',
    at: 1_760_000_000_000,
    parts: typeof text === 'string' ? [{ type: 'text', text }] : text,
    ...more,
  };
}

/** The texts of a session's messages, in order. */
export function textsOf(memory: Memory, store: Store, externalId: string): string[] {
  const row = store.get('SELECT id FROM sessions WHERE external_id = ?', [externalId]) as
    | { id: string }
    | undefined;
  if (row === undefined) return [];
  const view = memory.show(row.id, { limit: 1_000 });
  assert(view.ok && view.value.type === 'session', 'the session can be shown');
  return view.value.messages.map((message) =>
    message.parts.map((part) => ('text' in part ? part.text : part.type)).join('|'),
  );
}
