/**
 * `quipu recall`: one question, or a file of them.
 *
 * Decides: how hits are shown to a person (numbered, dated, matched words marked) and to a program
 * (`--json`, documented in `docs/formats/cli-json.md`). To an agent's shell, that is when standard
 * output is no terminal, the text is wrapped so that it is not taken in again as if it were new.
 */
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { err, ok, type Result } from '@quipu/base';
import type { Backend, BackendError, Local } from '@quipu/daemon';
import type { Hit, RecallRequest, RecallResponse } from '@quipu/memory';
import type { Command } from 'commander';
import { CommandFailure, EXIT, failureOf } from '../exit-codes.ts';
import { wholeNumber } from '../options.ts';
import { projectHere } from '../project-here.ts';
import { relativeTime, safeText, wrapText } from '../terminal-text.ts';
import { type World, withBackend } from '../world.ts';

type Options = Omit<RecallRequest, 'query'> & {
  readonly json?: boolean;
  readonly batch?: string;
  readonly here?: boolean;
};

export function addRecall(program: Command, world: World): void {
  program
    .command('recall')
    .description('search what agents did on this machine')
    .argument('[query...]', 'what to look for; "quoted phrases" must occur')
    .option('-p, --project <name>', 'only this project (name, id or root folder)')
    .option('--here', "only the current folder's project")
    .option('-s, --session <id>', 'only this session')
    .option('-a, --agent <name>', 'only this agent')
    .option('-k, --kind <kind>', 'text, reasoning, tool_call, tool_result or memory')
    .option('--role <role>', 'user, assistant, system or tool')
    .option('--before <date>', "only before this date: 2026-05-31, 'last Tuesday'")
    .option('--after <date>', 'only from this date on')
    .option('--path <path>', 'only what mentions this file or folder')
    .option('-n, --limit <n>', 'hits at most (default 10)', wholeNumber('limit'))
    .option('--tokens <n>', "budget for the hits' text", wholeNumber('tokens'))
    .option('--mode <mode>', 'auto, words or vectors')
    .option('--batch <file>', "answer many: a JSON object a line; '-' reads standard input")
    .option('--json', 'print JSON')
    .addHelpText('after', HELP)
    .action(async (words: string[], options: Options) => {
      if (options.batch !== undefined) await recallBatch(world, options.batch, options);
      else await recallOnce(world, words.join(' '), options);
    });
}

const HELP = `
Examples:
  quipu recall why do we not retry 403
  quipu recall '"ECONNRESET" upload' --agent codex --after 'last month'
  quipu recall --batch questions.jsonl      {"id","query","project"?,"limit"?} a line`;

async function recallOnce(world: World, query: string, options: Options): Promise<void> {
  if (query.trim() === '') {
    throw new CommandFailure(
      'bad-request',
      "Say what to look for: quipu recall 'words'.",
      EXIT.usage,
    );
  }
  const { json, batch: _batch, here, ...filters } = options;
  const request: RecallRequest = { ...filters, query };
  await withBackend(world, 'query', async (backend, local) => {
    if (local !== undefined && request.mode !== 'words') await giveModelAMoment(world, local);
    const project = here === true ? await projectHere(world, backend) : filters.project;
    const answer = await backend.recall({ ...request, project }, world.signal);
    if (!answer.ok) throw failureOf(answer.error);
    if (json === true) world.out(JSON.stringify(answer.value));
    else await printResponse(world, backend, answer.value);
  });
}

/**
 * A process that answers one question has no model yet. It gives the model a bounded moment, when
 * there are vectors to compare with; then it answers from words. The daemon never waits.
 */
async function giveModelAMoment(world: World, local: Local): Promise<void> {
  const { embedder, memory } = local;
  if (embedder === undefined || memory.counts().vectors === 0) return;
  const limit = new AbortController();
  const late = world.kernel.timers.sleep(MODEL_MS_MAX, limit.signal).catch(() => undefined);
  await Promise.race([embedder.warm(), late]);
  limit.abort();
}

const MODEL_MS_MAX = 1_000;

async function printResponse(
  world: World,
  backend: Backend,
  response: RecallResponse,
): Promise<void> {
  const lines = response.hits.flatMap((hit, index) => hitLines(world, hit, index));
  for (const note of response.notes) world.note(world.paintError('yellow', safeText(note)));
  if (response.hits.length === 0) {
    world.out('Nothing found.');
    return;
  }
  const text = lines.join('\n');
  if (world.interactive) {
    world.out(text);
    world.out(world.paint('dim', `${response.tookMs.toFixed(1)} ms · quipu show ID opens a hit`));
    return;
  }
  const { wrapRecall } = await import('@quipu/memory');
  await backend.printed(text);
  world.out(wrapRecall(text));
}

function hitLines(world: World, hit: Hit, index: number): string[] {
  const { paint } = world;
  const when = relativeTime(hit.at, world.kernel.clock.now());
  const what = hit.kind === 'text' ? hit.role : `${hit.role} ${hit.kind.replace('_', ' ')}`;
  const where = safeText(`${hit.project ?? 'unattributed'} · ${hit.agent} · ${what} · ${when}`);
  const head = `${paint('bold', `${index + 1}.`)} ${paint('cyan', hit.id)}  ${where}`;
  const body = wrapText(hit.text, world.width - 3).map(
    (line) => `   ${markWords(world, line, hit.why.matched)}`,
  );
  return [head, ...body, ''];
}

/** Marks the words that matched; the index holds stems, so a word that begins with one counts. */
function markWords(world: World, line: string, matched: readonly string[]): string {
  const stems = matched.filter((stem) => stem.length >= 3).map((stem) => stem.toLowerCase());
  if (stems.length === 0) return line;
  return line.replace(/[\p{L}\p{N}_]+/gu, (word) =>
    stems.some((stem) => word.toLowerCase().startsWith(stem)) ? world.paint('yellow', word) : word,
  );
}

type Question = {
  /** As it was given; null where there is none. */
  readonly id: unknown;
  readonly request: Result<RecallRequest, BackendError>;
};

async function recallBatch(world: World, file: string, options: Options): Promise<void> {
  const { json: _json, batch: _batch, here: _here, ...filters } = options;
  await withBackend(world, 'query', async (backend, local) => {
    // A batch is bulk work: it waits for the model once, so that every answer is made alike.
    await local?.embedder?.warm();
    const input = file === '-' ? process.stdin : createReadStream(file);
    const opened = new Promise<void>((resolve, reject) => {
      if (file === '-') resolve();
      input.once('error', () => reject(cannotRead(file)));
      input.once('open', () => resolve());
    });
    await opened;
    const lines = createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY });
    let number = 0;
    for await (const line of lines) {
      number += 1;
      if (world.signal.aborted) return;
      if (line.trim() === '') continue;
      await answerLine(world, backend, line, number, filters);
    }
  });
}

const cannotRead = (file: string): CommandFailure =>
  new CommandFailure('not-found', `The file '${file}' cannot be read.`, EXIT.notFound);

async function answerLine(
  world: World,
  backend: Backend,
  line: string,
  number: number,
  filters: Omit<RecallRequest, 'query'>,
): Promise<void> {
  const { id, request } = parseQuestion(line, number, filters);
  const result = request.ok ? await backend.recall(request.value, world.signal) : request;
  await writeLine(
    JSON.stringify(result.ok ? { id, ...result.value } : { id, line: number, error: result.error }),
  );
}

/** Waits while the reader of the pipe is slower than we are. */
function writeLine(text: string): Promise<void> {
  if (process.stdout.write(`${text}\n`)) return Promise.resolve();
  return new Promise((resolve) => process.stdout.once('drain', resolve));
}

function parseQuestion(
  line: string,
  number: number,
  filters: Omit<RecallRequest, 'query'>,
): Question {
  const bad = (what: string, id: unknown = null): Question => ({
    id,
    request: err({ kind: 'bad-request', message: `Line ${number}: ${what}` }),
  });
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch (failure) {
    if (failure instanceof SyntaxError) return bad('not JSON.');
    throw failure;
  }
  if (typeof value !== 'object' || value === null) return bad('not an object.');
  const { id, query, ...rest } = value as Record<string, unknown>;
  if (typeof query !== 'string') return bad('"query" is missing.', id ?? null);
  const own = Object.fromEntries(
    Object.entries(rest).filter(([name]) => QUESTION_FIELDS.includes(name)),
  );
  return { id: id ?? null, request: ok({ ...filters, ...own, query }) };
}

const QUESTION_FIELDS = [
  'project',
  'session',
  'agent',
  'kind',
  'role',
  'before',
  'after',
  'path',
  'limit',
  'tokens',
  'mode',
];
