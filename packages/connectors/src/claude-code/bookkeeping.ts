/**
 * Lines that are no message: titles, summaries, snapshots, requests.
 *
 * Decides: which types are known bookkeeping (counted as `meta`), and that any other is counted as
 * unknown under its name, so that a new one is noticed.
 */
import type { SkipEvent } from '@quipu/store';
import { type JsonObject, stringAt } from '../json.ts';
import { cleanText } from '../reading/feeds.ts';
import { skip } from '../reading/parts.ts';

/** The one kind of attachment that a person wrote: a prompt typed while the model worked. */
export const ATTACHMENT_OF_PERSON = 'queued_command';

const META: ReadonlySet<string> = new Set([
  'agent-color',
  'agent-name',
  'agent-setting',
  'ai-title',
  'api-request',
  'api-request-blob',
  'api-request-shape',
  'atis-latch',
  'attribution-snapshot',
  'bridge-session',
  'content-replacement',
  'cost-state',
  'custom-title',
  'file-history-delta',
  'file-history-snapshot',
  'last-prompt',
  'mode',
  'permission-mode',
  'pr-link',
  'progress',
  'queue-operation',
  'result',
  'saved_hook_context',
  'speculation-accept',
  'started',
  'summary',
  'system',
  'tag',
  'task-summary',
  'tools-used',
  'worktree-state',
]);

export function bookkeeping(line: JsonObject): SkipEvent {
  const type = stringAt(line, 'type');
  if (!META.has(type)) return skip('unknown', type);
  if (type !== 'system') return skip('meta', type);
  const subtype = stringAt(line, 'subtype');
  if (subtype === 'compact_boundary' || subtype === 'microcompact_boundary') {
    return skip('compaction', subtype);
  }
  return skip('meta', subtype === '' ? type : `system ${subtype}`);
}

export type Title = { readonly text: string; readonly rank: number };

/**
 * The title that the line gives to this session, or undefined when it gives none. Old versions
 * write summaries of other sessions into a file: `leafUuid` tells whose it is.
 */
export function titleOf(line: JsonObject, recent: readonly string[]): Title | undefined {
  const type = stringAt(line, 'type');
  if (type === 'custom-title') return { text: cleanText(stringAt(line, 'customTitle')), rank: 3 };
  if (type === 'ai-title') return { text: cleanText(stringAt(line, 'aiTitle')), rank: 2 };
  if (type !== 'summary' || !recent.includes(stringAt(line, 'leafUuid'))) return undefined;
  return { text: cleanText(stringAt(line, 'summary')), rank: 1 };
}
