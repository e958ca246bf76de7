/**
 * Parts and skips as readers build them.
 *
 * Decides: that every text passes `cleanText`, that blank text makes no part, and that a name of an
 * unknown type is cut short. Does not decide which field of which agent is what.
 */
import type {
  ImageRefPart,
  Part,
  ReasoningPart,
  SkipEvent,
  TextPart,
  ToolCallPart,
  ToolResultPart,
} from '@quipu/store';
import { base64Digest, compactJson } from '../json.ts';
import { cleanText } from './feeds.ts';
import { SKIP_NAME_CHARS_MAX } from './limits.ts';

/** A text part, or nothing when there is only white space. */
export function textParts(text: string): readonly TextPart[] {
  const clean = cleanText(text);
  return clean.trim() === '' ? [] : [{ type: 'text', text: clean }];
}

export function reasoningParts(text: string): readonly ReasoningPart[] {
  const clean = cleanText(text);
  return clean.trim() === '' ? [] : [{ type: 'reasoning', text: clean }];
}

/** `input` is compact JSON, or the text itself where the agent recorded text. */
export function toolCall(callId: string, tool: string, input: unknown): ToolCallPart {
  return {
    type: 'tool_call',
    callId: cleanText(callId),
    tool: cleanText(tool),
    input: cleanText(compactJson(input)),
  };
}

export type ToolResultFields = {
  readonly callId: string;
  readonly tool: string;
  readonly text: string;
  readonly isError: boolean;
};

export function toolResult(fields: ToolResultFields): ToolResultPart {
  return {
    type: 'tool_result',
    callId: cleanText(fields.callId),
    tool: cleanText(fields.tool),
    text: cleanText(fields.text),
    isError: fields.isError,
  };
}

/** A reference to an inline image (base64) or to one kept elsewhere; bytes are not kept. */
export function imageRef(mediaType: string, base64: string, source: string): ImageRefPart {
  return {
    type: 'image_ref',
    mediaType: cleanText(mediaType),
    digest: base64Digest(base64),
    source: cleanText(source),
  };
}

/** The reference for a URL, which may be a `data:` URL that holds the image itself. */
export function imageRefOfUrl(url: string, mediaType: string): ImageRefPart {
  const inline = /^data:([^;,]{0,100});base64,/.exec(url.slice(0, 200));
  if (inline === null) return imageRef(mediaType, '', url.slice(0, 2_000));
  return imageRef(
    mediaType === '' ? (inline[1] ?? '') : mediaType,
    url.slice(inline[0].length),
    '',
  );
}

export function skip(reason: SkipEvent['reason'], what: string): SkipEvent {
  return { type: 'skip', reason, what: cleanText(what.slice(0, SKIP_NAME_CHARS_MAX)) };
}

/** True when the message says anything. */
export const saysSomething = (parts: readonly Part[]): boolean => parts.length > 0;
