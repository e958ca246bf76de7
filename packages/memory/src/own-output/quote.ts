/**
 * Recalled text as data.
 *
 * Decides: what is taken from remembered text before an agent reads it: control characters and
 * invisible marks that could hide something, and the power of tags that structure prompts (their
 * `<` becomes `‹`). Tags of ordinary markup and code stay as they are.
 */
import { pattern } from '../secrets/pattern.ts';

/** Terminal sequences, C0 but tab and line end, C1, bidirectional and invisible marks. */
const HIDDEN = pattern(
  'g',
  String.raw`\u001b\[[0-?]{0,32}[ -/]{0,8}[@-~]|\u001b\][^\u0007\u001b]{0,512}(?:\u0007|\u001b\\)|`,
  String.raw`[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u202a-\u202e`,
  String.raw`\u2060-\u2064\u2066-\u2069\ufeff]|`,
  String.raw`\udb40[\udc00-\udc7f]`,
);

const PROMPT_TAG = pattern(
  'gi',
  String.raw`<(?=\\?/?\s{0,8}(?:quipu[-_]|antml:|system|assistant|user|human|developer|`,
  'instructions?|important|context|memory|memories|documents?|tool[-_]|function|invoke|',
  String.raw`parameter|thinking|reminder|environment|command-|local-command|ide_|\|)[^>]{0,200}>)`,
);
const OWN_TAG = /(<|&(?:amp;){0,4}lt;|\\{1,32}u003c|%3C)(\\?\/?\s{0,8})quipu-/gi;

export function quoteAsData(text: string): string {
  return text
    .replace(/\r\n?/g, '\n')
    .replace(HIDDEN, '')
    .replace(OWN_TAG, '‹$2quipu_')
    .replace(PROMPT_TAG, '‹');
}
