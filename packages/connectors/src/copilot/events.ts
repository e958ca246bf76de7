/**
 * Events of Copilot CLI that are no message: which are known, and under what they are counted.
 *
 * Decides: a type that is not listed here is counted as unknown, so that a new one is noticed.
 */
import type { SkipEvent } from '@quipu/store';
import { skip } from '../reading/parts.ts';

const COMPACTION = [
  'session.compaction_start',
  'session.compaction_complete',
  'session.truncation',
];
const INJECTED = ['system.message', 'system.notification', 'skill.invoked'];
const META = [
  'abort',
  'assistant.intent',
  'assistant.reasoning',
  'assistant.turn_end',
  'assistant.turn_start',
  'assistant.usage',
  'hook.end',
  'hook.start',
  'session.background_tasks_changed',
  'session.context_changed',
  'session.error',
  'session.handoff',
  'session.idle',
  'session.import_legacy',
  'session.info',
  'session.mode_changed',
  'session.model_change',
  'session.plan_changed',
  'session.resume',
  'session.shutdown',
  'session.snapshot_rewind',
  'session.start',
  'session.task_complete',
  'session.title_changed',
  'session.usage_checkpoint',
  'session.usage_info',
  'session.usage_record',
  'session.warning',
  'session.workspace_file_changed',
  'subagent.completed',
  'subagent.configured',
  'subagent.deselected',
  'subagent.failed',
  'subagent.selected',
  'subagent.started',
  'tool.execution_partial_result',
  'tool.execution_progress',
  'tool.execution_start',
];

const REASONS: ReadonlyMap<string, SkipEvent['reason']> = new Map([
  ...COMPACTION.map((type) => [type, 'compaction'] as const),
  ...INJECTED.map((type) => [type, 'injected'] as const),
  ...META.map((type) => [type, 'meta'] as const),
]);

export const counted = (type: string): SkipEvent => skip(REASONS.get(type) ?? 'unknown', type);
