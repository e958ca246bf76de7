/**
 * Records of opencode's older stores: folders of JSON files, one source a session.
 *
 *   storage/session/<project>/<ses>.json        storage/message/<ses>/<msg>.json
 *                                               storage/part/<msg>/<prt>.json
 *   before that, in project/<name>/storage/session/:
 *     info/<ses>.json, message/<ses>/<msg>.json (at first with its parts inside), part/<ses>/<msg>/
 *
 * Decides: the position is the newest time of change among the session's files, so that one that
 * did not change is not read again. A file that is torn is passed over; it changes once it is
 * whole.
 */
import { readFile, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { type JsonObject, numberAt, objectAt, parseObject, stringAt } from '../json.ts';
import type { SourceRecord } from '../reader.ts';
import { walkFiles } from '../reading/walk.ts';
import { recordOf } from './database.ts';

const isJson = (name: string): boolean => name.endsWith('.json');

/** Session files below opencode's data folder, of both forms. */
export async function* sessionFiles(folder: string): AsyncIterable<string> {
  yield* walkFiles(join(folder, 'storage', 'session'), isJson, { depthMax: 1 });
  const isInfo = (path: string): boolean => basename(dirname(path)) === 'info';
  for await (const path of walkFiles(join(folder, 'project'), isJson, { depthMax: 4 })) {
    if (isInfo(path)) yield path;
  }
}

/** Whether a path can be a session file of either form. */
export const isSessionFile = (path: string): boolean =>
  /[\\/]storage[\\/]session[\\/][^\\/]+[\\/][^\\/]+\.json$/.test(path);

export async function* folderRecords(path: string, position: number): AsyncIterable<SourceRecord> {
  const session = await readJson(path);
  const id = basename(path, '.json');
  if (session === undefined) return;
  const files = await filesOf(path, id);
  const times = await Promise.all([path, ...files.all].map(changedMs));
  const newest = Math.ceil(Math.max(...times));
  if (newest <= position) return;
  yield recordOf(sessionRecord(session, id), newest, 0);
  const messages = await readAll(files.messages);
  messages.sort(
    (a, b) => createdOf(a.value) - createdOf(b.value) || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0),
  );
  for (const { id: message, value } of messages) {
    const parts = await readAll(files.parts.get(message) ?? []);
    yield recordOf(
      {
        type: 'message',
        session: id,
        id: message,
        info: value,
        parts: parts.map((part) => ({ ...part.value, id: part.id })),
      },
      newest,
      0,
    );
  }
}

type SessionFiles = {
  readonly all: readonly string[];
  readonly messages: readonly string[];
  /** By message id. */
  readonly parts: ReadonlyMap<string, readonly string[]>;
};

async function filesOf(path: string, id: string): Promise<SessionFiles> {
  const first = basename(dirname(path)) === 'info';
  const root = join(dirname(path), '..', first ? '' : '..');
  const messages = await listed(join(root, 'message', id));
  const parts = new Map<string, readonly string[]>();
  for (const message of messages) {
    const name = basename(message, '.json');
    const folder = first ? join(root, 'part', id, name) : join(root, 'part', name);
    parts.set(name, await listed(folder));
  }
  return { all: [...messages, ...[...parts.values()].flat()], messages, parts };
}

async function listed(folder: string): Promise<string[]> {
  const found: string[] = [];
  for await (const path of walkFiles(folder, isJson, { depthMax: 0 })) found.push(path);
  return found;
}

function sessionRecord(session: JsonObject, id: string): object {
  return {
    type: 'session',
    id,
    directory: stringAt(session, 'directory'),
    title: stringAt(session, 'title'),
    version: stringAt(session, 'version'),
    parent: stringAt(session, 'parentID'),
  };
}

function createdOf(info: JsonObject): number {
  const time = objectAt(info, 'time') ?? objectAt(objectAt(info, 'metadata'), 'time');
  return numberAt(time, 'created') ?? 0;
}

type Named = { readonly id: string; readonly value: JsonObject };

async function readAll(paths: readonly string[]): Promise<Named[]> {
  const found: Named[] = [];
  for (const path of paths) {
    const value = await readJson(path);
    if (value !== undefined) found.push({ id: basename(path, '.json'), value });
  }
  return found;
}

/** The object in a file; undefined when it is none, gone, or torn. */
async function readJson(path: string): Promise<JsonObject | undefined> {
  return parseObject(await unlessGone(readFile(path, 'utf8'), ''));
}

const changedMs = async (path: string): Promise<number> =>
  (await unlessGone(stat(path), undefined))?.mtimeMs ?? 0;

/** A file may go between the listing and the reading: the program removes what was undone. */
async function unlessGone<T>(reading: Promise<T>, otherwise: T): Promise<T>;
async function unlessGone<T>(reading: Promise<T>, otherwise: undefined): Promise<T | undefined>;
async function unlessGone<T>(
  reading: Promise<T>,
  otherwise: T | undefined,
): Promise<T | undefined> {
  try {
    return await reading;
  } catch (failure) {
    if ((failure as NodeJS.ErrnoException).code === 'ENOENT') return otherwise;
    throw failure;
  }
}
