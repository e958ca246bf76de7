/** Gemini: `POST /v1beta/models/MODEL:generateContent` and `:streamGenerateContent`. */
import { contentText, type Json, objectsIn, wordsOf } from './json.ts';
import { type Block, piecesOf, type Turn } from './script.ts';
import { type Ids, type Said, SIGNATURE, type Wire } from './wire.ts';

export const gemini: Wire = {
  asked: (body, path) => ({
    model: /\/models\/([^:/]+):/.exec(path)?.[1] ?? '',
    stream: path.includes(':streamGenerateContent'),
    tools: objectsIn(body['tools']).flatMap((tool) =>
      objectsIn(tool['functionDeclarations']).map((each) => wordsOf(each['name'])),
    ),
    turns: objectsIn(body['contents']).flatMap(turnsOf),
  }),
  events: (said, ids) => {
    const head = responseHead(said, ids);
    const chunks = said.reply.blocks.flatMap((block) => partsOf(block, ids));
    return chunks.map((part, index) => {
      const last = index === chunks.length - 1;
      return { body: { ...head, candidates: [candidate([part], last)] } };
    });
  },
  whole: (said, ids) => ({
    ...responseHead(said, ids),
    candidates: [
      candidate(
        said.reply.blocks.map((block) => wholePart(block, ids)),
        true,
      ),
    ],
  }),
  end: '',
};

function turnsOf(content: Json): Turn[] {
  const parts = objectsIn(content['parts']);
  const role = wordsOf(content['role']) === 'model' ? 'assistant' : 'user';
  const results = parts.filter((part) => part['functionResponse'] !== undefined);
  const text = contentText(parts.filter((part) => part['thought'] !== true));
  return [
    ...results.map((part): Turn => ({ role: 'tool', text: JSON.stringify(part) })),
    ...(text === '' ? [] : [{ role, text } as const]),
  ];
}

const candidate = (parts: readonly object[], last: boolean): object => ({
  content: { role: 'model', parts },
  index: 0,
  ...(last ? { finishReason: 'STOP' } : {}),
});

/** Streamed text arrives in pieces that the program joins; a call arrives whole. */
function partsOf(block: Block, ids: Ids): object[] {
  if (block.type === 'text') return piecesOf(block.text).map((text) => ({ text }));
  return [wholePart(block, ids)];
}

function wholePart(block: Block, ids: Ids): object {
  if (block.type === 'thinking') return { text: block.text, thought: true };
  if (block.type === 'text') return { text: block.text };
  const call = { id: ids.next('call'), name: block.tool, args: block.input };
  return { functionCall: call, thoughtSignature: SIGNATURE };
}

const responseHead = (said: Said, ids: Ids): object => ({
  responseId: ids.next('resp'),
  modelVersion: said.model,
  usageMetadata: {
    promptTokenCount: said.inputTokens,
    candidatesTokenCount: said.outputTokens,
    totalTokenCount: said.inputTokens + said.outputTokens,
  },
});
