/**
 * Taking Quipu's own output out of what is about to be remembered.
 *
 * Decides: order and extent. Calls of Quipu and their results go wholly; in all other text, tagged
 * blocks go first, then lines known as printed. A part of which nothing is left goes too. Pure.
 *
 * Invariant: MEMORY-7 (what Quipu gave out is not taken in again, at any nesting).
 */
import { unreachable } from '@quipu/base';
import type { Part } from '@quipu/store';
import { stripPrinted } from './digests.ts';
import { isOwnCall, isOwnTool } from './own-calls.ts';
import { findTagged } from './tags.ts';

/** What Quipu has printed: the digests kept in `recall_outputs`. */
export type KnownDigests = { readonly has: (digest: string) => boolean };

export type Stripped = { readonly text: string; readonly removed: number };
export type StrippedParts = { readonly parts: readonly Part[]; readonly removed: number };

/** `removed` counts blocks and lines. */
export function stripOwnOutput(text: string, known: KnownDigests): Stripped {
  const blocks = findTagged(text);
  const pieces: string[] = [];
  let at = 0;
  for (const block of blocks) {
    pieces.push(text.slice(at, block.start));
    at = block.end;
  }
  pieces.push(text.slice(at));
  const printed = stripPrinted(pieces.join(''), (digest) => known.has(digest));
  return { text: printed.text, removed: blocks.length + printed.removed };
}

/** Ids of the calls of Quipu among the parts, so that results in later messages are known. */
export function ownCallIds(parts: readonly Part[]): string[] {
  return parts.flatMap((part) => (isOwnCall(part) && 'callId' in part ? [part.callId] : []));
}

/**
 * The parts without Quipu's own. `ownCalls` names calls of earlier messages of the session
 * (`ownCallIds`); those of this message are seen here.
 */
export function stripOwnParts(
  parts: readonly Part[],
  known: KnownDigests,
  ownCalls: ReadonlySet<string> = new Set(),
): StrippedParts {
  const own = new Set([...ownCalls, ...ownCallIds(parts)]);
  const kept: Part[] = [];
  let removed = 0;
  for (const part of parts) {
    const stripped = stripPart(part, known, own);
    removed += stripped.removed;
    if (stripped.part !== undefined) kept.push(stripped.part);
  }
  return { parts: kept, removed };
}

function stripPart(
  part: Part,
  known: KnownDigests,
  own: ReadonlySet<string>,
): { readonly part: Part | undefined; readonly removed: number } {
  switch (part.type) {
    case 'image_ref':
      return { part, removed: 0 };
    case 'tool_call': {
      if (own.has(part.callId) || isOwnTool(part.tool)) return { part: undefined, removed: 1 };
      const { text, removed } = stripOwnOutput(part.input, known);
      return { part: removed === 0 ? part : { ...part, input: text }, removed };
    }
    case 'tool_result':
      if (own.has(part.callId) || isOwnTool(part.tool)) return { part: undefined, removed: 1 };
      return stripText(part, known);
    case 'text':
    case 'reasoning':
      return stripText(part, known);
    default:
      return unreachable(part);
  }
}

function stripText(
  part: Extract<Part, { readonly text: string }>,
  known: KnownDigests,
): { readonly part: Part | undefined; readonly removed: number } {
  const { text, removed } = stripOwnOutput(part.text, known);
  if (removed === 0) return { part, removed };
  return { part: /[\p{L}\p{N}]/u.test(text) ? { ...part, text } : undefined, removed };
}
