/**
 * Which stored project the evidence leads to.
 *
 * Decides: the strongest key that is known wins; keys that are not known yet are learned; when
 * weaker keys lead elsewhere, that is a conflict and they stay where they are. A project that is
 * known by nothing but places (no remote, no name) may be merged into the winner: it is the same
 * directory, seen before its remote was known. Pure: the caller looks up and writes.
 *
 * Where no key is known the project's id derives from the strongest one, so that two machines that
 * meet the same remote make the same project.
 */
import { assert, derivedId } from '@quipu/base';

export type ProjectEvidence = {
  readonly name: string;
  readonly root?: string;
  readonly remote?: string;
  /** What the project is known by, strongest first; at least one. */
  readonly keys: readonly string[];
};

export type ProjectLookup = {
  readonly projectOf: (key: string) => string | undefined;
  readonly keysOf: (projectId: string) => readonly string[];
};

export type ProjectResolution = {
  readonly projectId: string;
  /** True when no key was known: the project is to be made. */
  readonly isNew: boolean;
  /** To be added to the project. */
  readonly newKeys: readonly string[];
  readonly conflict?: {
    /** Other projects that weaker keys lead to. */
    readonly projectIds: readonly string[];
    /** Those of them that are the same project, seen when less was known of it. */
    readonly mergeable: readonly string[];
  };
};

export function resolveProject(
  evidence: ProjectEvidence,
  lookup: ProjectLookup,
): ProjectResolution {
  const [strongest] = evidence.keys;
  assert(strongest !== undefined, 'evidence for a project has a key');
  const known = evidence.keys.map((key) => ({ key, projectId: lookup.projectOf(key) }));
  const newKeys = known.filter((k) => k.projectId === undefined).map((k) => k.key);
  const projectIds = [...new Set(known.flatMap((k) => k.projectId ?? []))];
  const [projectId, ...others] = projectIds;
  if (projectId === undefined) {
    return { projectId: derivedId('prj', strongest), isNew: true, newKeys };
  }
  if (others.length === 0) return { projectId, isNew: false, newKeys };
  const mergeable = others.filter((id) => !lookup.keysOf(id).some(isNamed));
  return { projectId, isNew: false, newKeys, conflict: { projectIds: others, mergeable } };
}

/** A key by which people tell projects apart, not only where one lay. */
const isNamed = (key: string): boolean => key.startsWith('remote:') || key.startsWith('name:');
