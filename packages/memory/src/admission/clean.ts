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

export function createPartCleaner(store: Store): PartCleaner {
  const redactor = createRedactor();
  const known = {
    has: (digest: string): boolean =>
      store.get('SELECT 1 AS n FROM recall_outputs WHERE digest = ?', [digest]) !== undefined,
  };
  return (parts: readonly Part[], ownCalls: ReadonlySet<string> = new Set()) => {
    const stripped = stripOwnParts(parts, known, ownCalls);
    const redacted = redactor.redactParts(stripped.parts);
    return {
      parts: redacted.parts,
      redacted: redacted.counts,
      ownOutput: stripped.removed,
      ownCalls: ownCallIds(parts),
    };
  };
}
