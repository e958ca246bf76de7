/**
 * Which project an agent's call is about.
 *
 * Decides: an explicit argument, else the client's roots, else all projects. Never the folder that
 * the server was started in: one server may serve clients in several projects.
 */
import { fileURLToPath } from 'node:url';
import type { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { err, ok, type Result } from '@quipu/base';
import { createAttributor } from '@quipu/connectors';
import type { BackendError } from '../backend.ts';

const ALL_PROJECTS = '*';
const ROOTS_MS_MAX = 3_000;

const attribute = createAttributor();

/** A name that the backend resolves, or undefined for all projects. */
export async function projectFor(
  server: Server,
  explicit: string | undefined,
): Promise<Result<string | undefined, BackendError>> {
  if (explicit === ALL_PROJECTS) return ok(undefined);
  if (explicit !== undefined && explicit !== '') return ok(explicit);
  if (server.getClientCapabilities()?.roots === undefined) return ok(undefined);
  const { roots } = await server.listRoots(undefined, { timeout: ROOTS_MS_MAX });
  const folders = roots.flatMap((root) => toPath(root.uri));
  const folder = folders[0];
  if (folder === undefined) return ok(undefined);
  if (folders.length > 1) {
    return err({
      kind: 'bad-request',
      message: `The client has several roots. Name the project: ${folders.join(', ')}, or '*'.`,
    });
  }
  const evidence = await attribute({ type: 'session', externalId: '', cwd: folder });
  return ok(evidence?.keys[0] ?? folder);
}

function toPath(uri: string): string[] {
  if (!uri.startsWith('file:')) return [];
  try {
    return [fileURLToPath(uri)];
  } catch (failure) {
    if (failure instanceof TypeError) return [];
    throw failure;
  }
}
