/**
 * Answers as text for clients that show no structured content. Every line of memory is quoted as
 * data, with where it comes from.
 */

import type { Hit, MessageView, RecallResponse, ShowView } from '@quipu/memory';
import { quoteAsData } from '@quipu/memory';
import type { Part } from '@quipu/store';

export function recallText(response: RecallResponse): string {
  const notes = response.notes.map((note) => `(${note})`);
  if (response.hits.length === 0) return ['Nothing found.', ...notes].join('\n');
  return [...notes, ...response.hits.map(hitText)].join('\n\n');
}

function hitText(hit: Hit, index: number): string {
  const where = [hit.project ?? 'unattributed', hit.agent, hit.at?.slice(0, 16) ?? 'no date'];
  const head = `${index + 1}. ${hit.id} · ${where.join(' · ')} · ${hit.role}/${hit.kind}`;
  return `${head}\n${quoteAsData(hit.text)}`;
}

const PART_CHARS_MAX = 4_000;

export function showText(view: ShowView): string {
  switch (view.type) {
    case 'message':
      return [...view.before, view.message, ...view.after].map(messageText).join('\n\n');
    case 'session': {
      const head = `${view.session.id} · ${view.session.agent} · ${view.session.messages} messages`;
      const more = view.nextOffset === null ? [] : [`(more from offset ${view.nextOffset})`];
      return [head, ...view.messages.map(messageText), ...more].join('\n\n');
    }
    case 'project': {
      const lines = view.sessions.map(
        (session) => `${session.id} · ${session.agent} · ${session.endedAt ?? ''}`,
      );
      return [`${view.project.id} · ${view.project.name}`, ...lines].join('\n');
    }
  }
}

function messageText(message: MessageView): string {
  const head = `${message.id} · ${message.role} · ${message.at ?? 'no date'}`;
  return `${head}\n${quoteAsData(message.parts.map(partText).join('\n'))}`;
}

function partText(part: Part): string {
  switch (part.type) {
    case 'text':
    case 'reasoning':
      return clip(part.text);
    case 'tool_call':
      return `[${part.tool}] ${clip(part.input)}`;
    case 'tool_result':
      return `[${part.tool} ${part.isError ? 'failed' : 'gave'}] ${clip(part.text)}`;
    case 'image_ref':
      return `[image ${part.mediaType}]`;
  }
}

function clip(text: string): string {
  return text.length > PART_CHARS_MAX ? `${text.slice(0, PART_CHARS_MAX)}… (cut)` : text;
}
