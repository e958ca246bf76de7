/**
 * `quipu uninstall`: everything that Quipu made on this machine, listed; removed when told.
 *
 * Decides: a dry run unless `--yes`; data stays unless `--data`. Only names that Quipu makes are
 * removed: a file of someone else in the data directory stays, and the directory with it.
 */
import { existsSync, readdirSync, rmdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import { CommandFailure, EXIT } from '../exit-codes.ts';
import type { World } from '../world.ts';

type Options = { readonly yes?: boolean; readonly data?: boolean; readonly json?: boolean };

/** What the program makes beside the data: runtime files, logs, the model's cache. */
const RUNTIME = [/^daemon\.(json|lock)(-journal)?$/, /^token$/, /^daemon\.log(\.\d)?$/, /^models$/];
/** The data: the store with its log files, and backups from before a migration. */
const DATA = [
  /^quipu\.db(-wal|-shm|-journal)?$/,
  /^quipu\.db\.backup-(v\d+|lock)(-journal|-wal|-shm)?$/,
  /^backups$/,
];

export function addUninstall(program: Command, world: World): void {
  program
    .command('uninstall')
    .description('remove what Quipu made (shows it first; keeps data unless told)')
    .option('-y, --yes', 'do it')
    .option('--data', 'the memory too')
    .option('--json', 'print JSON')
    .action(async (options: Options) => uninstall(world, options));
}

async function uninstall(world: World, options: Options): Promise<void> {
  const patterns = options.data === true ? [...RUNTIME, ...DATA] : RUNTIME;
  const names = existsSync(world.directory) ? readdirSync(world.directory).sort() : [];
  const removed = names.filter((name) => patterns.some((pattern) => pattern.test(name)));
  const kept = names.filter((name) => !removed.includes(name));
  const paths = removed.map((name) => join(world.directory, name));
  if (options.yes === true) {
    const { stopDaemon } = await import('@quipu/daemon');
    if (!(await stopDaemon(world.directory, world.kernel))) {
      throw new CommandFailure('timed-out', 'The daemon does not stop.', EXIT.daemon);
    }
    for (const path of paths) rmSync(path, { recursive: true, force: true });
    if (kept.length === 0 && existsSync(world.directory)) rmdirSync(world.directory);
  }
  const keptPaths = kept.map((name) => join(world.directory, name));
  if (options.json === true) {
    const done = options.yes === true;
    world.out(JSON.stringify({ version: 1, done, remove: paths, keep: keptPaths }));
    return;
  }
  world.out(options.yes === true ? 'Removed:' : 'Would remove:');
  for (const path of paths) world.out(`  ${path}`);
  if (paths.length === 0) world.out('  nothing');
  if (keptPaths.length > 0) world.out(`Kept: ${keptPaths.join(', ')}`);
  if (options.yes !== true) {
    world.out("Say 'quipu uninstall --yes' to do it; '--data' removes the memory too.");
  }
}
