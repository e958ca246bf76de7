/**
 * Where Cline keeps its tasks: `tasks/<id>/api_conversation_history.json` in the extension's
 * storage of each editor, and `~/.cline/data/sessions/<id>/<id>.messages.json` of its program.
 *
 * Decides: the extension's task is one document put together from its files: the conversation, the
 * times of what it showed, and its entry in the list of tasks. The program's session is read with
 * its manifest; a sub-agent's with the place in its parent's.
 */
import { basename, dirname, join } from 'node:path';
import { documentFeed } from '../feed/document.ts';
import {
  firstStringAt,
  isObject,
  type JsonObject,
  listAt,
  numberAt,
  parseJson,
  stringAt,
  valueAt,
} from '../json.ts';
import type { FinderEnvironment, FoundSource, SourceRecord, TranscriptReader } from '../reader.ts';
import { smallFile } from '../reading/small-file.ts';
import { kindOf, walkFiles } from '../reading/walk.ts';
import { clineParser } from './parser.ts';

const EXTENSION = 'saoudrizwan.claude-dev';
const EDITORS = ['Code', 'Code - Insiders', 'VSCodium', 'Cursor', 'Windsurf'];
const CONVERSATION = 'api_conversation_history.json';

export function clineRoots({ home, platform, env }: FinderEnvironment): string[] {
  const config =
    platform === 'darwin'
      ? join(home, 'Library', 'Application Support')
      : platform === 'win32'
        ? (env['APPDATA'] ?? join(home, 'AppData', 'Roaming'))
        : (env['XDG_CONFIG_HOME'] ?? join(home, '.config'));
  const storages = [
    ...EDITORS.map((editor) => join(config, editor, 'User', 'globalStorage', EXTENSION)),
    ...['.vscode-server', '.vscode-server-insiders', '.cursor-server'].map((server) =>
      join(home, server, 'data', 'User', 'globalStorage', EXTENSION),
    ),
  ];
  return [...storages.map((storage) => join(storage, 'tasks')), join(home, '.cline', 'data')];
}

const isConversation = (name: string): boolean =>
  name === CONVERSATION || name.endsWith('.messages.json');

const found = (path: string): FoundSource => ({ agent: 'cline', path, feed: 'document', part: '' });

export const clineReader: TranscriptReader = {
  parser: clineParser,
  feed: clineFeed,
  find: async function* find(environment) {
    for (const root of clineRoots(environment)) {
      for await (const path of walkFiles(root, isConversation)) yield found(path);
    }
  },
  claim: async function* claim(path) {
    if ((await kindOf(path)) === 'file') {
      if (isConversation(basename(path))) yield found(path);
      return;
    }
    for await (const file of walkFiles(path, isConversation)) yield found(file);
  },
};

async function* clineFeed(
  source: FoundSource,
  position: number,
  signal?: AbortSignal,
): AsyncIterable<SourceRecord> {
  for await (const record of documentFeed(source, position, signal)) {
    const document = parseJson(record.text);
    const text =
      basename(source.path) === CONVERSATION && Array.isArray(document)
        ? JSON.stringify({ ...(await aboutTask(source.path)), $api: document })
        : await withManifest(source.path, document);
    yield { ...record, text: text ?? record.text };
  }
}

type AboutTask = { $task: string; $cwd: string; $title: string; $times: unknown };

async function aboutTask(path: string): Promise<AboutTask> {
  const folder = dirname(path);
  const task = basename(folder);
  const shown = parseJson(await smallFile(join(folder, 'ui_messages.json')));
  const history = parseJson(await smallFile(join(folder, '..', '..', 'state', 'taskHistory.json')));
  const entry = (Array.isArray(history) ? history : []).find(
    (each) => stringAt(each, 'id') === task,
  );
  const times = (Array.isArray(shown) ? shown : []).filter(isObject).flatMap((each) => {
    const at = numberAt(each, 'conversationHistoryIndex');
    const ts = numberAt(each, 'ts');
    return at === undefined || ts === undefined ? [] : [[at, ts]];
  });
  return {
    $task: task,
    $cwd: firstStringAt(entry, 'cwdOnTaskInitialization', 'cwd'),
    $title: stringAt(entry, 'task'),
    $times: times,
  };
}

async function withManifest(path: string, document: unknown): Promise<string | undefined> {
  if (!isObject(document) || listAt(document, 'messages').length === 0) return undefined;
  const own = parseJson(await smallFile(path.replace(/\.messages\.json$/, '.json')));
  const manifest = isObject(own) ? own : await placeOfParent(path);
  return manifest === undefined ? undefined : JSON.stringify({ ...document, $manifest: manifest });
}

/** A sub-agent has no manifest; its parent's lies in the same folder, named as the folder is. */
async function placeOfParent(path: string): Promise<JsonObject | undefined> {
  const folder = dirname(path);
  const parent = parseJson(await smallFile(join(folder, `${basename(folder)}.json`)));
  if (!isObject(parent)) return undefined;
  const { cwd, workspace_root, metadata } = parent;
  return { cwd, workspace_root, metadata: { git: valueAt(metadata, 'git') } };
}
