/**
 * The reader interface: a pure incremental parser plus a thin finder.
 *
 * Decides: how a source of transcripts becomes `TranscriptEvent`s, and who owes what.
 *
 *   finder.find(home) ──▶ FoundSource ──▶ feed (line | rows | document) ──▶ record
 *                                                        parser.read(state, record) ──▶ events
 *
 * Parser: pure (no node: import, no clock, no files), state is plain JSON so that it is kept in the
 *   store between imports; `read` on the records after a saved state gives the same events as on
 *   the whole. Never throws on any input: what it cannot read is a `skip` event.
 * Feed: opens read-only, never changes or checkpoints the source, yields whole records only (a torn
 *   last line waits), in order, each with the position after it.
 */
import type { TranscriptEvent } from '@quipu/store';

/**
 * One record of a source. `text` is one line (without its end), one row, or one document as JSON.
 */
export type SourceRecord = {
  readonly text: string;
  /** Where the next import continues: for lines the byte offset after this line's end. */
  readonly positionAfter: number;
  /** Bytes of long strings that the feed left out of `text` (see `limits.ts`); 0 almost always. */
  readonly elidedBytes: number;
};

/** How a source is fed: appended lines; one document read whole; rows of a SQLite database. */
export type FeedKind = 'lines' | 'document' | 'rows';

export type FoundSource = {
  readonly agent: string;
  /** Absolute path of the file (or database) read. */
  readonly path: string;
  readonly feed: FeedKind;
  /**
   * Distinguishes several sources in one file (one session of a database); empty otherwise. With
   * `path` it is the key under which the cursor is kept.
   */
  readonly part: string;
  /**
   * Why it cannot be read, where the finder knows (a folder without permission, a form that is not
   * understood): a category such as `source-forbidden`. The feed of such a source throws a
   * `SourceFailure` of that category, so that the importer reports it beside the path and goes on.
   */
  readonly failure?: string;
};

/** What a parser knows of where it reads, beyond the records: names that carry ids. */
export type SourceContext = { readonly path: string; readonly part: string };

export type ReadStep<State> = {
  readonly state: State;
  readonly events: readonly TranscriptEvent[];
};

export type TranscriptParser<State> = {
  /** Raise when the events change for the same records: older cursors are then read anew. */
  readonly version: number;
  readonly initial: (context: SourceContext) => State;
  readonly read: (state: State, record: SourceRecord) => ReadStep<State>;
  /**
   * Called when the records end for now: emits what is held back. Reading continues later from the
   * state before this call, so what is emitted here comes again, perhaps longer: a message that can
   * still grow must carry an `externalId` (its place in the session where the agent keeps none).
   */
  readonly finish: (state: State) => ReadStep<State>;
};

/** Where to look: the person's home and environment, so that tests give their own. */
export type FinderEnvironment = {
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: NodeJS.Platform;
};

export type TranscriptReader = {
  /** Every transcript of this agent under the usual places, oldest first where that is cheap. */
  readonly find: (environment: FinderEnvironment) => AsyncIterable<FoundSource>;
  /**
   * Whether a path given by the user is this agent's (by name and first bytes); yields the sources
   * in it (a file, or everything below a folder).
   */
  readonly claim: (path: string) => AsyncIterable<FoundSource>;
  // biome-ignore lint/suspicious/noExplicitAny: the state is opaque to everyone but the parser
  readonly parser: TranscriptParser<any>;
  /**
   * Records after `position` (0 = from the start). Line feeds share one implementation; database
   * feeds bring their own.
   */
  readonly feed: (
    source: FoundSource,
    position: number,
    signal?: AbortSignal,
  ) => AsyncIterable<SourceRecord>;
};

export type AgentEntry = {
  /** Stable, lower case, used on the command line: `claude-code`, `codex`, `opencode`, … */
  readonly name: string;
  readonly displayName: string;
  /** The program's file name, a constant; empty for `generic`. */
  readonly binary: string;
  /** Where its transcripts live, for people: `~/.claude/projects/<folder>/<session>.jsonl`. */
  readonly transcripts: string;
  /** True when this agent has left something on this machine (a folder, not a running program). */
  readonly detect: (environment: FinderEnvironment) => Promise<boolean>;
  readonly reader: TranscriptReader;
};
