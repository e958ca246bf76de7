/**
 * The documented, versioned shapes that reading commands, the HTTP API, and MCP give out.
 *
 * Decides: names and types of what leaves the process (`docs/formats/`). A change here is a change
 * of version. Times are ISO 8601 UTC strings or null; ids are stable and open with `show`.
 */
import type { Part, Role } from '@quipu/store';

/** History: 1 first shape. */
export const OUTPUT_VERSION = 1;

export type RecallRequest = {
  readonly query: string;
  /** Project id, exact name, or root path. */
  readonly project?: string | undefined;
  readonly session?: string | undefined;
  readonly agent?: string | undefined;
  /** Kind of part: `text`, `reasoning`, `tool_call`, `tool_result`, `memory`. */
  readonly kind?: string | undefined;
  readonly role?: Role | undefined;
  /** ISO date or a date in words; `before` is exclusive, `after` inclusive. */
  readonly before?: string | undefined;
  readonly after?: string | undefined;
  /** Only messages that mention this path (or a file below it). */
  readonly path?: string | undefined;
  /** Default 10, at most 200. */
  readonly limit?: number | undefined;
  /** Budget for the hits' text, in tokens. */
  readonly tokens?: number | undefined;
  /** `auto` (default), `words` (never vectors), `vectors` (vectors alone; for measuring). */
  readonly mode?: 'auto' | 'words' | 'vectors' | undefined;
};

/** One additive term of a hit's score. The score is the sum of `value` over all of them. */
export type WhyTerm = {
  /**
   * `words`, `bigram`, `identifier`, `substring`, `vector`, `vector-window`, `author`, `date`, …
   */
  readonly signal: string;
  /** The raw measurement (BM25, cosine, boost strength) before normalisation. */
  readonly raw: number;
  /** What it added to the score: `raw · scale + offset`. */
  readonly value: number;
  /** Weight over norm, the same for every hit of one answer. */
  readonly scale: number;
  readonly offset: number;
  /**
   * Rank of this hit by this signal alone, from 1; null where it was no candidate of that index.
   */
  readonly rank: number | null;
};

export type Why = {
  readonly terms: readonly WhyTerm[];
  /** Query terms that matched, as written in the index. */
  readonly matched: readonly string[];
  /** Cosine similarity to the query, or null when vectors were not used. */
  readonly similarity: number | null;
  /** True when lifted over, or placed under, another hit because it supersedes it. */
  readonly supersedes: readonly string[];
};

export type Hit = {
  /** Id of the message (`msg_…`); `show` opens it. */
  readonly id: string;
  /** The agent's own id of the message, or null. */
  readonly externalId: string | null;
  /** Kind of the part that matched best. */
  readonly kind: 'text' | 'reasoning' | 'tool_call' | 'tool_result' | 'memory';
  readonly score: number;
  readonly sessionId: string;
  readonly sessionExternalId: string;
  /** Name of the project, or null when unattributed. */
  readonly project: string | null;
  readonly agent: string;
  readonly role: Role;
  readonly at: string | null;
  /**
   * The matching passage, as data; at most a few hundred characters unless the budget allows more.
   */
  readonly text: string;
  /** The turns before and after that make it readable (short), nearest first; may be empty. */
  readonly context: readonly { readonly id: string; readonly role: Role; readonly text: string }[];
  /** Ids of near-copies collapsed into this hit. */
  readonly copies: readonly string[];
  readonly why: Why;
};

export type RecallResponse = {
  readonly version: number;
  readonly tookMs: number;
  readonly hits: readonly Hit[];
  /** `words+vectors`, or `words` with the reason in `notes`. */
  readonly mode: 'words+vectors' | 'words' | 'vectors';
  /** Plain sentences for a person: filters that matched nothing, vectors not ready, … */
  readonly notes: readonly string[];
};

export type MessageView = {
  readonly id: string;
  readonly externalId: string | null;
  readonly sessionId: string;
  readonly position: number;
  readonly role: Role;
  readonly author: string | null;
  readonly at: string | null;
  readonly model: string | null;
  readonly parts: readonly Part[];
};

export type SessionView = {
  readonly id: string;
  readonly externalId: string;
  readonly agent: string;
  readonly project: { readonly id: string; readonly name: string } | null;
  readonly title: string | null;
  readonly cwd: string | null;
  readonly startedAt: string | null;
  readonly endedAt: string | null;
  readonly messages: number;
  readonly parent: { readonly id: string; readonly kind: 'subagent' | 'fork' } | null;
};

export type ProjectView = {
  readonly id: string;
  readonly name: string;
  readonly root: string | null;
  readonly remote: string | null;
  readonly sessions: number;
  readonly messages: number;
  readonly lastAt: string | null;
};

export type ImportReport = {
  readonly version: number;
  /** Agent's name, or `all`. */
  readonly agent: string;
  readonly sessions: number;
  readonly messages: number;
  readonly duplicates: number;
  /** Lines that hold no message, by reason; unknown types by name in `unknownTypes`. */
  readonly skipped: number;
  readonly skippedByReason: Readonly<Record<string, number>>;
  readonly unknownTypes: Readonly<Record<string, number>>;
  readonly redacted: number;
  readonly redactedByKind: Readonly<Record<string, number>>;
  /** Fixed category and the source's path for each source that could not be read. */
  readonly errors: readonly { readonly category: string; readonly path: string }[];
};

/** What `show ID` gives: the thing itself, with enough around it to read it. */
export type ShowView =
  | {
      readonly version: number;
      readonly type: 'message';
      readonly message: MessageView;
      readonly session: SessionView;
      /** Neighbouring messages of the same session, in order, without the message itself. */
      readonly before: readonly MessageView[];
      readonly after: readonly MessageView[];
    }
  | {
      readonly version: number;
      readonly type: 'session';
      readonly session: SessionView;
      readonly messages: readonly MessageView[];
      /** Position to ask for next (`offset`), or null at the end. */
      readonly nextOffset: number | null;
      readonly children: readonly SessionView[];
    }
  | {
      readonly version: number;
      readonly type: 'project';
      readonly project: ProjectView;
      readonly sessions: readonly SessionView[];
    };

export type SessionsRequest = {
  readonly project?: string | undefined;
  readonly agent?: string | undefined;
  /** ISO dates, `before` exclusive, `after` inclusive; by the session's last message. */
  readonly before?: string | undefined;
  readonly after?: string | undefined;
  readonly unattributed?: boolean | undefined;
  /** Default 50, at most 500. */
  readonly limit?: number | undefined;
  readonly offset?: number | undefined;
};

export type MemoryCounts = {
  readonly projects: number;
  readonly sessions: number;
  readonly unattributedSessions: number;
  readonly messages: number;
  readonly parts: number;
  /** Passages that take part in ranking; each gets a vector. */
  readonly chunks: number;
  /** Chunks whose vector by the current model is stored. */
  readonly vectors: number;
  readonly redactedByKind: Readonly<Record<string, number>>;
  readonly agents: readonly { readonly agent: string; readonly sessions: number }[];
};

export type ForgetReport = {
  readonly version: number;
  readonly sessions: number;
  readonly messages: number;
};
