/**
 * The command tree.
 */
import { QUIPU_VERSION } from '@quipu/daemon/at-hand';
import { Command } from 'commander';
import { addDaemon, addMcp, addOpen, addOwnParts, addStop } from './commands/daemon.ts';
import { addImport } from './commands/import.ts';
import { addExport, addForget, addRemember, addScrub } from './commands/keep.ts';
import { addRecall } from './commands/recall.ts';
import { addContext, addProjects, addSessions, addShow } from './commands/show.ts';
import { addDoctor, addStatus } from './commands/status.ts';
import { addUninstall } from './commands/uninstall.ts';
import { addUp } from './commands/up.ts';
import { completionScript, type Shell } from './completion.ts';
import { safeText } from './terminal-text.ts';
import type { World } from './world.ts';

export function createProgram(world: World): Command {
  const program = new Command('quipu');
  program
    .description('A local-first memory for coding agents.')
    .version(QUIPU_VERSION, '-V, --version')
    .showHelpAfterError("(say 'quipu --help' for the commands)")
    .exitOverride()
    .configureOutput({ outputError: (text, write) => write(safeText(text)) })
    .configureHelp({ sortSubcommands: false })
    .addHelpText(
      'after',
      "\nData lies in QUIPU_HOME (default: the platform's data directory). Exit codes: 0 done, " +
        '1 failed,\n2 wrong use, 3 not found, 4 daemon trouble, 130 interrupted.',
    );
  const add = [
    addUp,
    addImport,
    addRecall,
    addShow,
    addSessions,
    addProjects,
    addContext,
    addRemember,
    addForget,
    addScrub,
    addExport,
    addStatus,
    addDoctor,
    addOpen,
    addStop,
    addDaemon,
    addMcp,
    addUninstall,
  ];
  for (const each of add) each(program, world);
  addOwnParts(program);
  program
    .command('completion')
    .description('print a completion script: bash, zsh or fish')
    .addArgument(program.createArgument('<shell>').choices(['bash', 'zsh', 'fish']))
    .action((shell: Shell) => world.out(completionScript(program, shell)));
  for (const command of program.commands) command.exitOverride();
  return program;
}
