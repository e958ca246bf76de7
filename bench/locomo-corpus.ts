/**
 * LoCoMo as a corpus: conversations, turns, questions with the turns that answer them.
 *
 * Decides: the mapping onto memory (a conversation is a project, a turn a message, the speaker its
 * author, the image caption part of the text) and which evidence counts: every `D<session>:<turn>`
 * that can be read and exists. The set is CC BY-NC 4.0 and no part of Quipu; it is read from
 * `QUIPU_LOCOMO` or the path given.
 */
import { readFileSync } from 'node:fs';

export type Turn = {
  readonly id: string;
  readonly session: string;
  readonly speaker: string;
  readonly at: number;
  readonly text: string;
};

export type Question = {
  readonly text: string;
  readonly category: number;
  readonly evidence: readonly string[];
};

export type Conversation = {
  readonly name: string;
  readonly turns: readonly Turn[];
  readonly questions: readonly Question[];
};

type RawTurn = { speaker: string; dia_id: string; text: string; blip_caption?: string };
type RawConversation = {
  sample_id: string;
  conversation: Record<string, string | RawTurn[]>;
  qa: { question: string; category: number; evidence: string[] }[];
};

const MONTHS =
  'january february march april may june july august september october november december';
const TURN_MS = 1_000;

export function readLocomo(path: string): Conversation[] {
  const raw = JSON.parse(readFileSync(path, 'utf8')) as RawConversation[];
  return raw.map((conversation) => {
    const turns = turnsOf(conversation);
    const known = new Set(turns.map((turn) => turn.id));
    return { name: conversation.sample_id, turns, questions: questionsOf(conversation, known) };
  });
}

function turnsOf({ sample_id, conversation }: RawConversation): Turn[] {
  const turns: Turn[] = [];
  const sessions = Object.keys(conversation)
    .map((key) => /^session_(\d+)$/.exec(key)?.[1])
    .filter((number) => number !== undefined)
    .sort((a, b) => Number(a) - Number(b));
  for (const number of sessions) {
    const list = conversation[`session_${number}`];
    const at = parseTime(String(conversation[`session_${number}_date_time`]));
    if (!Array.isArray(list)) continue;
    list.forEach((turn, i) => {
      turns.push({
        id: turn.dia_id,
        session: `${sample_id}/session_${number}`,
        speaker: turn.speaker,
        at: at + i * TURN_MS,
        text: turn.blip_caption === undefined ? turn.text : `${turn.text} [${turn.blip_caption}]`,
      });
    });
  }
  return turns;
}

/** "1:56 pm on 8 May, 2023", taken as UTC. */
function parseTime(text: string): number {
  const match = /(\d+):(\d+) (am|pm) on (\d+) (\w+), (\d+)/.exec(text);
  if (match === null) throw new Error(`not a session time: ${text}`);
  const [, hour, minute, half, day, month, year] = match;
  return Date.UTC(
    Number(year),
    MONTHS.split(' ').indexOf((month ?? '').toLowerCase()),
    Number(day),
    (Number(hour) % 12) + (half === 'pm' ? 12 : 0),
    Number(minute),
  );
}

function questionsOf({ qa }: RawConversation, known: ReadonlySet<string>): Question[] {
  return qa.flatMap(({ question, category, evidence }) => {
    const ids = evidence.flatMap((text) =>
      [...text.matchAll(/D(\d+):(\d+)/g)].map((m) => `D${Number(m[1])}:${Number(m[2])}`),
    );
    const usable = [...new Set(ids)].filter((id) => known.has(id));
    return usable.length === 0 ? [] : [{ text: question, category, evidence: usable }];
  });
}
