/**
 * Which message is which.
 *
 * Decides: the content digest by which two deliveries are one message, and when one version of a
 * message is only an earlier state of another. Times and models do not count: a fork copies its
 * parent's messages with rewritten times, and they stay the same messages.
 *
 * Does not decide where a message belongs (`placement.ts`) nor what is stored (`admission.ts`).
 */
import { derivedId, digestOf } from '@quipu/base';
import type { MessageEvent, Part, Role } from '@quipu/store';

/** Digest of what was said and by whom: role, author, and every field of every part, in order. */
export function contentDigest(role: Role, author: string, parts: readonly Part[]): string {
  return digestOf(role, author, ...parts.flatMap(partFields));
}

function partFields(part: Part): string[] {
  switch (part.type) {
    case 'text':
    case 'reasoning':
      return [part.type, part.text];
    case 'tool_call':
      return [part.type, part.callId, part.tool, part.input];
    case 'tool_result':
      return [part.type, part.callId, part.tool, part.text, part.isError ? '1' : '0'];
    case 'image_ref':
      return [part.type, part.mediaType, part.digest, part.source];
  }
}

export function sessionId(agent: string, externalId: string): string {
  return derivedId('ses', agent, externalId);
}

/**
 * The id of a message that has never been seen. `occurrence` counts equal contents in one session
 * from 0, so that a person who answers "yes" twice has said two things.
 */
export function newMessageId(
  agent: string,
  event: Pick<MessageEvent, 'externalId' | 'idScope' | 'sessionExternalId'>,
  digest: string,
  occurrence: number,
): string {
  if (event.externalId === '') {
    return derivedId('msg', agent, 'content', event.sessionExternalId, digest, String(occurrence));
  }
  return event.idScope === 'global'
    ? derivedId('msg', agent, 'global', event.externalId)
    : derivedId('msg', agent, 'session', event.sessionExternalId, event.externalId);
}

/**
 * Whether `earlier` is a state that `later` grew out of: the same parts, the last one possibly cut
 * short. An old copy of a transcript must not take back what a newer one completed.
 */
export function isEarlierState(earlier: readonly Part[], later: readonly Part[]): boolean {
  if (earlier.length > later.length) return false;
  return earlier.every((part, index) => {
    const other = later[index];
    if (other === undefined || other.type !== part.type) return false;
    const mine = partFields(part);
    const theirs = partFields(other);
    const last = index === earlier.length - 1;
    return mine.every((field, at) => {
      const full = theirs[at] ?? '';
      return field === full || (last && full.startsWith(field));
    });
  });
}

/** True when the message carries a tool call id: two sessions share it only by copying. */
export function hasUniqueEvidence(parts: readonly Part[]): boolean {
  return parts.some(
    (part) =>
      (part.type === 'tool_call' || part.type === 'tool_result') &&
      part.callId.length >= UNIQUE_CALL_ID_CHARS_MIN,
  );
}

/** Shorter call ids (`1`, `call_2`) are counters that recur in unrelated sessions. */
const UNIQUE_CALL_ID_CHARS_MIN = 12;
