/**
 * Content blocks of the Messages API as parts.
 *
 * Decides: which block is which part. A signature without thinking makes no part; a tool's result
 * may be text or blocks; what the server's own tools answer is a tool's result like any other.
 */
import type { ImageRefPart, Part, SkipEvent, ToolCallPart } from '@quipu/store';
import { type CallNames, forgetCall, toolOfCall } from '../calls.ts';
import {
  compactJson,
  firstStringAt,
  isObject,
  isTrueAt,
  type JsonObject,
  objectAt,
  stringAt,
  valueAt,
} from '../json.ts';
import {
  imageRef,
  imageRefOfUrl,
  reasoningParts,
  skip,
  textParts,
  toolCall,
  toolResult,
} from '../reading/parts.ts';
import { resultText } from './person-text.ts';

/** Content as a list of blocks: a plain string is one text block. */
export function blocksOf(content: unknown): readonly JsonObject[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  return Array.isArray(content) ? content.filter(isObject) : [];
}

export type ModelBlock =
  | { readonly kind: 'parts'; readonly parts: readonly Part[] }
  | { readonly kind: 'call'; readonly call: ToolCallPart }
  | { readonly kind: 'result' }
  | { readonly kind: 'unknown'; readonly skip: SkipEvent };

/** A block of an assistant line. `place` names the call where the block carries no id. */
export function modelBlock(block: JsonObject, place: string): ModelBlock {
  const type = stringAt(block, 'type');
  if (type === 'text') return { kind: 'parts', parts: answerParts(stringAt(block, 'text')) };
  if (type === 'thinking') {
    return { kind: 'parts', parts: reasoningParts(stringAt(block, 'thinking')) };
  }
  if (type === 'redacted_thinking' || type === 'fallback') return { kind: 'parts', parts: [] };
  if (type === 'tool_use' || type === 'server_tool_use' || type === 'mcp_tool_use') {
    const id = firstStringAt(block, 'id') || place;
    return { kind: 'call', call: toolCall(id, stringAt(block, 'name'), valueAt(block, 'input')) };
  }
  if (isResult(block)) return { kind: 'result' };
  return { kind: 'unknown', skip: skip('unknown', `block ${type}`) };
}

/** What Claude Code writes when the model said nothing. */
const answerParts = (text: string): readonly Part[] =>
  text === '(no content)' ? [] : textParts(text);

/** `tool_result`, `web_search_tool_result`, `mcp_tool_result` … */
export const isResult = (block: JsonObject): boolean =>
  stringAt(block, 'type').endsWith('tool_result');

export type ResultParts = { readonly parts: readonly Part[]; readonly calls: CallNames };

/** The result of a call, with the images in it; its tool's name from the calls seen. */
export function resultParts(block: JsonObject, calls: CallNames): ResultParts {
  const callId = stringAt(block, 'tool_use_id');
  const content = valueAt(block, 'content');
  const inner = Array.isArray(content) ? content.filter(isObject) : [];
  const text = typeof content === 'string' ? content : textOfResult(content, inner);
  const result = toolResult({
    callId,
    tool: toolOfCall(calls, callId),
    text: resultText(text),
    isError:
      isTrueAt(block, 'is_error') ||
      stringAt(objectAt(block, 'content'), 'type').endsWith('_error'),
  });
  return { parts: [result, ...inner.flatMap(imageOf)], calls: forgetCall(calls, callId) };
}

function textOfResult(content: unknown, blocks: readonly JsonObject[]): string {
  if (isObject(content))
    return firstStringAt(content, 'text', 'error_code') || compactJson(content);
  return blocks
    .map((block) => {
      const type = stringAt(block, 'type');
      if (type === 'tool_reference') return stringAt(block, 'tool_name');
      if (type === 'web_search_result') {
        return `${stringAt(block, 'title')} ${stringAt(block, 'url')}`.trim();
      }
      return (
        firstStringAt(block, 'text', 'stdout') || stringAt(objectAt(block, 'resource'), 'text')
      );
    })
    .filter((one) => one !== '')
    .join('\n');
}

/** An image or a document (a PDF) as a reference. */
export function imageOf(block: JsonObject): readonly ImageRefPart[] {
  const type = stringAt(block, 'type');
  if (type !== 'image' && type !== 'document') return [];
  const source = objectAt(block, 'source');
  if (stringAt(source, 'type') === 'text') return [];
  const mediaType = stringAt(source, 'media_type');
  const url = stringAt(source, 'url');
  if (url !== '') return [imageRefOfUrl(url, mediaType)];
  return [imageRef(mediaType, stringAt(source, 'data'), stringAt(source, 'file_id'))];
}

/** The text of a `document` block that holds text. */
export function documentText(block: JsonObject): string {
  const source = objectAt(block, 'source');
  return stringAt(source, 'type') === 'text' ? stringAt(source, 'data') : '';
}
