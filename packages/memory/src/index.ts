/** Memory: admission, recall, reading, forgetting; and the shapes of what leaves it. */
export {
  type Admission,
  type AdmitOutcome,
  addOutcome,
  emptyOutcome,
  type Pass,
  type SourceCursor,
  type SourceKey,
  type StoredCursor,
} from './admission/admission.ts';
export type { PassState } from './admission/placement.ts';
export type { MemoryError, MemoryErrorKind } from './errors.ts';
export type { RememberInput } from './keeping/remember.ts';
export type { ScrubReport } from './keeping/scrub.ts';
export { type Memory, type MemoryDeps, openMemory } from './memory.ts';
export { quoteAsData, wrapRecall } from './own-output/index.ts';
export type { ProjectEvidence } from './projects/resolve.ts';
export type { ContextRequest, ContextView } from './reading/context.ts';
export type { ShowPage } from './reading/show.ts';
export * from './recall/index.ts';
export * from './shapes.ts';
export type { BackfillReport } from './vectors/backfill.ts';
