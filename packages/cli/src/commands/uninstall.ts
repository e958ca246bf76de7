/**
 * `quipu uninstall`: everything that Quipu made on this machine, listed; removed when told.
 *
 * Decides: a dry run unless `--yes`; data stays unless `--data`. Only names that Quipu makes are
 * removed: a file of someone else in the data directory stays, and the directory with it.
 */
import { existsSync, lstatSync, readdirSync, rmdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import { CommandFailure, EXIT } from '../exit-codes.ts';
import type { World } from '../world.ts';

type Options = { readonly yes?: boolean; readonly data?: boolean; readonly json?: boolean };

/** What the program makes beside the data: runtime files, logs, the model's cache. */
const RUNTIME = [
  /^daemon\.(json|lock)(-journal)?$/,
  /^daemon\.log(\.1)?$/,
  /^token$/,
  // Left by a process that died while it wrote one of them.
  /^(daemon\.json|token)\.\d+\.[0-9a-f]{12}$/,
];

/** The model's cache: folders named after digests, in this one. */
const MODELS = 'models';
const MODEL = /^[0-9a-f]{16}$/;

/** The data: the store with its log files, and backups from before a migration. */
const DATA = [
  /^quipu\.db(-wal|-shm|-journal)?$/,
  /^quipu\.db\.backup-(lock|v\d+)(-wal|-shm|-journal)?$/,
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

/** Not through a link: what lies behind one is not Quipu's. */
function namesIn(folder: string): string[] {
  const found = lstatSync(folder, { throwIfNoEntry: false });
  return found?.isDirectory() === true ? readdirSync(folder).sort() : [];
}

async function uninstall(world: World, options: Options): Promise<void> {
  const patterns = options.data === true ? [...RUNTIME, ...DATA] : RUNTIME;
  const names = namesIn(world.directory);
  const models = namesIn(join(world.directory, MODELS));
  const removed = [
    ...names.filter((name) => patterns.some((pattern) => pattern.test(name))),
    ...models.filter((name) => MODEL.test(name)).map((name) => join(MODELS, name)),
  ];
  const isModelsOwn = names.includes(MODELS) && models.every((name) => MODEL.test(name));
  const kept = names.filter((name) => !removed.includes(name) && !(name === MODELS && isModelsOwn));
  const paths = removed.map((name) => join(world.directory, name));
  if (options.yes === true) {
    const { stopDaemon } = await import('@quipu/daemon');
    if (!(await stopDaemon(world.directory, world.kernel))) {
      throw new CommandFailure(
        'timed-out',
        'The daemon does not stop; end its process.',
        EXIT.daemon,
      );
    }
    for (const path of paths) rmSync(path, { recursive: true, force: true });
    if (isModelsOwn) rmdirSync(join(world.directory, MODELS));
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
