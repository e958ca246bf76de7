/** OpenAI Responses: `POST /v1/responses`, streaming and whole. */
import { contentText, isObject, type Json, objectsIn, wordsOf } from './json.ts';
import { type Block, piecesOf, type Turn } from './script.ts';
import { type Ids, type Said, SIGNATURE, type Wire, type WireEvent } from './wire.ts';

export const responses: Wire = {
  asked: (body) => ({
    model: wordsOf(body['model']),
    stream: body['stream'] === true,
    tools: objectsIn(body['tools']).map((tool) => wordsOf(tool['name']) || wordsOf(tool['type'])),
    turns:
      typeof body['input'] === 'string'
        ? [{ role: 'user', text: body['input'] }]
        : objectsIn(body['input']).flatMap(turnsOf),
  }),
  events: (said, ids) => {
    const body = responseBody(said, ids);
    const items = said.reply.blocks.map((block) => itemOf(block, ids));
    let sequence = 0;
    const event = (type: string, rest: object): WireEvent => {
      sequence += 1;
      return { event: type, body: { type, sequence_number: sequence - 1, ...rest } };
    };
    const open = { ...body, status: 'in_progress', output: [], usage: null };
    return [
      event('response.created', { response: open }),
      ...items.flatMap((item, index) => itemEvents(item, index, event)),
      event('response.completed', { response: { ...body, output: items } }),
    ];
  },
  whole: (said, ids) => ({
    ...responseBody(said, ids),
    output: said.reply.blocks.map((block) => itemOf(block, ids)),
  }),
  end: '',
};

function turnsOf(item: Json): Turn[] {
  const type = wordsOf(item['type']) || 'message';
  if (type.endsWith('_output')) {
    const output = item['output'];
    return [
      { role: 'tool', text: isObject(output) ? JSON.stringify(output) : contentText(output) },
    ];
  }
  if (type !== 'message') return [];
  const role = wordsOf(item['role']);
  const known = role === 'user' || role === 'assistant' ? role : 'system';
  return [{ role: known, text: contentText(item['content']) }];
}

const responseBody = (said: Said, ids: Ids): object => ({
  id: ids.next('resp'),
  object: 'response',
  created_at: Math.floor(Date.now() / 1000),
  status: 'completed',
  error: null,
  incomplete_details: null,
  instructions: null,
  model: said.model,
  parallel_tool_calls: true,
  tools: [],
  tool_choice: 'auto',
  usage: {
    input_tokens: said.inputTokens,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens: said.outputTokens,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: said.inputTokens + said.outputTokens,
  },
});

type Item = Json & { readonly id: string };

function itemOf(block: Block, ids: Ids): Item {
  if (block.type === 'thinking') {
    const summary = [{ type: 'summary_text', text: block.text }];
    return { type: 'reasoning', id: ids.next('rs'), summary, encrypted_content: SIGNATURE };
  }
  if (block.type === 'text') {
    const content = [{ type: 'output_text', text: block.text, annotations: [] }];
    const id = ids.next('msg');
    return { type: 'message', id, role: 'assistant', status: 'completed', content };
  }
  return {
    type: 'function_call',
    id: ids.next('fc'),
    call_id: ids.next('call'),
    name: block.tool,
    arguments: JSON.stringify(block.input),
    status: 'completed',
  };
}

type EventMaker = (type: string, rest: object) => WireEvent;

function itemEvents(item: Item, index: number, event: EventMaker): WireEvent[] {
  const place = { output_index: index, item_id: item.id };
  const around = (empty: object, within: WireEvent[]): WireEvent[] => [
    event('response.output_item.added', { output_index: index, item: { ...item, ...empty } }),
    ...within,
    event('response.output_item.done', { output_index: index, item }),
  ];
  if (item['type'] === 'function_call') {
    const text = wordsOf(item['arguments']);
    return around({ arguments: '', status: 'in_progress' }, [
      ...piecesOf(text).map((delta) =>
        event('response.function_call_arguments.delta', { ...place, delta }),
      ),
      event('response.function_call_arguments.done', { ...place, arguments: text }),
    ]);
  }
  if (item['type'] === 'reasoning') {
    const text = contentText(item['summary']);
    const at = { ...place, summary_index: 0 };
    const empty = { type: 'summary_text', text: '' };
    return around({ summary: [] }, [
      event('response.reasoning_summary_part.added', { ...at, part: empty }),
      ...piecesOf(text).map((delta) =>
        event('response.reasoning_summary_text.delta', { ...at, delta }),
      ),
      event('response.reasoning_summary_text.done', { ...at, text }),
      event('response.reasoning_summary_part.done', { ...at, part: { ...empty, text } }),
    ]);
  }
  const text = contentText(item['content']);
  const at = { ...place, content_index: 0 };
  const part = { type: 'output_text', text: '', annotations: [] };
  return around({ content: [], status: 'in_progress' }, [
    event('response.content_part.added', { ...at, part }),
    ...piecesOf(text).map((delta) => event('response.output_text.delta', { ...at, delta })),
    event('response.output_text.done', { ...at, text }),
    event('response.content_part.done', { ...at, part: { ...part, text } }),
  ]);
}
