/** Transcripts and projects: what agents left on this machine, read without changing it. */
export { AGENTS } from './agents.ts';
export type {
  Attribution,
  Attributor,
  ProjectEvidence,
  ProjectFinder,
  RecordedPlace,
} from './project/index.ts';
export { createAttributor, createProjectFinder, normaliseRemote } from './project/index.ts';
export type {
  AgentEntry,
  FeedKind,
  FinderEnvironment,
  FoundSource,
  ReadStep,
  SourceContext,
  SourceRecord,
  TranscriptParser,
  TranscriptReader,
} from './reader.ts';
