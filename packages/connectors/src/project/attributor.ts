/**
 * The project finder as importers and servers use it: a session in, evidence or undefined out.
 *
 * Decides: whose home counts as no project (this process's), and how long an answer is believed: a
 * daemon lives for weeks in which directories move, so each is looked up anew after some uses.
 */
import { homedir } from 'node:os';
import type { SessionEvent } from '@quipu/store';
import { createProjectFinder, type ProjectEvidence } from './attribution.ts';

const USES_MAX = 64;

export type Attributor = (session: Partial<SessionEvent>) => Promise<ProjectEvidence | undefined>;

export function createAttributor(
  environment: { readonly home: string } = { home: homedir() },
): Attributor {
  let finder = createProjectFinder(environment);
  let uses = 0;
  return async (session) => {
    if (uses >= USES_MAX) {
      finder = createProjectFinder(environment);
      uses = 0;
    }
    uses += 1;
    const found = await finder.find(session);
    return found.kind === 'project' ? found.evidence : undefined;
  };
}
