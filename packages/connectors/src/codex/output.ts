/**
 * What a tool answered, out of the forms in which Codex recorded it.
 *
 *   "text" · '{"output": "text", "metadata": {"exit_code": 1}}' · {content, success} · [items]
 *
 * Decides: the lines that Codex puts above a command's output are taken off (they are the program's
 * words, not the tool's); the exit code in them says whether it failed.
 */
import type { ImageRefPart } from '@quipu/store';
import {
  compactJson,
  firstStringAt,
  isObject,
  isTrueAt,
  listAt,
  numberAt,
  objectAt,
  parseObject,
  stringAt,
  valueAt,
} from '../json.ts';
import { imageRefOfUrl } from '../reading/parts.ts';

export type ToolOutput = {
  readonly text: string;
  readonly isError: boolean;
  readonly images: readonly ImageRefPart[];
};

export function toolOutput(output: unknown): ToolOutput {
  if (typeof output === 'string') return textOutput(output);
  if (Array.isArray(output)) return listOutput(output);
  if (!isObject(output)) return { text: compactJson(output ?? ''), isError: false, images: [] };
  const inner = valueAt(output, 'content') ?? valueAt(output, 'output');
  const read = Array.isArray(inner) ? listOutput(inner) : textOutput(compactJson(inner));
  return { ...read, isError: read.isError || valueAt(output, 'success') === false };
}

function textOutput(text: string): ToolOutput {
  const wrapped = text.startsWith('{"') ? parseObject(text) : undefined;
  const metadata = objectAt(wrapped, 'metadata');
  if (wrapped !== undefined && metadata !== undefined && typeof wrapped.output === 'string') {
    const code = numberAt(metadata, 'exit_code') ?? 0;
    return { text: wrapped.output, isError: code !== 0, images: [] };
  }
  const head = HEAD.exec(text.slice(0, HEAD_CHARS));
  if (head === null) return { text, isError: false, images: [] };
  const code = /^(?:Exit code|Process exited with code):? (-?\d+)$/m.exec(head[0])?.[1] ?? '0';
  return { text: text.slice(head[0].length), isError: code !== '0', images: [] };
}

const HEAD_CHARS = 600;

const HEAD_NAMES = [
  'Chunk ID:',
  'Exit code:',
  'Duration:',
  'Wall time:',
  'Total output lines:',
  'Original token count:',
  'Warning:',
  'Process exited with code',
  'Process running with session ID',
];
/** Lines of known names, then `Output:`; what follows is the tool's. */
const HEAD = new RegExp(`^(?:(?:${HEAD_NAMES.join('|')}) .{0,200}\\n){1,8}Output:(?:\\n|$)`);

function listOutput(items: readonly unknown[]): ToolOutput {
  const texts: string[] = [];
  const images: ImageRefPart[] = [];
  let isError = false;
  for (const item of items) {
    const type = stringAt(item, 'type');
    const url = stringAt(item, 'image_url');
    if (type === 'input_image' || url !== '') images.push(imageRefOfUrl(url, ''));
    else {
      const read = textOutput(firstStringAt(item, 'text'));
      isError ||= read.isError || isTrueAt(item, 'is_error');
      texts.push(read.text);
    }
  }
  return { text: texts.filter((one) => one !== '').join('\n'), isError, images };
}

/** Words of a list of `{type, text}` pieces. */
export const wordsOf = (source: unknown, key: string): string =>
  listAt(source, key)
    .map((piece) => (typeof piece === 'string' ? piece : stringAt(piece, 'text')))
    .filter((one) => one !== '')
    .join('\n\n');
