/**
 * What a tool answered in Copilot CLI.
 *
 * Decides: guidance that hooks append for the model and the shell's closing mark are taken off; the
 * exit code in the mark says whether a command failed.
 */
import type { ImageRefPart } from '@quipu/store';
import {
  firstStringAt,
  isObject,
  type JsonObject,
  listAt,
  numberAt,
  objectAt,
  stringAt,
  valueAt,
} from '../json.ts';
import { imageRef } from '../reading/parts.ts';

export type ToolAnswer = {
  readonly text: string;
  readonly isError: boolean;
  readonly images: readonly ImageRefPart[];
};

/** The answer in the data of `tool.execution_complete`. */
export function toolAnswer(data: JsonObject): ToolAnswer {
  const result = objectAt(data, 'result');
  const failure = objectAt(data, 'error');
  const said = stringAt(data, 'result') || firstStringAt(result, 'content', 'detailedContent');
  const text = said === '' ? stringAt(failure, 'message') || stringAt(data, 'error') : said;
  const mark = SHELL_MARK.exec(withoutGuidance(text).slice(-MARK_CHARS_MAX));
  const plain = withoutGuidance(text);
  const exitCode = numberAt(objectAt(data, 'shellExecution'), 'exitCode') ?? Number(mark?.[1] ?? 0);
  return {
    text: mark === null ? plain : plain.slice(0, -mark[0].length),
    isError: valueAt(data, 'success') === false || failure !== undefined || exitCode !== 0,
    images: listAt(result, 'contents').filter(isObject).flatMap(imageOf),
  };
}

const MARK_CHARS_MAX = 200;
/** `<shellId: 0 completed with exit code 0>`, `<exited with exit code 1>` at the end. */
const SHELL_MARK = /\n?<[^<>\n]{0,80}exit code (-?\d{1,10})>\s{0,8}$/;
const GUIDANCE = /^Tool "[^"\n]{1,200}" \w+\. Additional guidance from [\w-]+ hooks:/;

function withoutGuidance(text: string): string {
  const at = text.lastIndexOf('\n\nTool "');
  return at >= 0 && GUIDANCE.test(text.slice(at + 2, at + 400)) ? text.slice(0, at) : text;
}

/** An image among the blocks of an answer or the attachments of a prompt. */
export function imageOf(block: JsonObject): readonly ImageRefPart[] {
  const mediaType = firstStringAt(block, 'mimeType', 'mediaType');
  const source = stringAt(block, 'path');
  const isImage = mediaType.startsWith('image/') || IMAGE_NAME.test(source.slice(-12));
  return isImage ? [imageRef(mediaType, stringAt(block, 'data'), source)] : [];
}

const IMAGE_NAME = /\.(?:png|jpe?g|gif|webp)$/i;
