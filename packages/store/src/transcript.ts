/**
 * What a reader says about a transcript: the events between `connectors` (which parse) and `memory`
 * (which redacts and admits).
 *
 * Decides: the vocabulary, and each side's duties.
 * Readers: emit a `session` event before the first message of that session (and again whenever they
 *   learn more: later non-empty fields win); emit messages in transcript order; may emit the same
 *   message again when it grew (same session and key: the later one replaces the earlier); never
 *   emit injected, meta, or vendor system text as a message.
 * Admission: does not trust order across sessions (a fork may arrive before its parent), redacts
 *   before anything is stored, answers repeats with "duplicate".
 */
import type { Part, Role } from './parts.ts';

export type SessionLink = {
  /** The agent's own id of the session that this one came from. */
  readonly externalId: string;
  /** `subagent`: work delegated by it. `fork`: begins with a copy of its messages. */
  readonly kind: 'subagent' | 'fork';
};

export type SessionEvent = {
  readonly type: 'session';
  /** The agent's own id; unique within the agent. */
  readonly externalId: string;
  /** The recorded working directory (absolute, as recorded), or undefined when not recorded. */
  readonly cwd?: string;
  /** A project name given by the source itself (generic JSONL); wins over `cwd`. */
  readonly project?: string;
  readonly gitRemote?: string;
  readonly gitBranch?: string;
  readonly title?: string;
  readonly model?: string;
  readonly agentVersion?: string;
  readonly parent?: SessionLink;
};

export type MessageEvent = {
  readonly type: 'message';
  readonly sessionExternalId: string;
  /**
   * The agent's own id of the message, or empty where it keeps none (identity is then by content
   * and place).
   */
  readonly externalId: string;
  /**
   * `global`: a copy of this message in another session carries the same `externalId` (Claude
   * Code's uuid), so it is the same message. `session`: the id means something within its session
   * only.
   */
  readonly idScope: 'global' | 'session';
  readonly role: Role;
  /** Who spoke, where the source names speakers beyond the role; else empty. */
  readonly author: string;
  /** Milliseconds since 1970, or undefined when the transcript has no time for it. */
  readonly at: number | undefined;
  readonly model?: string;
  readonly parts: readonly Part[];
};

/** A line or row that holds no message by design, or was not understood. Counted by `reason`. */
export type SkipEvent = {
  readonly type: 'skip';
  /**
   * `meta` bookkeeping; `compaction` a summary the agent wrote of its own history; `injected` text
   * a program added, not a person; `unknown` a type this reader has never seen; `invalid` not
   * parseable.
   */
  readonly reason: 'meta' | 'compaction' | 'injected' | 'unknown' | 'invalid';
  /** The line's type as recorded, at most 64 characters; for the report of unknown ones. */
  readonly what: string;
};

export type TranscriptEvent = SessionEvent | MessageEvent | SkipEvent;
