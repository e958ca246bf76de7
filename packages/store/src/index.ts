/** The SQLite file and the shapes of what it keeps. */
export type {
  ImageRefPart,
  Part,
  PartType,
  ReasoningPart,
  Role,
  TextPart,
  ToolCallPart,
  ToolResultPart,
} from './parts.ts';
export { PART_TYPES, ROLES } from './parts.ts';
export type {
  MessageEvent,
  SessionEvent,
  SessionLink,
  SkipEvent,
  TranscriptEvent,
} from './transcript.ts';
