/**
 * Long work runs in a process of its own, with its own connection to the store: the daemon's thread
 * stays free, and what the work needed in memory goes back when it ends.
 *
 *   daemon ── start {spec} ──▶ job            job ── progress* ──▶ daemon
 *          ── cancel ────────▶                    ── done | failed ─▶
 *
 * Decides: the messages. A job whose daemon is gone (the channel closes) stops between batches.
 */
import type { ImportProgress, ImportResult } from '../import/import.ts';

export type JobSpec =
  | {
      readonly kind: 'import';
      readonly directory: string;
      readonly agents?: readonly string[] | undefined;
      readonly paths?: readonly string[] | undefined;
    }
  | { readonly kind: 'vectors'; readonly directory: string };

export type ToJob =
  | { readonly type: 'start'; readonly spec: JobSpec }
  | { readonly type: 'cancel' };

export type FromJob =
  | { readonly type: 'progress'; readonly import?: ImportProgress; readonly vectors?: VectorsLeft }
  | { readonly type: 'done'; readonly report: ImportResult | null }
  | { readonly type: 'failed'; readonly category: string; readonly message: string };

export type VectorsLeft = { readonly done: number; readonly total: number };

export function isFromJob(value: unknown): value is FromJob {
  if (typeof value !== 'object' || value === null || !('type' in value)) return false;
  return value.type === 'progress' || value.type === 'done' || value.type === 'failed';
}

export function isToJob(value: unknown): value is ToJob {
  if (typeof value !== 'object' || value === null || !('type' in value)) return false;
  return value.type === 'start' || value.type === 'cancel';
}
