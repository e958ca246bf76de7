/**
 * Recalled text as data.
 *
 * Decides: what is taken from remembered text before an agent reads it: control characters and
 * invisible marks that could hide something, and the power of tags that structure prompts (their
 * `<` becomes `‹`). Tags of ordinary markup and code stay as they are.
 */

/** Terminal sequences, C0 but tab and line end, C1, bidirectional and invisible marks. */
const HIDDEN =
  /\u001b\[[0-?]{0,32}[ -/]{0,8}[@-~]|\u001b\][^\u0007\u001b]{0,512}(?:\u0007|\u001b\\)|[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff]|\udb40[\udc00-\udc7f]/g;

const PROMPT_TAG =
  /<(?=\\?\/?\s{0,8}(?:quipu[-_]|antml:|system|assistant|user|human|developer|instructions?|important|context|memory|memories|documents?|tool[-_]|function|invoke|parameter|thinking|reminder|environment|command-|local-command|ide_|\|)[^<]{0,200}>)/gi;
const OWN_TAG = /(<|&(?:amp;){0,4}lt;|\\{1,32}u003c|%3C)(\\?\/?\s{0,8})quipu-/gi;

export function quoteAsData(text: string): string {
  return text
    .replace(/\r\n?/g, '\n')
    .replace(HIDDEN, '')
    .replace(OWN_TAG, '‹$2quipu_')
    .replace(PROMPT_TAG, '‹');
}
