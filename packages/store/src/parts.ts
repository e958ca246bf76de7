/**
 * Typed parts: what a message is made of.
 *
 * Decides: the shape in which every reader hands over content and the store keeps it. Never joined
 * text: a tool result is not something that a person wrote. Text is NFC, LF line ends, no lone
 * surrogates; readers guarantee that (`cleanText`).
 */
export type Role = 'user' | 'assistant' | 'system' | 'tool';

export type TextPart = { readonly type: 'text'; readonly text: string };
export type ReasoningPart = { readonly type: 'reasoning'; readonly text: string };
export type ToolCallPart = {
  readonly type: 'tool_call';
  /** Joins the call with its result; unique within the session. */
  readonly callId: string;
  readonly tool: string;
  /** The arguments as the agent recorded them: compact JSON, or text where it was text. */
  readonly input: string;
};
export type ToolResultPart = {
  readonly type: 'tool_result';
  readonly callId: string;
  /** The tool's name, joined from the call; empty when the call was never seen. */
  readonly tool: string;
  readonly text: string;
  readonly isError: boolean;
};
export type ImageRefPart = {
  readonly type: 'image_ref';
  readonly mediaType: string;
  /**
   * SHA-256 (hex) of the image's bytes where they were inline; else empty. The bytes are not kept.
   */
  readonly digest: string;
  /** Where it came from (path or URL), or empty. */
  readonly source: string;
};

export type Part = TextPart | ReasoningPart | ToolCallPart | ToolResultPart | ImageRefPart;
export type PartType = Part['type'];

export const PART_TYPES = ['text', 'reasoning', 'tool_call', 'tool_result', 'image_ref'] as const;
export const ROLES = ['user', 'assistant', 'system', 'tool'] as const;
