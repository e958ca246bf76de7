/**
 * Recorded transcripts that lie beside the repository on some machines. For tests only: a test that
 * needs them skips by name where they are not.
 */
import { existsSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { MessageEvent } from '@quipu/store';

const ROOT = resolve(import.meta.dirname, '../../../../shared/samples/transcripts');

export const hasSamples: boolean = existsSync(ROOT);

/** Transcript files of an agent's situation, by path below the situation's folder, in order. */
export function sampleFiles(agent: string, situation: string, ends = '.jsonl'): string[] {
  const root = join(ROOT, agent, situation);
  return readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith(ends))
    .sort()
    .map((path) => join(root, path));
}

/** Messages by role and calls, in the order user, assistant, tool, calls, results. */
export function countsOf(messages: readonly MessageEvent[]): number[] {
  const roles = ['user', 'assistant', 'tool'].map(
    (role) => messages.filter((message) => message.role === role).length,
  );
  const parts = messages.flatMap((message) => message.parts);
  const types = ['tool_call', 'tool_result'].map(
    (type) => parts.filter((part) => part.type === type).length,
  );
  return [...roles, ...types];
}
