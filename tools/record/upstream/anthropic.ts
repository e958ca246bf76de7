/** Anthropic Messages: `POST /v1/messages`, streaming and whole. */
import { contentText, type Json, objectsIn, wordsOf } from './json.ts';
import { type Block, piecesOf, type Reply, type Turn } from './script.ts';
import { type Ids, type Said, SIGNATURE, type Wire, type WireEvent } from './wire.ts';

export const anthropic: Wire = {
  asked: (body) => ({
    model: wordsOf(body['model']),
    stream: body['stream'] === true,
    tools: objectsIn(body['tools']).map((tool) => wordsOf(tool['name'])),
    turns: objectsIn(body['messages']).flatMap(turnsOf),
  }),
  events: (said, ids) => [
    event('message_start', {
      message: { ...head(said, ids), content: [], stop_reason: null, usage: usage(said, 1) },
    }),
    ...said.reply.blocks.flatMap((block, index) => blockEvents(block, index, ids)),
    event('message_delta', {
      delta: { stop_reason: stopReason(said.reply), stop_sequence: null },
      usage: { output_tokens: said.outputTokens },
    }),
    event('message_stop', {}),
  ],
  whole: (said, ids) => ({
    ...head(said, ids),
    content: said.reply.blocks.map((block) => wholeBlock(block, ids)),
    stop_reason: stopReason(said.reply),
    usage: usage(said, said.outputTokens),
  }),
  end: '',
};

function turnsOf(message: Json): Turn[] {
  const role = wordsOf(message['role']) === 'assistant' ? 'assistant' : 'user';
  const blocks = objectsIn(message['content']);
  const results = blocks.filter((block) => block['type'] === 'tool_result');
  const text = contentText(message['content']);
  return [
    ...results.map((result): Turn => ({ role: 'tool', text: contentText(result['content']) })),
    ...(text === '' ? [] : [{ role, text } as const]),
  ];
}

const event = (type: string, rest: object): WireEvent => ({ event: type, body: { type, ...rest } });

const head = (said: Said, ids: Ids): object => ({
  id: ids.next('msg'),
  type: 'message',
  role: 'assistant',
  model: said.model,
  stop_sequence: null,
});

const usage = (said: Said, outputTokens: number): object => ({
  input_tokens: said.inputTokens,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: 0,
  output_tokens: outputTokens,
});

const stopReason = (reply: Reply): string =>
  reply.blocks.some((block) => block.type === 'call') ? 'tool_use' : 'end_turn';

function blockEvents(block: Block, index: number, ids: Ids): WireEvent[] {
  const delta = (body: object): WireEvent => event('content_block_delta', { index, delta: body });
  const deltas: WireEvent[] = [];
  if (block.type === 'call') {
    const pieces = piecesOf(JSON.stringify(block.input));
    deltas.push(...pieces.map((text) => delta({ type: 'input_json_delta', partial_json: text })));
  } else if (block.type === 'thinking') {
    deltas.push(
      ...piecesOf(block.text).map((text) => delta({ type: 'thinking_delta', thinking: text })),
    );
    deltas.push(delta({ type: 'signature_delta', signature: SIGNATURE }));
  } else {
    deltas.push(...piecesOf(block.text).map((text) => delta({ type: 'text_delta', text })));
  }
  const start = event('content_block_start', { index, content_block: emptyBlock(block, ids) });
  return [start, ...deltas, event('content_block_stop', { index })];
}

function emptyBlock(block: Block, ids: Ids): object {
  if (block.type === 'thinking') return { type: 'thinking', thinking: '', signature: '' };
  if (block.type === 'text') return { type: 'text', text: '' };
  return { type: 'tool_use', id: ids.next('toolu'), name: block.tool, input: {} };
}

function wholeBlock(block: Block, ids: Ids): object {
  if (block.type === 'thinking') {
    return { type: 'thinking', thinking: block.text, signature: SIGNATURE };
  }
  if (block.type === 'text') return { type: 'text', text: block.text };
  return { type: 'tool_use', id: ids.next('toolu'), name: block.tool, input: block.input };
}
