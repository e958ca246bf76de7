/**
 * The reader of an agent that keeps one file of lines a session: what is common to all of them.
 *
 * Decides: the usual places are walked (bounded, links not followed); a path given by a person is
 * this agent's when its first lines look so. What cannot be read (a folder, a form of file) is a
 * source too, whose feed fails: it is reported, not passed over. Nothing is opened but to read.
 */
import { basename } from 'node:path';
import { documentFeed } from '../feed/document.ts';
import { lineFeed } from '../feed/lines.ts';
import type {
  FinderEnvironment,
  FoundSource,
  TranscriptParser,
  TranscriptReader,
} from '../reader.ts';
import { PEEK_RECORDS_MAX } from './limits.ts';
import { SourceFailure } from './source-failure.ts';
import { kindOf, type WalkOptions, walkFiles } from './walk.ts';

export type LineAgent = {
  readonly agent: string;
  /** Folders under which the transcripts lie. */
  readonly roots: (environment: FinderEnvironment) => readonly string[];
  /** Whether a file of this name can be a transcript. */
  readonly wanted: (name: string) => boolean;
  /** Whether a folder of this name is looked into. */
  readonly enter?: (name: string) => boolean;
  readonly depthMax?: number;
  /** Whether a file of this name is one document, read whole (old versions); none when absent. */
  readonly isDocument?: (name: string) => boolean;
  /** Why a file of this name cannot be read, by category; undefined for those that can. */
  readonly failureOf?: (name: string) => string | undefined;
  /** Whether one of a file's first lines shows that it is this agent's. */
  readonly looksLike: (line: string) => boolean;
  // biome-ignore lint/suspicious/noExplicitAny: the state is opaque to everyone but the parser
  readonly parser: TranscriptParser<any>;
  readonly feed?: TranscriptReader['feed'];
};

export function lineReader(agent: LineAgent): TranscriptReader {
  const walk = {
    ...(agent.enter === undefined ? {} : { enter: agent.enter }),
    ...(agent.depthMax === undefined ? {} : { depthMax: agent.depthMax }),
  };
  return {
    parser: agent.parser,
    feed: (source, position, signal) => {
      if (source.failure !== undefined) throw new SourceFailure(source.failure);
      if (source.feed === 'document') return documentFeed(source, position, signal);
      return (agent.feed ?? lineFeed)(source, position, signal);
    },
    find: async function* find(environment) {
      for (const root of agent.roots(environment)) yield* below(agent, root, walk);
    },
    claim: async function* claim(path) {
      const isFile = (await kindOf(path)) === 'file';
      const sources = isFile ? [sourceOf(agent, path)] : below(agent, path, {});
      for await (const source of sources) {
        if (source.failure === undefined && (await showsItself(agent, source))) yield source;
      }
    },
  };
}

function sourceOf(agent: LineAgent, path: string): FoundSource {
  const name = basename(path);
  const failure = agent.failureOf?.(name);
  return {
    agent: agent.agent,
    path,
    feed: agent.isDocument?.(name) === true ? 'document' : 'lines',
    part: '',
    ...(failure === undefined ? {} : { failure }),
  };
}

/** The sources in a folder; folders in it that may not be read come last, as failed sources. */
async function* below(
  agent: LineAgent,
  root: string,
  walk: WalkOptions,
): AsyncIterable<FoundSource> {
  const blocked: string[] = [];
  const options = { ...walk, blocked: (folder: string) => blocked.push(folder) };
  for await (const path of walkFiles(root, agent.wanted, options)) yield sourceOf(agent, path);
  for (const path of blocked) {
    yield { agent: agent.agent, path, feed: 'lines', part: '', failure: 'source-forbidden' };
  }
}

async function showsItself(agent: LineAgent, source: FoundSource): Promise<boolean> {
  let seen = 0;
  const records = source.feed === 'document' ? documentFeed(source, 0) : lineFeed(source, 0);
  for await (const record of records) {
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
