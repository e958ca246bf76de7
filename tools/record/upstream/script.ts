/**
 * What the scripted model says, and when.
 *
 * Decides: which reply answers a request, from the request alone, so that retries, side requests,
 * sub-agents and resumed sessions need no state here. The newest turn of a person that holds a
 * scripted prompt names the exchange; the first of its replies whose text is not yet in the
 * conversation is next. Every reply therefore has a text of its own.
 * Requests that belong to no exchange (titles, summaries) are answered by `sides`.
 *
 * Does not decide how a reply looks on the wire (`anthropic.ts`, `responses.ts`, `chat.ts`,
 * `gemini.ts`).
 */
import { assert } from '@quipu/base';

export type Block =
  | { readonly type: 'thinking'; readonly text: string }
  | { readonly type: 'text'; readonly text: string }
  | {
      readonly type: 'call';
      readonly tool: string;
      readonly input: Readonly<Record<string, unknown>>;
    };

export type Reply = {
  readonly blocks: readonly Block[];
  /** Tokens that the conversation is said to have; large ones make a program compact it. */
  readonly inputTokens?: number;
};

export type Exchange = {
  /** What the person (or the delegating agent) says, word for word. */
  readonly prompt: string;
  readonly replies: readonly Reply[];
};

/** An answer for requests whose newest words hold `holds`; tried in order, before exchanges. */
export type Side = { readonly holds: string; readonly text: string };

export type Script = {
  readonly exchanges: readonly Exchange[];
  readonly sides: readonly Side[];
  /** The answer to a request without tools that nothing else claims: a title. */
  readonly title: string;
  /** The program gives its model no tools at all: what lacks them may still be an exchange. */
  readonly toolless?: boolean;
};

/** One turn of a request; a tool's result is a turn of its own. */
export type Turn = {
  readonly role: 'user' | 'assistant' | 'tool' | 'system';
  readonly text: string;
};

export type Asked = {
  readonly model: string;
  readonly stream: boolean;
  readonly turns: readonly Turn[];
  readonly tools: readonly string[];
};

export type Choice =
  | { readonly kind: 'reply'; readonly reply: Reply }
  | { readonly kind: 'side'; readonly reply: Reply }
  /** The program asked more often than the script foresees: a recording with this is no good. */
  | { readonly kind: 'exhausted'; readonly prompt: string };

export function chooseReply(script: Script, asked: Asked): Choice {
  const newest = asked.turns.findLast((turn) => turn.role === 'user')?.text ?? '';
  const side = script.sides.find(({ holds }) => newest.includes(holds));
  if (side !== undefined) return { kind: 'side', reply: said(side.text) };
  const at = asked.turns.findLastIndex(
    (turn) => turn.role === 'user' && exchangeOf(script, turn.text) !== undefined,
  );
  const exchange = exchangeOf(script, asked.turns[at]?.text ?? '');
  const isTitle = asked.tools.length === 0 && script.toolless !== true;
  if (exchange === undefined || isTitle) {
    return { kind: 'side', reply: said(script.title) };
  }
  const later = asked.turns.slice(at + 1).filter((turn) => turn.role === 'assistant');
  const heard = later.map((turn) => turn.text).join('\n');
  const reply = exchange.replies.find((each) => !heard.includes(textOf(each)));
  return reply === undefined
    ? { kind: 'exhausted', prompt: exchange.prompt }
    : { kind: 'reply', reply };
}

/** The exchange whose prompt the text holds; the longest where one prompt holds another. */
function exchangeOf(script: Script, text: string): Exchange | undefined {
  return script.exchanges
    .filter(({ prompt }) => text.includes(prompt))
    .sort((a, b) => b.prompt.length - a.prompt.length)[0];
}

const said = (text: string): Reply => ({ blocks: [{ type: 'text', text }] });

export function textOf(reply: Reply): string {
  const block = reply.blocks.find((each) => each.type === 'text');
  assert(block !== undefined, 'a scripted reply says something by which it is known again');
  return block.text;
}

/** Text in pieces of 24 characters, as models stream it; no character is cut. */
export const piecesOf = (text: string): readonly string[] => text.match(/[\s\S]{1,24}/gu) ?? [''];

/** About four bytes a token, which is near enough for a program that watches its window. */
export const tokensOf = (text: string): number => Math.ceil(Buffer.byteLength(text) / 4);
