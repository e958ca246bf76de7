/** Projects: from a recorded directory and remote to what identifies the project. */
export type {
  Attribution,
  ProjectEvidence,
  ProjectFinder,
  RecordedPlace,
} from './attribution.ts';
export { createProjectFinder } from './attribution.ts';
export { type Attributor, createAttributor } from './attributor.ts';
export { normaliseRemote } from './remote.ts';
