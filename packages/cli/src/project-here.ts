/**
 * The project of the current folder, for those who ask with `--here`. Never a silent filter.
 */
import type { Backend } from '@quipu/daemon';
import { CommandFailure, EXIT } from './exit-codes.ts';
import type { World } from './world.ts';

export async function projectHere(world: World, backend: Backend): Promise<string> {
  const { createAttributor } = await import('@quipu/connectors');
  const { cwd } = world;
  const evidence = await createAttributor()({ type: 'session', externalId: '', cwd });
  const projects = await backend.projects();
  if (!projects.ok) throw new CommandFailure('unavailable', projects.error.message, EXIT.failure);
  const key = evidence?.keys[0];
  if (key === undefined) {
    throw new CommandFailure(
      'not-found',
      `${cwd} is no project of its own. Name one with --project; 'quipu projects' lists them.`,
      EXIT.notFound,
    );
  }
  return key;
}
