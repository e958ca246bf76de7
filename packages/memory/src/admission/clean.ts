/**
 * What a message's parts go through before anything else sees them: Quipu's own output out, then
 * secrets out.
 *
 * Decides: the order, and that a result which arrives in a later message than its call is known by
 * the call's id, remembered for the length of a pass.
 */
import type { Part, Store } from '@quipu/store';
import { ownCallIds, stripOwnParts } from '../own-output/index.ts';
import { createRedactor } from '../secrets/index.ts';
import type { PartCleaner } from './admission.ts';

/** Redacts texts together: a value that one of them names is taken out of all. */
export type TextCleaner = (texts: readonly string[]) => readonly string[];

export function createTextCleaner(): TextCleaner {
  const redactor = createRedactor();
  return (texts) => {
    const { parts } = redactor.redactParts(texts.map((text) => ({ type: 'text', text })));
    return parts.map((part) => (part.type === 'text' ? part.text : ''));
  };
}

export function createPartCleaner(store: Store, cleanTexts: TextCleaner): PartCleaner {
  const redactor = createRedactor();
  const nameOf = cleanerOfNames(cleanTexts);
  const known = {
    has: (digest: string): boolean =>
      store.get('SELECT 1 AS n FROM recall_outputs WHERE digest = ?', [digest]) !== undefined,
  };
  return (parts: readonly Part[], ownCalls: ReadonlySet<string> = new Set()) => {
    const named = parts.map((part) => withNames(part, nameOf));
    const stripped = stripOwnParts(named, known, ownCalls);
    const redacted = redactor.redactParts(stripped.parts);
    return {
      parts: redacted.parts,
      redacted: redacted.counts,
      ownOutput: stripped.removed,
      ownCalls: ownCallIds(named),
    };
  };
}

/** A call's tool and id are a transcript's text like any other. */
function withNames(part: Part, nameOf: (text: string) => string): Part {
  if (part.type !== 'tool_call' && part.type !== 'tool_result') return part;
  const [tool, callId] = [nameOf(part.tool), nameOf(part.callId)];
  return tool === part.tool && callId === part.callId ? part : { ...part, tool, callId };
}

const NAMES_KEPT_MAX = 10_000;

/** For short texts that come again and again: names, models, ids. */
export function cleanerOfNames(cleanTexts: TextCleaner): (text: string) => string {
  const kept = new Map<string, string>();
  return (text) => {
    if (text === '' || UUID.test(text)) return text;
    const known = kept.get(text);
    if (known !== undefined) return known;
    const cleaned = cleanTexts([text])[0] ?? '';
    if (kept.size >= NAMES_KEPT_MAX) kept.clear();
    kept.set(text, cleaned);
    return cleaned;
  };
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
