/**
 * Collects events until a batch is full. A batch ends only after a whole record, so that the cursor
 * that is stored with it stands between records.
 */
import type { TranscriptEvent } from '@quipu/store';
import { BATCH_CHARS_MAX, BATCH_EVENTS_MAX } from './limits.ts';

export class EventBatch {
  events: TranscriptEvent[] = [];
  #chars = 0;

  add(events: readonly TranscriptEvent[]): void {
    for (const event of events) {
      this.events.push(event);
      if (event.type === 'message') this.#chars += sizeOf(event.parts);
    }
  }

  get full(): boolean {
    return this.events.length >= BATCH_EVENTS_MAX || this.#chars >= BATCH_CHARS_MAX;
  }

  take(): readonly TranscriptEvent[] {
    const taken = this.events;
    this.events = [];
    this.#chars = 0;
    return taken;
  }
}

type Sized = { readonly type: string; readonly text?: string; readonly input?: string };

function sizeOf(parts: readonly Sized[]): number {
  return parts.reduce((sum, part) => sum + (part.text?.length ?? 0) + (part.input?.length ?? 0), 0);
}
