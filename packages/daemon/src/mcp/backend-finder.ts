/**
 * The backend of a long-lived client beside the daemon (an agent's MCP server).
 *
 * Decides: the daemon while it answers, else a store opened here, once. Looked at again after a
 * short time, so that a start or stop of the daemon is followed.
 */
import { type Backend, localBackend } from '../backend.ts';
import { daemonClient } from '../client.ts';
import { findDaemon } from '../instance/find.ts';
import type { Local } from '../local.ts';
import { QUIPU_VERSION } from '../version.ts';

export type BackendFinder = {
  readonly find: () => Promise<Backend>;
  readonly close: () => Promise<void>;
};

export function createBackendFinder(options: {
  readonly directory: string;
  readonly open: () => Promise<Local>;
}): BackendFinder {
  let local: Promise<Local> | undefined;
  return {
    find: async () => {
      const daemon = await findDaemon(options.directory);
      if (daemon !== undefined && daemon.version === QUIPU_VERSION) return daemonClient(daemon);
      local ??= options.open();
      return localBackend((await local).memory);
    },
    close: async () => {
      await (await local)?.close();
    },
  };
}
