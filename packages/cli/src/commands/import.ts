/**
 * `quipu import`: transcripts into memory, here and now, with or without the daemon.
 *
 * Decides: the import runs in this process (several may run at once on one store). With `--wait`
 * it returns when the vectors are done too; without, a running daemon computes them, or the next
 * `quipu up`.
 */
import { resolve } from 'node:path';
import type { ImportResult, Local } from '@quipu/daemon';
import type { Command } from 'commander';
import { CommandFailure, EXIT, failureOf } from '../exit-codes.ts';
import { createProgress } from '../progress.ts';
import { count, oneLine, safeText } from '../terminal-text.ts';
import { openHere, usableDaemon, type World } from '../world.ts';

type Options = {
  readonly agent?: readonly string[];
  readonly wait?: boolean;
  readonly json?: boolean;
};

export function addImport(program: Command, world: World): void {
  program
    .command('import')
    .description("read agents' transcripts into memory")
    .argument('[path...]', 'files or folders (default: where the agents keep theirs)')
    .option(
      '-a, --agent <name>',
      'only this agent (may be given again); for a path: whose it is',
      (name: string, before: readonly string[] = []) => [...before, name],
    )
    .option('--wait', 'return when the vectors are done too')
    .option('--json', 'print JSON')
    .action(async (paths: string[], options: Options) => {
      const local = await openHere(world, 'background');
      try {
        const report = await importHere(world, local, { paths, ...options });
        if (options.wait === true) await waitForVectors(world, local, options.json !== true);
        else await wakeDaemon(world, local);
        if (options.json === true) world.out(JSON.stringify(report));
        else printReport(world, report);
        if (world.signal.aborted) throw interrupted();
        if (report.errors.length > 0 && report.sources === report.errors.length) {
          process.exitCode = EXIT.failure;
        }
      } finally {
        await local.close();
      }
    });
}

const interrupted = (): CommandFailure =>
  new CommandFailure('interrupted', 'Interrupted; what was read is kept.', EXIT.interrupted);

export async function importHere(
  world: World,
  local: Local,
  options: {
    readonly paths?: readonly string[];
    readonly agent?: readonly string[];
    json?: boolean;
  },
): Promise<ImportResult> {
  const { importTranscripts } = await import('@quipu/daemon');
  await scrubIfNeeded(world, local);
  const progress = createProgress(world, options.json !== true);
  const paths = options.paths?.map((path) => resolve(path));
  const result = await importTranscripts(local.importDeps, {
    agents: options.agent,
    paths: paths === undefined || paths.length === 0 ? undefined : paths,
    environment: { home: world.home, env: world.env, platform: process.platform },
    signal: world.signal,
    onProgress: (p) =>
      progress.tell(
        `Reading ${p.agent}: ${p.sourcesDone} sources, ${count(p.messages, 'message')}`,
      ),
  });
  progress.end();
  if (!result.ok) throw failureOf(result.error);
  return result.value;
}

/** Stored text goes through new rules before new text joins it, so that both are known alike. */
async function scrubIfNeeded(world: World, local: Local): Promise<void> {
  if (!local.memory.needsScrub()) return;
  const progress = createProgress(world, true);
  await local.memory.scrub({
    signal: world.signal,
    onProgress: (done, total) =>
      progress.tell(`Applying new rules for secrets: ${done} of ${total}`),
  });
  progress.end();
}

export async function waitForVectors(world: World, local: Local, shown: boolean): Promise<void> {
  const progress = createProgress(world, shown);
  const report = await local.memory.backfillVectors({
    signal: world.signal,
    onProgress: (done, total) => progress.tell(`Computing vectors: ${done} of ${total}`),
  });
  progress.end();
  if (report.category !== null) {
    world.note(
      `Vectors are not complete (${report.category}); search works from words. ` +
        "'quipu doctor' says more.",
    );
  }
}

/** A daemon that runs computes the vectors; without one they wait for the next `up` or `--wait`. */
async function wakeDaemon(world: World, local: Local): Promise<void> {
  const counts = local.memory.counts();
  if (counts.vectors >= counts.chunks) return;
  const daemon = await usableDaemon(world);
  if (daemon === undefined) return;
  const { daemonClient } = await import('@quipu/daemon');
  await daemonClient(daemon).startImport({ agents: [] });
}

export function printReport(world: World, report: ImportResult): void {
  const { paint } = world;
  for (const agent of report.byAgent) {
    if (agent.sources === 0) continue;
    const facts = [
      count(agent.sessions, 'new session'),
      count(agent.messages, 'message'),
      count(agent.toolResults, 'tool result'),
    ];
    world.out(`  ${paint('bold', agent.displayName.padEnd(14))} ${facts.join(', ')}`);
  }
  const total = `${count(report.sessions, 'session')}, ${count(report.messages, 'message')}`;
  const known = report.duplicates > 0 ? `; ${report.duplicates} known already` : '';
  world.out(`Added ${total}${known}.`);
  if (report.redacted > 0) {
    const kinds = Object.entries(report.redactedByKind).map(([kind, n]) => `${kind} ${n}`);
    world.out(`Redacted ${count(report.redacted, 'secret')}: ${oneLine(kinds.join(', '), 200)}.`);
  }
  const unknown = Object.entries(report.unknownTypes);
  if (unknown.length > 0) {
    const names = unknown.map(([name, n]) => `${name} (${n})`).join(', ');
    world.out(paint('dim', `Line types not known here, left out: ${oneLine(names, 200)}.`));
  }
  for (const error of report.errors.slice(0, 10)) {
    world.note(world.paintError('yellow', `Not read (${error.category}): ${safeText(error.path)}`));
  }
  if (report.errors.length > 10) world.note(`… and ${report.errors.length - 10} more.`);
}
