/**
 * Commands that change memory: `remember`, `forget`, `scrub`, `export`.
 */

import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { createInterface } from 'node:readline/promises';
import type { Command } from 'commander';
import { CommandFailure, EXIT, failureOf } from '../exit-codes.ts';
import { createProgress } from '../progress.ts';
import { projectHere } from '../project-here.ts';
import { count, oneLine } from '../terminal-text.ts';
import { openHere, type World, withBackend } from '../world.ts';

export function addRemember(program: Command, world: World): void {
  program
    .command('remember')
    .description('keep a note for later sessions')
    .argument('<text...>', "the note; '-' reads standard input")
    .option('-p, --project <name>', 'the project it belongs to (default: none, for all)')
    .option('--here', "the current folder's project")
    .option('--json', 'print JSON')
    .action(
      async (words: string[], options: { project?: string; here?: boolean; json?: boolean }) => {
        const text = words.length === 1 && words[0] === '-' ? await readInput() : words.join(' ');
        const result = await withBackend(world, 'none', async (backend) => {
          const project =
            options.here === true ? await projectHere(world, backend) : options.project;
          return backend.remember({ text, project });
        });
        if (!result.ok) throw failureOf(result.error);
        if (options.json === true) {
          world.out(JSON.stringify({ version: 1, message: result.value }));
        } else world.out(`Remembered as ${result.value.id}.`);
      },
    );
}

async function readInput(): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const piece of process.stdin) pieces.push(piece as Buffer);
  return Buffer.concat(pieces).toString('utf8');
}

export function addForget(program: Command, world: World): void {
  program
    .command('forget')
    .description('forget a message, session or project for good; import does not bring it back')
    .argument('<id>', 'msg_…, ses_… or prj_…')
    .option('-y, --yes', 'do not ask')
    .option('--json', 'print JSON')
    .action(async (id: string, options: { yes?: boolean; json?: boolean }) => {
      const result = await withBackend(world, 'none', async (backend) => {
        const thing = await backend.show(id, { limit: 1 });
        if (!thing.ok) return thing;
        const what = describe(thing.value);
        if (options.yes !== true) await confirm(`Forget ${what} for good?`);
        return backend.forget(id);
      });
      if (!result.ok) throw failureOf(result.error);
      if (options.json === true) world.out(JSON.stringify(result.value));
      else world.out(`Forgotten: ${count(result.value.messages, 'message')}.`);
    });
}

type Described =
  | { readonly type: 'message'; readonly message: { readonly id: string } }
  | {
      readonly type: 'session';
      readonly session: { readonly id: string; readonly messages: number };
    }
  | {
      readonly type: 'project';
      readonly project: { readonly name: string; readonly sessions: number };
    };

function describe(view: Described): string {
  switch (view.type) {
    case 'message':
      return `the message ${view.message.id}`;
    case 'session':
      return `the session ${view.session.id} (${count(view.session.messages, 'message')})`;
    case 'project':
      return (
        `the project ${oneLine(view.project.name, 60)} ` +
        `(${count(view.project.sessions, 'session')})`
      );
  }
}

/** Asks on the terminal; where nobody can answer, `--yes` is needed. */
export async function confirm(question: string): Promise<void> {
  if (process.stdin.isTTY !== true) {
    throw new CommandFailure('bad-request', `${question} Say --yes to do it.`, EXIT.usage);
  }
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  const answer = await terminal.question(`${question} [y/N] `);
  terminal.close();
  if (!/^y(es)?$/i.test(answer.trim())) {
    throw new CommandFailure('declined', 'Nothing was changed.', EXIT.failure);
  }
}

export function addScrub(program: Command, world: World): void {
  program
    .command('scrub')
    .description("apply today's rules for secrets to everything stored, and purge the file")
    .option('--json', 'print JSON')
    .action(async (options: { json?: boolean }) => {
      const local = await openHere(world, 'none');
      try {
        const progress = createProgress(world, options.json !== true);
        const report = await local.memory.scrub({
          signal: world.signal,
          onProgress: (done, total) => progress.tell(`Scrubbing: ${done} of ${total} messages`),
        });
        progress.end();
        if (options.json === true) world.out(JSON.stringify(report));
        else {
          world.out(`${count(report.changed, 'message')} of ${report.messages} changed.`);
          const kinds = Object.entries(report.redactedByKind).map(([kind, n]) => `${kind} ${n}`);
          if (kinds.length > 0) world.out(`Redacted: ${kinds.join(', ')}.`);
        }
        if (!report.complete) {
          throw new CommandFailure('interrupted', 'Interrupted; run it again.', EXIT.interrupted);
        }
      } finally {
        await local.close();
      }
    });
}

type ExportOptions = {
  readonly out?: string;
  readonly project?: string;
  readonly session?: string;
  readonly agent?: string;
};

export function addExport(program: Command, world: World): void {
  program
    .command('export')
    .description('write what is remembered, one JSON object a line')
    .option('-o, --out <file>', 'write here instead of standard output')
    .option('-p, --project <name>', 'only this project')
    .option('-s, --session <id>', 'only this session')
    .option('-a, --agent <name>', 'only this agent')
    .action(async (options: ExportOptions) => {
      const local = await openHere(world, 'none');
      try {
        const lines = local.memory.exportLines(options);
        if (!lines.ok) throw failureOf(lines.error);
        await writeLines(world, lines.value, options.out);
      } finally {
        await local.close();
      }
    });
}

/** A file is made anew and private; one that is there already is not overwritten. */
async function writeLines(
  world: World,
  lines: Iterable<string>,
  file: string | undefined,
): Promise<void> {
  const target =
    file === undefined ? process.stdout : createWriteStream(file, { flags: 'wx', mode: 0o600 });
  if (file !== undefined) {
    await once(target, 'open').catch((failure: NodeJS.ErrnoException) => {
      const why = failure.code === 'EEXIST' ? 'exists already' : 'cannot be written';
      throw new CommandFailure('bad-request', `The file '${file}' ${why}.`, EXIT.failure);
    });
  }
  for (const line of lines) {
    if (world.signal.aborted) break;
    if (!target.write(`${line}\n`)) await once(target, 'drain');
  }
  if (file === undefined) return;
  target.end();
  await once(target, 'close');
}
