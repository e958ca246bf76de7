/** OpenAI Chat Completions: `POST /v1/chat/completions`, streaming and whole. */
import { contentText, type Json, objectsIn, wordsOf } from './json.ts';
import { type Block, piecesOf, type Turn } from './script.ts';
import type { Ids, Said, Wire, WireEvent } from './wire.ts';

export const chat: Wire = {
  asked: (body) => ({
    model: wordsOf(body['model']),
    stream: body['stream'] === true,
    tools: objectsIn(body['tools']).map((tool) => wordsOf((tool['function'] as Json)?.['name'])),
    turns: objectsIn(body['messages']).map(turnOf),
  }),
  events: (said, ids) => {
    const head = completion(said, ids, 'chat.completion.chunk');
    const chunk = (delta: object, finish: string | null = null): WireEvent => ({
      body: { ...head, choices: [{ index: 0, delta, finish_reason: finish }] },
    });
    return [
      chunk({ role: 'assistant', content: '' }),
      ...deltasOf(said.reply.blocks, ids).map((delta) => chunk(delta)),
      chunk({}, finishReason(said)),
      { body: { ...head, choices: [], usage: usage(said) } },
    ];
  },
  whole: (said, ids) => {
    const calls = callsOf(said.reply.blocks);
    const message = {
      role: 'assistant',
      content: joined(said.reply.blocks, 'text'),
      reasoning_content: joined(said.reply.blocks, 'thinking'),
      ...(calls.length === 0 ? {} : { tool_calls: calls.map((call) => wholeCall(call, ids)) }),
    };
    return {
      ...completion(said, ids, 'chat.completion'),
      choices: [{ index: 0, message, finish_reason: finishReason(said) }],
      usage: usage(said),
    };
  },
  end: 'data: [DONE]\n\n',
};

function turnOf(message: Json): Turn {
  const role = wordsOf(message['role']);
  const known = role === 'user' || role === 'assistant' || role === 'tool' ? role : 'system';
  return { role: known, text: contentText(message['content']) };
}

type Call = Extract<Block, { readonly type: 'call' }>;

const callsOf = (blocks: readonly Block[]): readonly Call[] =>
  blocks.filter((block) => block.type === 'call');

const joined = (blocks: readonly Block[], type: 'text' | 'thinking'): string =>
  blocks.flatMap((block) => (block.type === type ? [block.text] : [])).join('\n\n');

const wholeCall = (call: Call, ids: Ids): object => ({
  id: ids.next('call'),
  type: 'function',
  function: { name: call.tool, arguments: JSON.stringify(call.input) },
});

function deltasOf(blocks: readonly Block[], ids: Ids): object[] {
  return [
    ...piecesOf(joined(blocks, 'thinking')).map((reasoning_content) => ({ reasoning_content })),
    ...piecesOf(joined(blocks, 'text')).map((content) => ({ content })),
    ...callsOf(blocks).flatMap((call, index) => {
      const start = { index, id: ids.next('call'), type: 'function' };
      return [
        { tool_calls: [{ ...start, function: { name: call.tool, arguments: '' } }] },
        ...piecesOf(JSON.stringify(call.input)).map((piece) => ({
          tool_calls: [{ index, function: { arguments: piece } }],
        })),
      ];
    }),
  ].filter((delta) => !('reasoning_content' in delta && delta.reasoning_content === ''));
}

const completion = (said: Said, ids: Ids, object: string): object => ({
  id: ids.next('chatcmpl'),
  object,
  created: Math.floor(Date.now() / 1000),
  model: said.model,
});

const finishReason = (said: Said): string =>
  callsOf(said.reply.blocks).length > 0 ? 'tool_calls' : 'stop';

const usage = (said: Said): object => ({
  prompt_tokens: said.inputTokens,
  completion_tokens: said.outputTokens,
  total_tokens: said.inputTokens + said.outputTokens,
});
