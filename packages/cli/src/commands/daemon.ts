/**
 * Commands around the daemon: run it in the foreground, stop it, open its page, serve MCP.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import { CommandFailure, EXIT, failureOf } from '../exit-codes.ts';
import { portNumber } from '../options.ts';
import { openHere, usableDaemon, type World } from '../world.ts';

type DaemonOptions = { readonly port?: number; readonly bind?: string };

export function addDaemon(program: Command, world: World): void {
  program
    .command('daemon')
    .description('run the daemon in the foreground')
    .option('--port <n>', 'port (default 4747, or the next free one)', portNumber)
    .option('--bind <address>', 'listen elsewhere than on loopback; others can then reach it')
    .action(async (options: DaemonOptions) => {
      const { runDaemon } = await import('@quipu/daemon');
      const page = join(world.distFolder, 'web');
      const daemon = await runDaemon({
        directory: world.directory,
        program: world.program,
        pageFolder: existsSync(page) ? page : undefined,
        port: options.port,
        bind: options.bind,
      });
      if (!daemon.ok) throw failureOf(daemon.error);
      if (daemon.value === 'already-running') {
        world.note('A daemon is running already for this data directory.');
        return;
      }
      const running = daemon.value;
      world.note(`Listening on port ${running.port}. Ctrl-C stops it.`);
      const asked = new Promise<'asked'>((resolve) => {
        if (world.signal.aborted) resolve('asked');
        else world.signal.addEventListener('abort', () => resolve('asked'), { once: true });
      });
      const why = await Promise.race([asked, running.failed]);
      await running.stop();
      if (why !== 'asked') {
        throw new CommandFailure('defect', 'The daemon lost its store and ended.', EXIT.failure);
      }
    });
}

export function addStop(program: Command, world: World): void {
  program
    .command('stop')
    .description('stop the daemon')
    .action(async () => {
      const { findDaemon, stopDaemon } = await import('@quipu/daemon');
      const found = await findDaemon(world.directory);
      const gone = await stopDaemon(world.directory, world.kernel);
      if (!gone) {
        const which = found === undefined ? 'that has this directory' : `(process ${found.pid})`;
        const does = found === undefined ? 'does not answer; end its process' : 'does not stop';
        throw new CommandFailure('timed-out', `The daemon ${which} ${does}.`, EXIT.daemon);
      }
      if (found === undefined) {
        world.out('No daemon is running.');
        return;
      }
      world.out('Stopped.');
    });
}

export function addOpen(program: Command, world: World): void {
  program
    .command('open')
    .description("print the page's address, with the token that it needs")
    .action(async () => {
      const daemon = await usableDaemon(world);
      if (daemon === undefined) {
        throw new CommandFailure(
          'daemon-unreachable',
          "No daemon is running. 'quipu up' starts it.",
          EXIT.daemon,
        );
      }
      world.out(`${daemon.url}/#token=${daemon.token}`);
    });
}

export function addMcp(program: Command, world: World): void {
  program
    .command('mcp')
    .description('serve an agent over stdio (Model Context Protocol)')
    .action(async () => {
      const { createBackendFinder, serveMcpStdio } = await import('@quipu/daemon');
      const finder = createBackendFinder({
        directory: world.directory,
        open: () => openHere(world, 'query'),
      });
      await serveMcpStdio(finder.find);
      await finder.close();
    });
}

/** Processes and threads that the program starts itself. */
export function addOwnParts(program: Command): void {
  program.command('__job', { hidden: true }).action(async () => {
    const { runJobProcess } = await import('@quipu/daemon');
    await runJobProcess();
  });
  program.command('__memory', { hidden: true }).action(async () => {
    // Its own part of the package: the thread needs nothing of HTTP or MCP.
    const { runMemoryThread } = await import('@quipu/daemon/thread');
    await runMemoryThread();
  });
}
