/**
 * Records fixtures from a real program: `tools/record/main.ts AGENT [SITUATION …] --programs
 * FOLDER`.
 *
 * Decides: where a fixture lands (`packages/connectors/fixtures/AGENT-VERSION/SITUATION/home`),
 * that a bad recording is not kept, and the page beside it that says how it was made.
 * `expected.json` is never written here: a person writes it who has read the files. See
 * `docs/formats/recording.md`.
 */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { hostname, release, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { copyCleaned } from './cleaning/files.ts';
import { type Known, knownFrom } from './cleaning/strip.ts';
import { type Drive, drive, located } from './drive.ts';
import { PROGRAMS } from './programs/index.ts';
import type { Program, Situation } from './recording.ts';

const FIXTURES = resolve(import.meta.dirname, '../../packages/connectors/fixtures');
/** A fixture's home, whatever the run's was. */
const HOME = '/home/dev';
/** Bytes of one fixture file: larger ones want a shorter script or more taken away. */
const FILE_BYTES_MAX = 200_000;

async function record(program: Program, situation: Situation, folder: string): Promise<boolean> {
  const run = mkdtempSync(join(tmpdir(), 'quiprec'));
  const home = join(run, 'home');
  try {
    const driven = await drive(program, situation, folder, home);
    if (driven.faults.length > 0) {
      process.stderr.write(`${driven.printed}\n${driven.faults.join('\n')}\n`);
      process.stderr.write(`${situation.name}: not kept; the run is in ${run}\n`);
      return false;
    }
    const target = join(FIXTURES, `${program.agent}-${program.version}`, situation.name);
    rmSync(join(target, 'home'), { recursive: true, force: true });
    const known = knownOf(program, situation, driven, folder);
    const files = copyCleaned(home, join(target, 'home'), program.keeps, known);
    mkdirSync(target, { recursive: true });
    writeFileSync(join(target, 'README.md'), page(program, situation, driven));
    for (const { path, bytes } of files) {
      process.stdout.write(`${situation.name}: ${bytes} ${path}\n`);
      if (bytes > FILE_BYTES_MAX) process.stderr.write(`${path} is larger than a fixture may be\n`);
    }
    rmSync(run, { recursive: true, force: true });
    return files.length > 0 && files.every(({ bytes }) => bytes <= FILE_BYTES_MAX);
  } catch (failure) {
    process.stderr.write(`${situation.name}: the run is in ${run}\n`);
    throw failure;
  }
}

function knownOf(
  program: Program,
  situation: Situation,
  { place }: Drive,
  programFolder: string,
): Known {
  const project = join(HOME, program.project.name);
  const said = located(situation.exchanges, project).flatMap(({ prompt, replies }) => [
    prompt,
    ...replies.flatMap((reply) =>
      reply.blocks.flatMap((block) =>
        block.type === 'call' ? stringsIn(block.input) : [block.text],
      ),
    ),
  ]);
  const sides = (situation.sides ?? []).map((side) => side.text);
  const args = situation.steps.flatMap((step) => step.args('', place));
  const { frames = [], project: own } = program;
  return knownFrom(
    [...said, ...sides, ...args, ...frames, situation.title, ...Object.values(own.files)],
    [
      [place.home, HOME],
      [place.home.replace(/[^A-Za-z0-9]/g, '-'), HOME.replaceAll('/', '-')],
      [digest(place.project), digest(project)],
      [programFolder, `/opt/${program.agent}`],
      [place.upstream, 'http://127.0.0.1:4000'],
      [release(), '6.1.0'],
      ...(hostname().length < 8 ? [] : [[hostname(), 'devbox'] as const]),
    ],
  );
}

const digest = (text: string): string => createHash('sha256').update(text).digest('hex');

function stringsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(stringsIn) : [];
}

function page(program: Program, situation: Situation, { commands, place }: Drive): string {
  const day = new Date().toISOString().slice(0, 10);
  const typed = commands.map((each) => each.replaceAll(place.home, HOME));
  return [
    `# ${program.agent} ${program.version}: ${situation.name}`,
    '',
    `Recorded on ${day} from \`${program.package}\` against a scripted model on loopback`,
    '(`tools/record`). The home is renamed; system prompts and descriptions of tools are left out.',
    '',
    '```sh',
    ...typed,
    '```',
    '',
  ].join('\n');
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { programs: { type: 'string' } },
});
const [agent = '', ...wanted] = positionals;
const program = PROGRAMS.find((each) => each.agent === agent);
if (program === undefined || values.programs === undefined) {
  const names = PROGRAMS.map((each) => each.agent).join(', ');
  process.stderr.write(`Give a program (${names}) and --programs FOLDER.\n`);
  process.exitCode = 2;
} else {
  const folder = join(resolve(values.programs), `${program.agent}-${program.version}`);
  if (!existsSync(folder)) {
    process.stderr.write(`Install ${program.package} into ${folder} first.\n`);
    process.exitCode = 2;
  } else {
    for (const situation of program.situations) {
      if (wanted.length > 0 && !wanted.includes(situation.name)) continue;
      if (!(await record(program, situation, folder))) process.exitCode = 1;
    }
  }
}
