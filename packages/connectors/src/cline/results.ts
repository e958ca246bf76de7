/**
 * What a tool answered in Cline's native form.
 *
 *   content: "text"                                 the extension
 *   content: [{type: "text" | "image", …}]          the extension
 *   content: [{query, result, error?, success}]     the program: an answer for each part of a call
 *   content: "{\"query\": …, \"result\": …}"        the same of a call of one part, as text
 *   content: "{\"text\": …, \"iterations\": …}"     what a sub-agent said
 *
 * Decides: an answer that failed makes the whole a failure, and its error is told where nothing
 * else is.
 */
import {
  compactJson,
  isObject,
  isTrueAt,
  type JsonObject,
  parseObject,
  stringAt,
  valueAt,
} from '../json.ts';

export type NativeAnswer = {
  readonly text: string;
  readonly isError: boolean;
  readonly images: readonly JsonObject[];
};

export function nativeAnswer(block: JsonObject, tool: string): NativeAnswer {
  const content = valueAt(block, 'content');
  const items = Array.isArray(content) ? content : [unwrapped(content, tool)];
  const isImage = (item: unknown): boolean => stringAt(item, 'type') === 'image';
  const said = items.filter((item) => item !== undefined && !isImage(item));
  return {
    text: said.map(textOfItem).join('\n'),
    isError: isTrueAt(block, 'is_error') || said.some((item) => valueAt(item, 'success') === false),
    images: items.filter(isObject).filter(isImage),
  };
}

/** An answer that stands in a text as JSON; other text is what it is. */
function unwrapped(content: unknown, tool: string): unknown {
  if (typeof content !== 'string' || !content.startsWith('{')) return content;
  const answer = parseObject(content);
  if (typeof valueAt(answer, 'success') === 'boolean' && isAnswer(answer)) return answer;
  const words = stringAt(answer, 'text');
  return tool === 'spawn_agent' && words !== '' ? words : content;
}

const isAnswer = (item: unknown): boolean =>
  typeof valueAt(item, 'query') === 'string' && typeof valueAt(item, 'result') === 'string';

function textOfItem(item: unknown): string {
  if (typeof item === 'string') return item;
  if (stringAt(item, 'type') === 'text') return stringAt(item, 'text');
  const result = valueAt(item, 'result');
  if (typeof result !== 'string') return compactJson(item);
  const query = stringAt(item, 'query');
  const told = result === '' ? stringAt(item, 'error') : result;
  return query === '' ? told : `$ ${query}\n${told}`;
}
