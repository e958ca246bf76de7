/** Claims about projects: real repositories, told apart or joined as a person would. */
import { execFileSync } from 'node:child_process';
import {
  mkdirSync,
  mkdtempSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createProjectFinder, type ProjectEvidence, type RecordedPlace } from './attribution.ts';
import { createAttributor } from './attributor.ts';

let base = '';
let home = '';
beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'quipu-project-')));
  home = join(base, 'home', 'dev');
  mkdirSync(home, { recursive: true });
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

const git = (cwd: string, ...args: string[]): string =>
  execFileSync(
    'git',
    [
      '-c',
      'user.name=t',
      '-c',
      'user.email=t@example.com',
      '-c',
      'protocol.file.allow=always',
      ...args,
    ],
    {
      cwd,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
      env: { ...process.env, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_SYSTEM: '/dev/null' },
    },
  );

/** A repository with one commit that no other has. */
function repository(path: string, remote?: string): string {
  const root = join(home, path);
  mkdirSync(root, { recursive: true });
  git(root, 'init', '-q');
  writeFileSync(join(root, 'name.txt'), root);
  git(root, 'add', '.');
  git(root, 'commit', '-q', '-m', `begin ${path}`);
  if (remote !== undefined) git(root, 'remote', 'add', 'origin', remote);
  return root;
}

function directory(...path: string[]): string {
  const made = join(home, ...path);
  mkdirSync(made, { recursive: true });
  return made;
}

async function evidence(recorded: RecordedPlace | string): Promise<ProjectEvidence> {
  const place = typeof recorded === 'string' ? { cwd: recorded } : recorded;
  const found = await createProjectFinder({ home }).find(place);
  if (found.kind !== 'project') throw new Error(`unattributed: ${found.reason}`);
  return found.evidence;
}

async function reason(recorded: RecordedPlace): Promise<string> {
  const found = await createProjectFinder({ home }).find(recorded);
  return found.kind === 'unattributed' ? found.reason : `project ${found.evidence.name}`;
}

const joined = (a: ProjectEvidence, b: ProjectEvidence): boolean =>
  a.keys.some((key) => b.keys.includes(key));

describe('told apart', () => {
  it('/a/b-c and /a/b/c', async () => {
    const [dashed, nested] = [directory('b-c'), directory('b', 'c')];
    expect(joined(await evidence(dashed), await evidence(nested))).toBe(false);
  });

  it('two clones of forks, though they share their root commit', async () => {
    const one = repository('one', 'https://github.com/me/app.git');
    git(home, 'clone', '-q', one, 'two');
    const two = join(home, 'two');
    git(two, 'remote', 'set-url', 'origin', 'https://github.com/them/app.git');
    expect(joined(await evidence(one), await evidence(two))).toBe(false);
  });

  it('a submodule and the repository around it', async () => {
    const library = repository('library', 'https://github.com/x/library');
    const app = repository('app', 'https://github.com/x/app');
    git(app, 'submodule', '--quiet', 'add', library, 'deps/library');
    const inside = await evidence(join(app, 'deps', 'library'));
    expect(inside.root).toBe(join(app, 'deps', 'library'));
    expect(joined(inside, await evidence(app))).toBe(false);
  });

  it('a repository nested in another', async () => {
    const outer = repository('outer');
    const inner = repository('outer/vendor/inner');
    expect(joined(await evidence(outer), await evidence(inner))).toBe(false);
    expect((await evidence(inner)).root).toBe(inner);
  });

  it('projects below a home that is itself a repository', async () => {
    git(home, 'init', '-q');
    const project = directory('notes');
    expect((await evidence(project)).root).toBe(project);
    expect(await reason({ cwd: home })).toBe('common-place');
  });
});

describe('joined', () => {
  it('a subdirectory and its root', async () => {
    const root = repository('app');
    const below = directory('app', 'packages', 'core');
    expect(await evidence(below)).toEqual(await evidence(root));
    expect(await evidence(below)).toMatchObject({ name: 'app', root });
  });

  it('a worktree and its main repository, also after it was pruned', async () => {
    const root = repository('app');
    const tree = join(home, 'elsewhere', 'feature');
    git(root, 'worktree', 'add', '-q', tree);
    expect(await evidence(tree)).toEqual(await evidence(root));
    rmSync(join(root, '.git', 'worktrees'), { recursive: true });
    expect(await evidence(tree)).toEqual(await evidence(root));
  });

  it('worktrees of one bare repository, named after their directory', async () => {
    const root = repository('seed');
    git(home, 'clone', '-q', '--bare', root, 'proj/.bare');
    git(join(home, 'proj', '.bare'), 'worktree', 'add', '-q', '../a', '-b', 'a');
    git(join(home, 'proj', '.bare'), 'worktree', 'add', '-q', '../b', '-b', 'b');
    const a = await evidence(join(home, 'proj', 'a'));
    expect(a).toEqual(await evidence(join(home, 'proj', 'b')));
    expect(a.name).toBe('proj');
  });

  it('a moved repository, with or without a remote, with its log cut too', async () => {
    for (const remote of ['https://github.com/x/moved', undefined]) {
      const from = repository(`from-${remote === undefined}`, remote);
      const before = await evidence(from);
      const to = join(home, `to-${remote === undefined}`);
      renameSync(from, to);
      expect(joined(before, await evidence(to))).toBe(true);
      rmSync(join(to, '.git', 'logs'), { recursive: true });
      expect(joined(before, await evidence(to))).toBe(true);
    }
  });

  it('a remote under another name, and in another form', async () => {
    const one = repository('one', 'git@github.com:x/app.git');
    const two = repository('two', 'https://token@github.com/X/App');
    git(two, 'remote', 'rename', 'origin', 'upstream');
    expect(joined(await evidence(one), await evidence(two))).toBe(true);
    expect(JSON.stringify(await evidence(two))).not.toContain('token');
  });

  it('a repository renamed at its host, through its clone', async () => {
    const root = repository('app', 'https://github.com/x/old-name');
    const before = await evidence(root);
    git(root, 'remote', 'set-url', 'origin', 'https://github.com/x/new-name');
    const after = await evidence(root);
    expect(after.keys[0]).toBe('remote:github.com/x/new-name');
    expect(joined(before, after)).toBe(true);
  });

  it('a symlink and what it leads to', async () => {
    const root = repository('app');
    symlinkSync(root, join(home, 'link'));
    expect(await evidence(join(home, 'link'))).toEqual(await evidence(root));
  });

  it('the inside of .git and a separate git directory', async () => {
    const root = repository('app');
    expect((await evidence(join(root, '.git', 'hooks'))).root).toBe(root);
    const apart = directory('apart');
    git(apart, 'init', '-q', `--separate-git-dir=${join(home, 'store.git')}`);
    expect((await evidence(apart)).root).toBe(apart);
  });
});

describe('Jujutsu', () => {
  /** `git_target` says where the git store is, from the store's own directory. */
  function jujutsu(root: string, target: string): void {
    mkdirSync(join(root, '.jj', 'repo', 'store'), { recursive: true });
    writeFileSync(join(root, '.jj', 'repo', 'store', 'git_target'), target);
  }

  it('without .git joins by the remote of its own store', async () => {
    const root = directory('jj-app');
    jujutsu(root, 'git');
    git(root, 'init', '-q', '--bare', '.jj/repo/store/git');
    git(
      join(root, '.jj', 'repo', 'store', 'git'),
      'remote',
      'add',
      'origin',
      'git@github.com:x/app.git',
    );
    const plain = repository('plain', 'https://github.com/x/app');
    const below = directory('jj-app', 'src');
    expect(await evidence(below)).toMatchObject({
      name: 'jj-app',
      root,
      remote: 'github.com/x/app',
    });
    expect(joined(await evidence(below), await evidence(plain))).toBe(true);
  });

  it('beside .git, or over another repository, is that repository', async () => {
    const root = repository('both', 'https://github.com/x/both');
    jujutsu(root, '../../../.git');
    const over = directory('over');
    jujutsu(over, join(root, '.git'));
    expect(await evidence(root)).toEqual(await evidence(over));
  });

  it('joins its further workspaces', async () => {
    const root = directory('main');
    jujutsu(root, 'git');
    git(root, 'init', '-q', '--bare', '.jj/repo/store/git');
    const second = directory('second');
    mkdirSync(join(second, '.jj'));
    writeFileSync(join(second, '.jj', 'repo'), '../../main/.jj/repo');
    expect(await evidence(second)).toEqual(await evidence(root));
  });
});

describe('a directory that is gone', () => {
  it('joins by its recorded remote', async () => {
    const root = repository('app', 'git@github.com:x/app.git');
    const gone = join(home, 'trees', 'app-feature');
    const found = await evidence({ cwd: gone, gitRemote: 'https://github.com/x/app' });
    expect(joined(found, await evidence(root))).toBe(true);
    expect(found.name).toBe('app');
  });

  it('joins the repository that it was in, unless it recorded another remote', async () => {
    const root = repository('app', 'git@github.com:x/app.git');
    const gone = join(root, 'packages', 'old');
    expect(await evidence(gone)).toEqual(await evidence(root));
    const other = await evidence({ cwd: gone, gitRemote: 'git@github.com:x/other.git' });
    expect(joined(other, await evidence(root))).toBe(false);
  });

  it('keeps its path otherwise, and is never its neighbour', async () => {
    const [one, two] = [join(home, 'src', 'one'), join(home, 'src', 'two')];
    expect(await evidence(one)).toEqual({ name: 'one', root: one, keys: [`path:${one}`] });
    expect(joined(await evidence(one), await evidence(two))).toBe(false);
  });
});

describe('an attributor', () => {
  it('gives the evidence or nothing, and sees a changed directory in time', async () => {
    const attribute = createAttributor({ home });
    const place = directory('later');
    expect((await attribute({ cwd: place }))?.keys).toEqual([`path:${place}`]);
    expect(await attribute({ cwd: home })).toBeUndefined();
    repository('later', 'https://github.com/x/later');
    for (let use = 0; use < 64; use += 1) await attribute({ cwd: place });
    expect((await attribute({ cwd: place }))?.remote).toBe('github.com/x/later');
  });
});

describe('what is recorded', () => {
  it('as a common place is no project', async () => {
    for (const cwd of [
      '/',
      '/tmp',
      home,
      `${home}/`,
      dirname('/home/someone/x'),
      '/Users/someone',
      'C:\\',
      'C:\\Users\\dev',
    ]) {
      expect(await reason({ cwd }), cwd).toBe('common-place');
    }
    expect(await reason({})).toBe('nothing-recorded');
    expect(await reason({ cwd: 'src/app' })).toBe('not-absolute');
  });

  it('as a name wins over everything', async () => {
    const root = repository('app', 'https://github.com/x/app');
    expect(await evidence({ cwd: root, project: 'Chosen' })).toEqual({
      name: 'Chosen',
      keys: ['name:chosen'],
    });
  });

  it('on Windows is compared without case and slash', async () => {
    const one = await evidence({ cwd: 'C:\\Users\\dev\\src\\App' });
    expect(one.keys).toEqual((await evidence({ cwd: 'c:/users/dev/src/app/' })).keys);
    expect(one.name).toBe('App');
  });

  it('in a damaged or hostile repository is still a directory', async () => {
    const root = directory('broken');
    mkdirSync(join(root, '.git'));
    expect((await evidence(root)).keys).toEqual([`path:${root}`]);
    const loop = directory('loop');
    writeFileSync(join(loop, '.git'), 'gitdir: .git');
    expect((await evidence(loop)).keys).toEqual([`path:${loop}`]);
  });
});
