/**
 * The reader of an agent that keeps one file of lines a session: what is common to all of them.
 *
 * Decides: the usual places are walked (bounded, links not followed); a path given by a person is
 * this agent's when its first lines look so. Nothing is opened but to read.
 */
import { basename } from 'node:path';
import { lineFeed } from '../feed/lines.ts';
import type {
  FinderEnvironment,
  FoundSource,
  TranscriptParser,
  TranscriptReader,
} from '../reader.ts';
import { PEEK_RECORDS_MAX } from './limits.ts';
import { kindOf, walkFiles } from './walk.ts';

export type LineAgent = {
  readonly agent: string;
  /** Folders under which the transcripts lie. */
  readonly roots: (environment: FinderEnvironment) => readonly string[];
  /** Whether a file of this name can be a transcript. */
  readonly wanted: (name: string) => boolean;
  /** Whether a folder of this name is looked into. */
  readonly enter?: (name: string) => boolean;
  readonly depthMax?: number;
  /** Whether one of a file's first lines shows that it is this agent's. */
  readonly looksLike: (line: string) => boolean;
  // biome-ignore lint/suspicious/noExplicitAny: the state is opaque to everyone but the parser
  readonly parser: TranscriptParser<any>;
  readonly feed?: TranscriptReader['feed'];
};

export function lineReader(agent: LineAgent): TranscriptReader {
  const source = (path: string): FoundSource => ({
    agent: agent.agent,
    path,
    feed: 'lines',
    part: '',
  });
  const walk = {
    ...(agent.enter === undefined ? {} : { enter: agent.enter }),
    ...(agent.depthMax === undefined ? {} : { depthMax: agent.depthMax }),
  };
  return {
    parser: agent.parser,
    feed: agent.feed ?? lineFeed,
    find: async function* find(environment) {
      for (const root of agent.roots(environment)) {
        for await (const path of walkFiles(root, agent.wanted, walk)) yield source(path);
      }
    },
    claim: async function* claim(path) {
      const kind = await kindOf(path);
      if (kind === 'file') {
        if (await showsItself(agent, source(path))) yield source(path);
        return;
      }
      for await (const file of walkFiles(path, agent.wanted)) {
        if (await showsItself(agent, source(file))) yield source(file);
      }
    },
  };
}

async function showsItself(agent: LineAgent, source: FoundSource): Promise<boolean> {
  let seen = 0;
  for await (const record of lineFeed(source, 0)) {
    if (agent.looksLike(record.text)) return true;
    seen += 1;
    if (seen >= PEEK_RECORDS_MAX) return false;
  }
  return false;
}

/** True when one of the folders is there. */
export async function anyFolder(paths: readonly string[]): Promise<boolean> {
  for (const path of paths) if ((await kindOf(path)) === 'folder') return true;
  return false;
}

export const isJsonLines = (name: string): boolean => basename(name).endsWith('.jsonl');
