/**
 * Importing transcripts: every agent found on the machine, or what a path holds.
 *
 * Decides: order (agent by agent, source by source), what one failing source means (it is reported
 * by category and path, the others go on), and when to stop (between batches).
 * Does not decide what is stored: `memory`'s admission does.
 */
import { err, ok, type Result } from '@quipu/base';
import {
  AGENTS,
  type AgentEntry,
  type FinderEnvironment,
  type FoundSource,
} from '@quipu/connectors';
import type { Kernel } from '@quipu/kernel';
import {
  type Admission,
  addOutcome,
  emptyOutcome,
  type ImportReport,
  OUTPUT_VERSION,
} from '@quipu/memory';
import { categoryOf } from './categories.ts';
import { type ImportSourceDeps, importSource } from './import-source.ts';
import { PROGRESS_INTERVAL_MS, REPORTED_ERRORS_MAX, UNKNOWN_TYPES_MAX } from './limits.ts';

export type ImportDeps = ImportSourceDeps & {
  readonly admission: Admission;
  readonly kernel: Kernel;
};

export type ImportProgress = {
  readonly agent: string;
  /** Sources finished and found so far; `found` grows while looking. */
  readonly sourcesDone: number;
  readonly sourcesFound: number;
  readonly messages: number;
};

export type ImportOptions = {
  /** Names from `AGENTS`; all when absent. */
  readonly agents?: readonly string[] | undefined;
  /** Files or folders instead of the usual places. */
  readonly paths?: readonly string[] | undefined;
  readonly environment: FinderEnvironment;
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((progress: ImportProgress) => void) | undefined;
};

/** `cancelled` sets `complete` to false; what was admitted stays. */
export type ImportResult = ImportReport & {
  readonly updated: number;
  readonly toolResults: number;
  readonly sources: number;
  readonly unchangedSources: number;
  readonly complete: boolean;
  readonly byAgent: readonly AgentImport[];
};

export type AgentImport = {
  readonly agent: string;
  readonly displayName: string;
  readonly sources: number;
  readonly sessions: number;
  readonly messages: number;
  readonly toolResults: number;
};

export type ImportError =
  | { readonly kind: 'unknown-agent'; readonly message: string }
  | { readonly kind: 'nothing-claimed'; readonly message: string };

export async function importTranscripts(
  deps: ImportDeps,
  options: ImportOptions,
): Promise<Result<ImportResult, ImportError>> {
  const entries = chooseAgents(options.agents);
  if (!entries.ok) return entries;
  const run = new ImportRun(deps, options);
  for (const entry of entries.value) {
    if (options.signal?.aborted === true) break;
    await run.agent(entry);
  }
  const paths = options.paths ?? [];
  if (paths.length > 0 && run.sourcesFound === 0 && run.errors.length === 0) {
    return err({
      kind: 'nothing-claimed',
      message:
        `No transcript was recognised in ${paths.join(', ')}. ` +
        `Name the agent with --agent (${agentNames()}).`,
    });
  }
  return ok(run.result(options.agents?.length === 1 ? (options.agents[0] ?? 'all') : 'all'));
}

function chooseAgents(
  names: readonly string[] | undefined,
): Result<readonly AgentEntry[], ImportError> {
  if (names === undefined) return ok(AGENTS);
  const unknown = names.find((name) => !AGENTS.some((entry) => entry.name === name));
  if (unknown !== undefined) {
    return err({
      kind: 'unknown-agent',
      message: `No agent is called '${unknown}'. Known: ${agentNames()}.`,
    });
  }
  return ok(AGENTS.filter((entry) => names.includes(entry.name)));
}

class ImportRun {
  readonly errors: { category: string; path: string }[] = [];
  sourcesFound = 0;
  readonly #deps: ImportDeps;
  readonly #options: ImportOptions;
  readonly #total = emptyOutcome();
  readonly #byAgent: AgentImport[] = [];
  readonly #claimed = new Set<string>();
  #sourcesDone = 0;
  #unchanged = 0;
  #complete = true;
  #toldAtMs = Number.NEGATIVE_INFINITY;

  constructor(deps: ImportDeps, options: ImportOptions) {
    this.#deps = deps;
    this.#options = options;
  }

  async agent(entry: AgentEntry): Promise<void> {
    const before = { ...this.#total };
    const doneBefore = this.#sourcesDone;
    try {
      for await (const source of this.#find(entry)) {
        if (this.#options.signal?.aborted === true) break;
        await this.#source(entry, source);
      }
    } catch (failure) {
      this.#fail(failure, entry.transcripts);
    }
    if (this.#options.signal?.aborted === true) this.#complete = false;
    this.#byAgent.push({
      agent: entry.name,
      displayName: entry.displayName,
      sources: this.#sourcesDone - doneBefore,
      sessions: this.#total.sessions - before.sessions,
      messages: this.#total.messages - before.messages,
      toolResults: this.#total.toolResults - before.toolResults,
    });
  }

  async *#find(entry: AgentEntry): AsyncIterable<FoundSource> {
    const paths = this.#options.paths;
    if (paths === undefined) {
      yield* entry.reader.find(this.#options.environment);
      return;
    }
    for (const path of paths) yield* entry.reader.claim(path);
  }

  async #source(entry: AgentEntry, source: FoundSource): Promise<void> {
    const key = `${source.path}\n${source.part}`;
    if (this.#claimed.has(key)) return;
    this.#claimed.add(key);
    this.sourcesFound += 1;
    try {
      const outcome = await importSource(this.#deps, entry, source, {
        signal: this.#options.signal,
        onPosition: () => this.#tell(entry.name),
      });
      addOutcome(this.#total, outcome);
      if (outcome.plan === 'unchanged') this.#unchanged += 1;
      if (!outcome.complete) this.#complete = false;
    } catch (failure) {
      this.#fail(failure, source.path);
    }
    this.#sourcesDone += 1;
    this.#tell(entry.name);
  }

  #fail(failure: unknown, path: string): void {
    const category = categoryOf(failure);
    if (category === undefined) throw failure;
    this.#deps.kernel.log.write({ level: 'warn', category: `import-${category}` });
    if (this.errors.length < REPORTED_ERRORS_MAX) this.errors.push({ category, path });
  }

  #tell(agent: string): void {
    const nowMs = this.#deps.kernel.clock.monotonicMs();
    if (nowMs - this.#toldAtMs < PROGRESS_INTERVAL_MS) return;
    this.#toldAtMs = nowMs;
    this.#options.onProgress?.({
      agent,
      sourcesDone: this.#sourcesDone,
      sourcesFound: this.sourcesFound,
      messages: this.#total.messages,
    });
  }

  result(agent: string): ImportResult {
    const total = this.#total;
    const sum = (counts: Readonly<Record<string, number>>): number =>
      Object.values(counts).reduce((all, count) => all + count, 0);
    return {
      version: OUTPUT_VERSION,
      agent,
      sessions: total.sessions,
      messages: total.messages,
      duplicates: total.duplicates,
      updated: total.updated,
      toolResults: total.toolResults,
      skipped: sum(total.skippedByReason),
      skippedByReason: total.skippedByReason,
      unknownTypes: Object.fromEntries(
        Object.entries(total.unknownTypes).slice(0, UNKNOWN_TYPES_MAX),
      ),
      redacted: sum(total.redactedByKind),
      redactedByKind: total.redactedByKind,
      errors: this.errors,
      sources: this.#sourcesDone,
      unchangedSources: this.#unchanged,
      complete: this.#complete,
      byAgent: this.#byAgent,
    };
  }
}

const agentNames = (): string => AGENTS.map((entry) => entry.name).join(', ');
