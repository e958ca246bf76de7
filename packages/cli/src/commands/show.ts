/**
 * Reading commands: `show`, `sessions`, `projects`, `context`.
 */
import type { MessageView, SessionView, ShowView } from '@quipu/memory';
import type { Part } from '@quipu/store';
import type { Command } from 'commander';
import { failureOf } from '../exit-codes.ts';
import { wholeNumber } from '../options.ts';
import { projectHere } from '../project-here.ts';
import { count, oneLine, relativeTime, safeText, wrapText } from '../terminal-text.ts';
import { type World, withBackend } from '../world.ts';

type ShowOptions = {
  readonly json?: boolean;
  readonly offset?: number;
  readonly limit?: number;
  readonly full?: boolean;
};

export function addShow(program: Command, world: World): void {
  program
    .command('show')
    .description('open a message, session or project by its id')
    .argument('<id>', 'msg_…, ses_… or prj_…; a beginning of it is enough')
    .option('--offset <n>', 'of a session: messages to skip', wholeNumber('offset', 0))
    .option('-n, --limit <n>', 'of a session: messages at most', wholeNumber('limit'))
    .option('--full', 'do not shorten long tool results')
    .option('--json', 'print JSON')
    .action(async (id: string, options: ShowOptions) => {
      const page = { offset: options.offset, limit: options.limit };
      const result = await withBackend(world, 'none', (backend) => backend.show(id, page));
      if (!result.ok) throw failureOf(result.error);
      if (options.json === true) world.out(JSON.stringify(result.value));
      else await printView(world, result.value, options.full === true);
    });
}

async function printView(world: World, view: ShowView, full: boolean): Promise<void> {
  const text = viewLines(world, view, full).join('\n');
  if (world.interactive) {
    world.out(text);
    return;
  }
  const { wrapRecall } = await import('@quipu/memory');
  world.out(wrapRecall(text));
}

function viewLines(world: World, view: ShowView, full: boolean): string[] {
  switch (view.type) {
    case 'message': {
      const head = sessionLine(world, view.session);
      const around = [...view.before, view.message, ...view.after];
      return [head, '', ...around.flatMap((each) => messageLines(world, each, full))];
    }
    case 'session': {
      const more = view.nextOffset === null ? [] : [`More: --offset ${view.nextOffset}`];
      const children = view.children.map(
        (child) => `${child.parent?.kind ?? 'child'}: ${sessionLine(world, child)}`,
      );
      return [
        sessionLine(world, view.session),
        ...children,
        '',
        ...view.messages.flatMap((each) => messageLines(world, each, full)),
        ...more,
      ];
    }
    case 'project':
      return [
        `${world.paint('cyan', view.project.id)}  ${safeText(view.project.name)}`,
        safeText(view.project.root ?? view.project.remote ?? ''),
        ...view.sessions.map((session) => sessionLine(world, session)),
      ];
  }
}

function sessionLine(world: World, session: SessionView): string {
  const when = relativeTime(session.endedAt, world.kernel.clock.now());
  const name = session.title ?? session.cwd ?? session.externalId;
  const project = session.project?.name ?? 'unattributed';
  const facts = `${project} · ${session.agent} · ${count(session.messages, 'message')} · ${when}`;
  return `${world.paint('cyan', session.id)}  ${safeText(facts)}  ${oneLine(name, 48)}`;
}

function messageLines(world: World, message: MessageView, full: boolean): string[] {
  const who = message.author ?? message.role;
  const when = message.at?.slice(0, 16).replace('T', ' ') ?? '';
  const place = world.paint('dim', `${when} ${message.id}`);
  const head = `${world.paint('bold', safeText(who))} ${place}`;
  if (message.parts.length === 0) return [head, `  ${world.paint('dim', '(forgotten)')}`, ''];
  const body = message.parts.flatMap((part) => partLines(world, part, full));
  return [head, ...body.map((line) => `  ${line}`), ''];
}

const LINES_SHOWN = 12;

function partLines(world: World, part: Part, full: boolean): string[] {
  const { paint, width } = world;
  switch (part.type) {
    case 'text':
      return wrapText(part.text, width - 2);
    case 'reasoning':
      return wrapText(part.text, width - 2).map((line) => paint('dim', line));
    case 'tool_call':
      return [`${paint('yellow', `▸ ${safeText(part.tool)}`)} ${oneLine(part.input, width - 20)}`];
    case 'tool_result': {
      const lines = wrapText(part.text, width - 4);
      const shown = full ? lines : lines.slice(0, LINES_SHOWN);
      const left = lines.length - shown.length;
      const mark = part.isError ? paint('red', '✗') : paint('green', '✓');
      return [
        `${mark} ${safeText(part.tool)}`,
        ...shown.map((line) => `  ${line}`),
        ...(left > 0 ? [paint('dim', `  … ${count(left, 'more line')} (--full)`)] : []),
      ];
    }
    case 'image_ref':
      return [paint('dim', `[image ${safeText(part.mediaType)} ${safeText(part.source)}]`)];
  }
}

type ListOptions = {
  readonly json?: boolean;
  readonly project?: string;
  readonly here?: boolean;
  readonly agent?: string;
  readonly before?: string;
  readonly after?: string;
  readonly unattributed?: boolean;
  readonly limit?: number;
  readonly offset?: number;
};

export function addSessions(program: Command, world: World): void {
  const sessions = program.command('sessions').description('list sessions, or move one');
  sessions
    .command('list', { isDefault: true })
    .description('sessions, the last used first')
    .option('-p, --project <name>', 'only this project')
    .option('--here', "only the current folder's project")
    .option('-a, --agent <name>', 'only this agent')
    .option('--before <date>', 'only before this date')
    .option('--after <date>', 'only from this date on')
    .option('--unattributed', 'only sessions of no project')
    .option('-n, --limit <n>', 'at most (default 50)', wholeNumber('limit'))
    .option('--offset <n>', 'sessions to skip', wholeNumber('offset', 0))
    .option('--json', 'print JSON')
    .action(async (options: ListOptions) => {
      const { json, here, ...request } = options;
      const result = await withBackend(world, 'none', async (backend) => {
        const project = here === true ? await projectHere(world, backend) : request.project;
        return backend.sessions({ ...request, project });
      });
      if (!result.ok) throw failureOf(result.error);
      if (json === true) world.out(JSON.stringify({ version: 1, sessions: result.value }));
      else if (result.value.length === 0) world.out("No sessions. 'quipu import' brings them in.");
      else for (const session of result.value) world.out(sessionLine(world, session));
    });
  sessions
    .command('move')
    .description('put a session (and its sub-agents) into another project, for good')
    .argument('<session>', 'ses_…')
    .argument('<project>', "a project's name, id or root folder; '-' for none")
    .option('--json', 'print JSON')
    .action(async (session: string, project: string, options: { json?: boolean }) => {
      const result = await withBackend(world, 'none', (backend) => backend.move(session, project));
      if (!result.ok) throw failureOf(result.error);
      if (options.json === true) world.out(JSON.stringify({ version: 1, session: result.value }));
      else world.out(sessionLine(world, result.value));
    });
}

export function addProjects(program: Command, world: World): void {
  program
    .command('projects')
    .description('list projects')
    .option('--json', 'print JSON')
    .action(async (options: { json?: boolean }) => {
      const result = await withBackend(world, 'none', (backend) => backend.projects());
      if (!result.ok) throw failureOf(result.error);
      if (options.json === true) {
        world.out(JSON.stringify({ version: 1, projects: result.value }));
        return;
      }
      if (result.value.length === 0) world.out("No projects. 'quipu import' brings sessions in.");
      for (const project of result.value) {
        const when = relativeTime(project.lastAt, world.kernel.clock.now());
        const sessions = count(project.sessions, 'session');
        const facts = `${sessions}, ${count(project.messages, 'message')}`;
        const place = oneLine(project.remote ?? project.root ?? '', 50);
        const name = world.paint('bold', oneLine(project.name, 30));
        world.out(`${world.paint('cyan', project.id)}  ${name}  ${facts} · ${when}  ${place}`);
      }
    });
}

export function addContext(program: Command, world: World): void {
  program
    .command('context')
    .description('what a session in a project should start with')
    .option('-p, --project <name>', 'the project (default: the current folder)')
    .option('--tokens <n>', 'budget', wholeNumber('tokens'))
    .option('--json', 'print JSON')
    .action(async (options: { project?: string; tokens?: number; json?: boolean }) => {
      const result = await withBackend(world, 'none', async (backend) => {
        const project = options.project ?? (await projectHere(world, backend));
        return backend.context({ project, tokens: options.tokens });
      });
      if (!result.ok) throw failureOf(result.error);
      const { wrapRecall } = await import('@quipu/memory');
      if (options.json === true) world.out(JSON.stringify(result.value));
      else if (result.value.text === '') world.out('Nothing is remembered here yet.');
      else
        world.out(world.interactive ? safeText(result.value.text) : wrapRecall(result.value.text));
    });
}
