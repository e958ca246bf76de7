/** Transcripts and projects: what agents left on this machine, read without changing it. */
export type {
  Attribution,
  Attributor,
  ProjectEvidence,
  ProjectFinder,
  RecordedPlace,
} from './project/index.ts';
export { createAttributor, createProjectFinder, normaliseRemote } from './project/index.ts';
