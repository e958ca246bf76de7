/**
 * Driving a program through one situation.
 *
 * Decides: a fresh home and project for each; an environment of the program's own (nothing of the
 * caller's but the path to programs); the project is a git repository with a remote, as a person's
 * would be; a command has a deadline, at which its whole process group ends. A recording is good
 * only if every command ended well and the script was neither outrun nor left unsaid.
 */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Files, Place, Program, Situation } from './recording.ts';
import { type Exchange, textOf } from './upstream/script.ts';
import { startUpstream } from './upstream/server.ts';

const COMMAND_MS_MAX = 180_000;

export type Drive = {
  readonly place: Place;
  /** What went wrong; empty for a good recording. */
  readonly faults: readonly string[];
  /** The commands, as a person would type them. */
  readonly commands: readonly string[];
  /** What the program printed, for whoever looks for the cause of a fault. */
  readonly printed: string;
};

export async function drive(
  program: Program,
  situation: Situation,
  programFolder: string,
  home: string,
): Promise<Drive> {
  const project = join(home, program.project.name);
  const exchanges = located(situation.exchanges, project);
  const { sides = [], title, toolless = false } = situation;
  const upstream = await startUpstream({ exchanges, sides, title, toolless });
  try {
    const place: Place = { home, project, upstream: upstream.url };
    writeFiles(home, program.settings(place));
    writeFiles(project, program.project.files);
    makeRepository(project, program.project.name);
    const env = { ...baseEnv(home), ...program.env(place), ...situation.env };
    const faults: string[] = [];
    const commands: string[] = [];
    let printed = '';
    for (const step of situation.steps) {
      const [file = '', ...before] = program.command(programFolder);
      const args = step.args(await program.newestSession(home), place);
      const name = (before.at(-1) ?? file).split('/').at(-1) ?? '';
      commands.push([name, ...args].map(shown).join(' '));
      const run = await command(file, [...before, ...args], project, env, step.input ?? '');
      printed += run.printed;
      if (run.outcome !== 'ended') faults.push(`${run.outcome}: ${commands.at(-1)}`);
    }
    const heard = new Set(upstream.said);
    for (const reply of exchanges.flatMap((exchange) => exchange.replies)) {
      if (!heard.has(textOf(reply))) faults.push(`never said: ${textOf(reply)}`);
    }
    for (const { path, outcome } of upstream.seen) {
      if (outcome === 'exhausted') faults.push(`asked once more than scripted: ${path}`);
    }
    return { place, faults, commands, printed };
  } finally {
    await upstream.close();
  }
}

/** The script with the project's folder put where it says `HERE`. */
export const located = (exchanges: readonly Exchange[], project: string): readonly Exchange[] =>
  JSON.parse(JSON.stringify(exchanges).replaceAll('HERE', project)) as readonly Exchange[];

function writeFiles(folder: string, files: Files): void {
  mkdirSync(folder, { recursive: true });
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
}

function makeRepository(project: string, name: string): void {
  const env = { ...process.env, HOME: project, GIT_CONFIG_NOSYSTEM: '1' };
  const git = (...args: string[]): void => {
    execFileSync('git', args, { cwd: project, env, stdio: 'ignore' });
  };
  git('init', '-q', '-b', 'main');
  git('config', 'user.name', 'Dev');
  git('config', 'user.email', 'dev@example.com');
  git('remote', 'add', 'origin', `https://github.com/example/${name}.git`);
  git('add', '.');
  git('commit', '-q', '-m', `Begin ${name}`);
}

const baseEnv = (home: string): Record<string, string> => ({
  PATH: process.env['PATH'] ?? '',
  HOME: home,
  LANG: 'C.UTF-8',
  TERM: 'dumb',
  SHELL: '/bin/bash',
  NO_COLOR: '1',
  TZ: 'UTC',
});

const shown = (arg: string): string =>
  /^[\w@%+=:,./-]+$/.test(arg) ? arg : `'${arg.replaceAll("'", `'\\''`)}'`;

type Run = { readonly outcome: string; readonly printed: string };

async function command(
  file: string,
  args: readonly string[],
  cwd: string,
  env: Readonly<Record<string, string>>,
  input: string,
): Promise<Run> {
  const child = spawn(file, [...args], { cwd, env, detached: true });
  const pieces: Buffer[] = [];
  child.stdout.on('data', (piece: Buffer) => pieces.push(piece));
  child.stderr.on('data', (piece: Buffer) => pieces.push(piece));
  child.stdin.on('error', () => pieces.push(Buffer.from('[it did not read its input]\n')));
  child.stdin.end(input);
  let late = false;
  const deadline = setTimeout(() => {
    late = true;
    endGroup(child.pid);
  }, COMMAND_MS_MAX);
  const [code, signal] = (await once(child, 'close')) as [number | null, string | null];
  clearTimeout(deadline);
  endGroup(child.pid);
  const outcome = late ? 'too slow' : code === 0 ? 'ended' : `failed with ${code ?? signal}`;
  return { outcome, printed: Buffer.concat(pieces).toString('utf8') };
}

/** Ends the command's process group, which may hold servers that it left behind. */
function endGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch (failure) {
    if ((failure as NodeJS.ErrnoException).code !== 'ESRCH') throw failure;
  }
}
