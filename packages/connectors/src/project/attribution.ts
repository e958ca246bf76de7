/**
 * Which project a session belongs to, from what its transcript recorded and what is on disk.
 *
 * Decides, as a person would: the repository's root, wherever in it (or in a worktree of it) the
 * session ran; the directory itself where there is no repository; nothing where people only happen
 * to stand (home, `/`, `/tmp`). A directory that is gone is known by its recorded remote, else by a
 * repository around it, else by its path.
 *
 * Keys say what the project is known by, strongest first: a name that the source gave, the remote,
 * what stays with a moved repository, the path. Which of them are already known, and what happens
 * when they disagree, is decided where projects are kept, not here.
 */
import { realpath } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { normaliseRemote, remoteName } from './remote.ts';
import { findRepository, kindOf, type Repository } from './repository.ts';

export type RecordedPlace = {
  readonly cwd?: string | undefined;
  readonly gitRemote?: string | undefined;
  /** A name given by the source itself. */
  readonly project?: string | undefined;
};

export type ProjectEvidence = {
  readonly name: string;
  readonly root?: string;
  readonly remote?: string;
  readonly keys: readonly string[];
};

export type Attribution =
  | { readonly kind: 'project'; readonly evidence: ProjectEvidence }
  | {
      readonly kind: 'unattributed';
      readonly reason: 'nothing-recorded' | 'not-absolute' | 'common-place';
    };

export type ProjectFinder = {
  /** Remembers its answers; make a new one for each import, since directories move. */
  readonly find: (recorded: RecordedPlace) => Promise<Attribution>;
};

const ANSWERS_MAX = 10_000;

export function createProjectFinder(environment: { readonly home: string }): ProjectFinder {
  const answers = new Map<string, Promise<Attribution>>();
  return {
    find: (recorded) => {
      const key = JSON.stringify([recorded.cwd, recorded.gitRemote, recorded.project]);
      const known = answers.get(key);
      if (known !== undefined) return known;
      if (answers.size >= ANSWERS_MAX) answers.clear();
      const answer = attribute(recorded, environment.home);
      answers.set(key, answer);
      return answer;
    },
  };
}

async function attribute(recorded: RecordedPlace, home: string): Promise<Attribution> {
  const project = recorded.project?.trim() ?? '';
  if (project !== '') {
    return {
      kind: 'project',
      evidence: { name: project, keys: [`name:${project.toLowerCase()}`] },
    };
  }
  const remote = normaliseRemote(recorded.gitRemote ?? '');
  const cwd = (recorded.cwd ?? '').trim();
  if (cwd === '' || cwd.includes('\0')) return byRemoteAlone(remote, 'nothing-recorded');
  if (isWindowsPath(cwd) && process.platform !== 'win32') return foreignPath(cwd, remote);
  if (!cwd.startsWith('/') && !isWindowsPath(cwd)) return byRemoteAlone(remote, 'not-absolute');
  return localPath(cwd, remote, await commonPlaces(home));
}

function byRemoteAlone(
  remote: string | undefined,
  reason: 'nothing-recorded' | 'not-absolute' | 'common-place',
): Attribution {
  if (remote === undefined) return { kind: 'unattributed', reason };
  return {
    kind: 'project',
    evidence: { name: remoteName(remote), remote, keys: [`remote:${remote}`] },
  };
}

/** Where people stand without working on it: no project, and no repository is looked for there. */
async function commonPlaces(home: string): Promise<ReadonlySet<string>> {
  const places = [
    '/',
    '/tmp',
    '/var/tmp',
    '/private/tmp',
    '/root',
    '/home',
    '/Users',
    '/mnt',
    home,
  ];
  const real = await Promise.all(places.map((place) => realpath(place).catch(() => place)));
  return new Set([...places.map(trimSlash), ...real]);
}

/** Also the homes of other people and machines. */
function isCommonPlace(path: string, places: ReadonlySet<string>): boolean {
  return places.has(path) || /^\/(?:home|Users|export\/home)\/[^/]+$/.test(path);
}

async function localPath(
  cwd: string,
  recordedRemote: string | undefined,
  places: ReadonlySet<string>,
): Promise<Attribution> {
  const recordedPath = trimSlash(cwd.replace(/\/{2,}/g, '/').replace(/\/\.(?=\/|$)/g, ''));
  const existing = await nearestExisting(recordedPath);
  const gone = existing.rest !== '';
  const path = `${existing.path === '/' ? '' : existing.path}${existing.rest}` || '/';
  const repository = await findRepository(existing.path, places);
  if (repository !== undefined && fits(repository, recordedRemote, gone)) {
    return byRepository(repository, recordedRemote);
  }
  if (isCommonPlace(path, places) || isCommonPlace(recordedPath, places)) {
    return byRemoteAlone(recordedRemote, 'common-place');
  }
  return byPath(path, recordedRemote);
}

/** A directory that is gone may have been another repository inside this one. */
function fits(repository: Repository, recorded: string | undefined, gone: boolean): boolean {
  return !gone || recorded === undefined || recorded === repository.remote;
}

function byRepository(repository: Repository, recorded: string | undefined): Attribution {
  const { root } = repository;
  const remote = repository.remote ?? recorded;
  const remotes = [repository.remote, recorded].filter((r): r is string => r !== undefined);
  return {
    kind: 'project',
    evidence: {
      name: rootName(root),
      root,
      ...(remote === undefined ? {} : { remote }),
      keys: [
        ...new Set(remotes.map((one) => `remote:${one}`)),
        ...repository.identities,
        `path:${root}`,
      ],
    },
  };
}

function byPath(path: string, remote: string | undefined): Attribution {
  const evidence: ProjectEvidence = {
    name: remote === undefined ? basename(path) : remoteName(remote),
    root: path,
    ...(remote === undefined ? {} : { remote }),
    keys: [...(remote === undefined ? [] : [`remote:${remote}`]), `path:${path}`],
  };
  return { kind: 'project', evidence };
}

/** A bare repository is called by its name without `.git`, or by the directory that holds it. */
function rootName(root: string): string {
  const name = basename(root);
  return /^\.(?:git|bare)$/.test(name) ? basename(dirname(root)) : name.replace(/(?<=.)\.git$/, '');
}

/** The real path of the part that exists, and the rest as recorded. */
async function nearestExisting(path: string): Promise<{ path: string; rest: string }> {
  let at = path;
  while (at !== '/' && at !== dirname(at)) {
    if ((await kindOf(at)) === 'directory') {
      return { path: await realpath(at).catch(() => at), rest: path.slice(at.length) };
    }
    at = dirname(at);
  }
  return { path: at, rest: path === at ? '' : `/${path.replace(/^\//, '')}` };
}

const isWindowsPath = (path: string): boolean => /^(?:[A-Za-z]:[\\/]|\\\\[^\\]+\\)/.test(path);

/** A path of another machine: compared without case, never looked for here. */
function foreignPath(cwd: string, remote: string | undefined): Attribution {
  const path = cwd.replaceAll('\\', '/').replace(/(?<=[^:/])\/+$/, '');
  const place = /^[A-Za-z]:\/?$|^[A-Za-z]:\/(?:Users|Windows|Temp)(?:\/[^/]+)?$/i.test(path);
  if (place) return byRemoteAlone(remote, 'common-place');
  const found = byPath(path, remote);
  if (found.kind !== 'project') return found;
  const keys = found.evidence.keys.map((key) =>
    key.startsWith('path:') ? `path:${path.toLowerCase()}` : key,
  );
  return { kind: 'project', evidence: { ...found.evidence, keys } };
}

const trimSlash = (path: string): string => (path === '/' ? path : path.replace(/\/+$/, '') || '/');
