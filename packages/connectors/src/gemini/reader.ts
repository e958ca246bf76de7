/**
 * Where Gemini CLI keeps its chats: `~/.gemini/tmp/<slug or hash>/chats/session-*.{jsonl,json}`.
 *
 * Decides: the working directory of a chat, which its file need not hold: `.project_root` beside
 * the chats, else the map in `projects.json`, else the path whose SHA-256 the folder is named
 * after.
 */

import { createHash } from 'node:crypto';
import { basename, dirname, join } from 'node:path';
import { documentFeed } from '../feed/document.ts';
import { lineFeed } from '../feed/lines.ts';
import { isObject, parseObject, stringAt, valueAt } from '../json.ts';
import type { FinderEnvironment, FoundSource, SourceRecord, TranscriptReader } from '../reader.ts';
import { smallFile } from '../reading/small-file.ts';
import { kindOf, walkFiles } from '../reading/walk.ts';
import { contextLine, geminiParser } from './parser.ts';

export const geminiRoots = ({ home }: FinderEnvironment): string[] => [
  join(home, '.gemini', 'tmp'),
];

const isChat = (name: string): boolean => /^session-.*\.jsonl?$/.test(name);

const found = (path: string): FoundSource => ({
  agent: 'gemini',
  path,
  feed: path.endsWith('.jsonl') ? 'lines' : 'document',
  part: '',
});

export const geminiReader: TranscriptReader = {
  parser: geminiParser,
  feed: geminiFeed,
  find: async function* find(environment) {
    for (const root of geminiRoots(environment)) {
      for await (const path of walkFiles(root, isChat)) {
        if (basename(dirname(path)) === 'chats' || path.includes('chats')) yield found(path);
      }
    }
  },
  claim: async function* claim(path) {
    const files = (await kindOf(path)) === 'file' ? [path] : walkFiles(path, isChat);
    for await (const file of files) if (await isGemini(file)) yield found(file);
  },
};

async function isGemini(path: string): Promise<boolean> {
  if (!isChat(basename(path))) return false;
  const source = found(path);
  const records = source.feed === 'lines' ? lineFeed(source, 0) : documentFeed(source, 0);
  for await (const record of records) {
    const head = parseObject(record.text);
    return stringAt(head, 'sessionId') !== '' && stringAt(head, 'projectHash') !== '';
  }
  return false;
}

async function* geminiFeed(
  source: FoundSource,
  position: number,
  signal?: AbortSignal,
): AsyncIterable<SourceRecord> {
  if (position === 0) {
    const cwd = await projectRoot(source.path);
    if (cwd !== '') yield { text: contextLine(cwd), positionAfter: 0, elidedBytes: 0 };
  }
  yield* source.feed === 'lines'
    ? lineFeed(source, position, signal)
    : documentFeed(source, position, signal);
}

async function projectRoot(path: string): Promise<string> {
  const parts = path.split(/[\\/]/);
  const chats = parts.lastIndexOf('chats');
  if (chats < 2) return '';
  const folder = parts.slice(0, chats).join('/');
  const own = (await smallFile(join(folder, '.project_root'))).trim();
  if (own !== '') return own;
  const projects = valueAt(
    parseObject(await smallFile(join(folder, '..', '..', 'projects.json'))),
    'projects',
  );
  if (!isObject(projects)) return '';
  const name = basename(folder);
  for (const [root, slug] of Object.entries(projects)) {
    if (slug === name || sha256(root) === name) return root;
  }
  return '';
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
