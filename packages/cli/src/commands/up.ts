/**
 * `quipu up`, what `npm start` runs: from nothing to a memory that answers.
 *
 *   start daemon ─▶ find agents ─▶ import with progress ─▶ say what was found and what to do next
 *
 * Decides: on a machine without any agent the project's example sessions are loaded, plainly said
 * so. The vectors are left to the daemon.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import { failureOf } from '../exit-codes.ts';
import { portNumber } from '../options.ts';
import { count } from '../terminal-text.ts';
import { openHere, type World } from '../world.ts';
import { importHere, printReport } from './import.ts';

type Options = { readonly port?: number; readonly json?: boolean };

export function addUp(program: Command, world: World): void {
  program
    .command('up')
    .description('start the daemon, find agents, import, and say what to do next')
    .option('--port <n>', 'port of the daemon (default 4747, or the next free one)', portNumber)
    .option('--json', 'print JSON')
    .action(async (options: Options) => up(world, options));
}

async function up(world: World, options: Options): Promise<void> {
  const { AGENTS } = await import('@quipu/connectors');
  const { daemonClient, startDaemon } = await import('@quipu/daemon');
  const environment = { home: world.home, env: world.env, platform: process.platform };
  const found: string[] = [];
  for (const entry of AGENTS) if (await entry.detect(environment)) found.push(entry.displayName);
  const json = options.json === true;
  if (!json) {
    world.out(found.length > 0 ? `Found: ${found.join(', ')}.` : 'No coding agent was found here.');
  }
  const local = await openHere(world, 'none');
  let report: Awaited<ReturnType<typeof importHere>>;
  let examples = false;
  try {
    report = await importHere(world, local, { json });
    const empty = local.memory.counts().messages === 0;
    if (empty && !world.signal.aborted && existsSync(examplesPath(world))) {
      examples = true;
      report = await importHere(world, local, {
        paths: [examplesPath(world)],
        agent: ['generic'],
        json,
      });
    }
  } finally {
    await local.close();
  }
  const daemon = await startDaemon({
    directory: world.directory,
    program: world.program,
    kernel: world.kernel,
    args: options.port === undefined ? [] : ['--port', String(options.port)],
  });
  if (!daemon.ok) throw failureOf(daemon.error);
  if (!daemon.value.started) await daemonClient(daemon.value).startImport({ agents: [] });
  const page = `${daemon.value.url}/#token=${daemon.value.token}`;
  if (json) {
    world.out(JSON.stringify({ version: 1, found, examples, page, report }));
    return;
  }
  if (examples) {
    world.out(
      "Loaded the project's own example sessions instead, so that there is something to search;",
    );
    world.out("'quipu projects' lists them, 'quipu forget ID' removes them.");
  }
  printReport(world, report);
  printNext(world, page, examples);
}

const examplesPath = (world: World): string => join(world.distFolder, 'examples', 'sessions.jsonl');

function printNext(world: World, page: string, examples: boolean): void {
  const { paint } = world;
  const question = examples ? 'why do we not retry 403' : 'what did we decide about …';
  world.out('');
  world.out(`Page: ${paint('cyan', page)}`);
  world.out(count(3, 'next command', 'next commands').replace(/^3 /, 'Three ').concat(':'));
  world.out(`  quipu recall '${question}'`);
  world.out('  quipu sessions');
  world.out('  quipu status');
  world.out(paint('dim', "In this repository say 'npx quipu …'."));
}
