/**
 * Scrubbing: today's rules for secrets applied to what was stored under yesterday's.
 *
 * Decides: order. Every message, title and cursor is cleaned, a batch a transaction; then the
 * version of the rules is recorded; then the file is purged, so that old values are in no free
 * page, index, or write-ahead log. Interrupted, it starts again and finds less to do.
 */
import type { Store } from '@quipu/store';
import type { MessageIndex, PartCleaner } from '../admission/admission.ts';
import { contentDigest } from '../admission/identity.ts';
import { addRedactions, readParts, writeMessage } from '../admission/rows.ts';
import { SCRUB_BATCH_MESSAGES } from '../limits.ts';
import type { MessageRecord } from '../reading/views.ts';
import { OUTPUT_VERSION } from '../shapes.ts';

export type ScrubReport = {
  readonly version: number;
  readonly messages: number;
  readonly changed: number;
  readonly redactedByKind: Readonly<Record<string, number>>;
  /** False when it was cancelled: what was done stays, the rest is as before. */
  readonly complete: boolean;
};

export type ScrubDeps = {
  readonly store: Store;
  readonly clean: PartCleaner;
  readonly index: MessageIndex;
  readonly rulesVersion: number;
  /** Lets other work run between batches. */
  readonly pause: () => Promise<void>;
};

export type ScrubOptions = {
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((done: number, total: number) => void) | undefined;
};

/** The setting under which the version of the rules last applied to everything is kept. */
const RULES_SETTING = 'redactor_version';

/** Version of the rules that everything stored has been through; 0 when never recorded. */
export function scrubbedVersion(store: Store): number {
  const row = store.get('SELECT value FROM settings WHERE key = ?', [RULES_SETTING]) as
    | { value: string }
    | undefined;
  return row === undefined ? 0 : Number(row.value);
}

export function recordRules(store: Store, version: number): void {
  store.run(
    `INSERT INTO settings (key, value) VALUES (?, ?)
     ON CONFLICT (key) DO UPDATE SET value = excluded.value`,
    [RULES_SETTING, String(version)],
  );
}

export async function scrub(deps: ScrubDeps, options: ScrubOptions): Promise<ScrubReport> {
  const { store } = deps;
  const total = (store.get('SELECT count(*) AS n FROM messages', []) as { n: number }).n;
  const redacted: Record<string, number> = {};
  let done = 0;
  let changed = 0;
  let after = '';
  for (;;) {
    if (options.signal?.aborted === true) {
      return report({ done, changed, redacted, complete: false });
    }
    const rows = store.all('SELECT * FROM messages WHERE id > ? ORDER BY id LIMIT ?', [
      after,
      SCRUB_BATCH_MESSAGES,
    ]) as MessageRecord[];
    const last = rows.at(-1);
    if (last === undefined) break;
    changed += store.transaction(
      () => rows.filter((row) => scrubMessage(deps, row, redacted)).length,
    );
    done += rows.length;
    after = last.id;
    options.onProgress?.(done, total);
    await deps.pause();
  }
  store.transaction(() => {
    scrubSessions(deps, redacted);
    // Cursors hold text only while a message is incomplete; without them sources are read anew.
    store.run('DELETE FROM sources', []);
    addRedactions(store, redacted);
    recordRules(store, deps.rulesVersion);
  });
  store.purge();
  return report({ done, changed, redacted, complete: true });
}

function report(input: {
  done: number;
  changed: number;
  redacted: Record<string, number>;
  complete: boolean;
}): ScrubReport {
  return {
    version: OUTPUT_VERSION,
    messages: input.done,
    changed: input.changed,
    redactedByKind: input.redacted,
    complete: input.complete,
  };
}

function scrubMessage(
  deps: ScrubDeps,
  row: MessageRecord,
  redacted: Record<string, number>,
): boolean {
  const before = readParts(deps.store, row.id);
  const cleaned = deps.clean(before);
  const digest = contentDigest(row.role, row.author, cleaned.parts);
  if (digest === contentDigest(row.role, row.author, before)) return false;
  for (const [kind, count] of Object.entries(cleaned.redacted)) {
    redacted[kind] = (redacted[kind] ?? 0) + count;
  }
  deps.index.remove(row.id);
  writeMessage(deps.store, row.id, {
    session: row.session_id,
    event: {
      externalId: row.external_id,
      role: row.role,
      author: row.author,
      at: row.at ?? undefined,
      ...(row.model === null ? {} : { model: row.model }),
    },
    parts: cleaned.parts,
    digest,
  });
  deps.index.add(row.id);
  return true;
}

function scrubSessions(deps: ScrubDeps, redacted: Record<string, number>): void {
  const rows = deps.store.all(
    'SELECT id, title, cwd, git_remote FROM sessions ORDER BY id',
    [],
  ) as { id: string; title: string | null; cwd: string | null; git_remote: string | null }[];
  for (const row of rows) {
    const clean = (text: string | null): string | null => {
      if (text === null) return null;
      const cleaned = deps.clean([{ type: 'text', text }]);
      for (const [kind, count] of Object.entries(cleaned.redacted)) {
        redacted[kind] = (redacted[kind] ?? 0) + count;
      }
      const part = cleaned.parts[0];
      return part?.type === 'text' ? part.text : null;
    };
    deps.store.run('UPDATE sessions SET title = ?, cwd = ?, git_remote = ? WHERE id = ?', [
      clean(row.title),
      clean(row.cwd),
      clean(row.git_remote),
      row.id,
    ]);
  }
}
