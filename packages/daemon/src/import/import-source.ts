/**
 * Importing one source: plan, feed, parse, attribute, admit; batch by batch, resumable.
 *
 * Decides: when the cursor moves. Each batch is admitted together with the cursor after its last
 * record; cancellation and failure leave the source at its last batch.
 */
import { stat } from 'node:fs/promises';
import type { AgentEntry, FoundSource, ReadStep } from '@quipu/connectors';
import {
  type Admission,
  type AdmitOutcome,
  addOutcome,
  emptyOutcome,
  type Pass,
  type PassState,
  type ProjectEvidence,
  type SourceCursor,
} from '@quipu/memory';
import type { SessionEvent, TranscriptEvent } from '@quipu/store';
import { EventBatch } from './batch.ts';
import { planReading, type SourceState } from './plan.ts';
import { PrefixHasher } from './prefix-hasher.ts';

export type ImportSourceDeps = {
  readonly admission: Admission;
  /** The project of a session, from what its transcript recorded; undefined = unattributed. */
  readonly attribute: (session: SessionEvent) => Promise<ProjectEvidence | undefined>;
};

export type ImportSourceOptions = {
  readonly signal?: AbortSignal | undefined;
  /** Called after each batch with the bytes (or rows) read so far. */
  readonly onPosition?: ((position: number) => void) | undefined;
};

export type SourceOutcome = AdmitOutcome & {
  readonly plan: 'unchanged' | 'resume' | 'anew';
  /** False when cancelled before the end. */
  complete: boolean;
  elidedBytes: number;
};

export async function importSource(
  deps: ImportSourceDeps,
  entry: AgentEntry,
  source: FoundSource,
  options: ImportSourceOptions,
): Promise<SourceOutcome> {
  const key = { agent: source.agent, path: source.path, part: source.part };
  const state = await sourceState(source.path);
  const cursor = deps.admission.cursor(key);
  const hasher = new PrefixHasher(source.path);
  try {
    const plan = await planReading({
      feed: source.feed,
      state,
      cursor,
      readerVersion: entry.reader.parser.version,
      prefixDigest: () => hasher.digestAt(cursor?.position ?? 0),
    });
    const outcome = { ...emptyOutcome(), plan: plan.kind, complete: true, elidedBytes: 0 };
    if (plan.kind === 'unchanged') return outcome;
    const resume = plan.kind === 'resume' ? plan.cursor : undefined;
    const reading = new Reading(deps, entry, source, {
      pass: deps.admission.begin(key, resume),
      state,
      position: resume?.position ?? 0,
      parser:
        resume?.parser ?? entry.reader.parser.initial({ path: source.path, part: source.part }),
      // The planning hasher has passed the cursor only when it resumes there.
      hasher: plan.kind === 'resume' ? hasher : new PrefixHasher(source.path),
    });
    try {
      await reading.run(outcome, options);
    } finally {
      await reading.close();
    }
    return outcome;
  } finally {
    await hasher.close();
  }
}

async function sourceState(path: string): Promise<SourceState> {
  const found = await stat(path);
  return { size: found.size, changedMs: Math.max(found.mtimeMs, found.ctimeMs) };
}

type ReadingStart = {
  readonly pass: Pass;
  readonly state: SourceState;
  readonly position: number;
  readonly parser: unknown;
  readonly hasher: PrefixHasher;
};

/** Which cursor is stored with a batch: none, one to go on from, or that of the source's end. */
type KeptCursor = 'none' | 'batch' | 'final';

class Reading {
  readonly #deps: ImportSourceDeps;
  readonly #entry: AgentEntry;
  readonly #source: FoundSource;
  readonly #start: ReadingStart;
  readonly #batch = new EventBatch();
  #position: number;
  #parser: unknown;

  constructor(deps: ImportSourceDeps, entry: AgentEntry, source: FoundSource, start: ReadingStart) {
    this.#deps = deps;
    this.#entry = entry;
    this.#source = source;
    this.#start = start;
    this.#position = start.position;
    this.#parser = start.parser;
  }

  async run(outcome: SourceOutcome, options: ImportSourceOptions): Promise<void> {
    const { parser, feed } = this.#entry.reader;
    if (this.#source.feed === 'lines') await this.#start.hasher.begin(this.#start.state.size);
    for await (const record of feed(this.#source, this.#position, options.signal)) {
      this.#take(parser.read(this.#parser, record));
      this.#position = record.positionAfter;
      outcome.elidedBytes += record.elidedBytes;
      if (this.#batch.full) await this.#admit(outcome, options, 'batch');
      if (options.signal?.aborted === true) {
        outcome.complete = false;
        return;
      }
    }
    if (options.signal?.aborted === true) {
      outcome.complete = false;
      return;
    }
    // Without a cursor: the state holds what `finish` emits, and that may have been forgotten.
    await this.#admit(outcome, options, 'none');
    // What `finish` emits is not behind the cursor's state: reading on repeats it, once whole.
    const held = this.#parser;
    const place = structuredClone(this.#start.pass.state);
    this.#take(parser.finish(this.#parser));
    this.#parser = held;
    await this.#admit(outcome, options, 'final', place);
  }

  async close(): Promise<void> {
    await this.#start.hasher.close();
  }

  #take(step: ReadStep<unknown>): void {
    this.#parser = step.state;
    this.#batch.add(step.events);
  }

  async #admit(
    outcome: SourceOutcome,
    options: ImportSourceOptions,
    kept: KeptCursor,
    place?: PassState,
  ): Promise<void> {
    const events = this.#batch.take();
    const projects = await this.#projects(events);
    const cursor = kept === 'none' ? undefined : await this.#cursor(kept === 'final');
    addOutcome(
      outcome,
      this.#deps.admission.admit({
        pass: this.#start.pass,
        events,
        projects,
        cursor,
        ...(place === undefined ? {} : { place }),
      }),
    );
    options.onPosition?.(this.#position);
  }

  /**
   * The cursor after this batch. Size and time are those from before the reading, and are kept only
   * at its end: a file that grew meanwhile, or a reading that was cut off, is looked at again.
   */
  async #cursor(final: boolean): Promise<SourceCursor | undefined> {
    const lines = this.#source.feed === 'lines';
    if (!lines && !final) return undefined;
    const { hasher, state } = this.#start;
    const cursor = {
      readerVersion: this.#entry.reader.parser.version,
      parser: this.#parser,
    };
    const digest = lines ? await hasher.digestAt(this.#position) : '';
    if (digest === undefined) return undefined;
    if (lines && !(await hasher.isIntact())) {
      // Rewritten while it was read: no digest says what was read, so it is read anew.
      return { ...cursor, position: 0, prefixDigest: '', size: -1, mtimeMs: 0 };
    }
    return {
      ...cursor,
      position: this.#position,
      prefixDigest: digest,
      size: final ? state.size : -1,
      mtimeMs: final ? state.changedMs : 0,
    };
  }

  async #projects(
    events: readonly TranscriptEvent[],
  ): Promise<ReadonlyMap<string, ProjectEvidence>> {
    const projects = new Map<string, ProjectEvidence>();
    for (const event of events) {
      if (event.type !== 'session') continue;
      const evidence = await this.#deps.attribute(this.#deps.admission.cleanSession(event));
      if (evidence !== undefined) projects.set(event.externalId, evidence);
    }
    return projects;
  }
}
