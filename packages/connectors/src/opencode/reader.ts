/**
 * Where opencode keeps its sessions: a SQLite database, and before that folders of JSON files.
 *
 *   ~/.local/share/opencode/opencode.db         (XDG_DATA_HOME; `opencode-<channel>.db` of others)
 *   ~/.local/share/opencode/{storage,project}/  one file and more a session (`folder.ts`)
 *
 * Decides: a session that the database holds is not read from the files it was taken from.
 */
import { readdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { realKernel } from '@quipu/kernel';
import type { FinderEnvironment, FoundSource, TranscriptReader } from '../reader.ts';
import { SourceFailure } from '../reading/source-failure.ts';
import { kindOf, walkFiles } from '../reading/walk.ts';
import { databaseRecords, sessionIds } from './database.ts';
import { folderRecords, isSessionFile, sessionFiles } from './folder.ts';
import { opencodeParser } from './parser.ts';

export function opencodeFolder({ home, env }: FinderEnvironment): string {
  const data = env['XDG_DATA_HOME'];
  return join(data === undefined || data === '' ? join(home, '.local', 'share') : data, 'opencode');
}

const isDatabase = (path: string): boolean => /^opencode[\w.-]*\.db$/.test(basename(path));

const found = (path: string): FoundSource => ({ agent: 'opencode', path, feed: 'rows', part: '' });

export const opencodeReader: TranscriptReader = {
  parser: opencodeParser,
  feed: async function* feed(source, position, signal) {
    const records = isDatabase(source.path)
      ? databaseRecords(source.path, position, realKernel().timers)
      : folderRecords(source.path, position);
    for await (const record of records) {
      if (signal?.aborted === true) return;
      yield record;
    }
  },
  find: (environment) => sourcesIn(opencodeFolder(environment)),
  claim: async function* claim(path) {
    const kind = await kindOf(path);
    if (kind === 'absent') return;
    if (kind === 'file') {
      if (isDatabase(path) || isSessionFile(path)) yield found(path);
      return;
    }
    const folders = new Set([path]);
    for await (const file of walkFiles(path, isDatabase)) folders.add(dirname(file));
    if (basename(path) === 'storage') folders.add(dirname(path));
    for (const folder of folders) yield* sourcesIn(folder);
  },
};

async function* sourcesIn(folder: string): AsyncIterable<FoundSource> {
  const databases = (await namesIn(folder)).filter(isDatabase).map((name) => join(folder, name));
  for (const path of databases) yield found(path);
  const files: string[] = [];
  for await (const path of sessionFiles(folder)) files.push(path);
  if (files.length === 0) return;
  const kept = new Set<string>();
  for (const path of databases) for (const id of await idsIn(path)) kept.add(id);
  for (const path of files) if (!kept.has(basename(path, '.json'))) yield found(path);
}

async function namesIn(folder: string): Promise<readonly string[]> {
  return (await kindOf(folder)) === 'folder' ? (await readdir(folder)).sort() : [];
}

/** None when the database cannot be read now: its feed says so, and the files are read instead. */
async function idsIn(path: string): Promise<Iterable<string>> {
  try {
    return await sessionIds(path, realKernel().timers);
  } catch (failure) {
    if (failure instanceof SourceFailure) return [];
    throw failure;
  }
}
