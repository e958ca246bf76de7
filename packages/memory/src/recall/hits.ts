/**
 * From scored passages to hits.
 *
 * Decides: a message is one hit, by its best passage; near-copies of a better hit are named by it
 * instead of being shown; what replaces a hit stands above it; the turns beside a hit come along,
 * short. The order is by score, then newer first, then by id: the same store and query, the same
 * answer.
 */
import type { Role, Store } from '@quipu/store';
import { isoOrNull } from '../reading/views.ts';
import type { Hit, WhyTerm } from '../shapes.ts';
import type { TermPostings } from './lexical.ts';
import { COMPARED_HITS_MAX, HIT_CHARS_MAX, NEIGHBOUR_CHARS_MAX } from './limits.ts';
import type { Passage } from './pool.ts';
import type { Scored } from './score.ts';

export type Ranked = {
  readonly index: number;
  readonly passage: Passage;
  readonly score: number;
  readonly copies: readonly string[];
  /** Hits that this one is placed above because it is newer and about the same. */
  readonly supersedes: readonly string[];
  /** What was added to the score for that. */
  readonly lift: number;
};

/** Best passage of each message, in order, of those that something led to. */
export function rankMessages(
  pool: readonly Passage[],
  scored: Scored,
  isCandidate: (index: number) => boolean,
): Ranked[] {
  const best = new Map<string, number>();
  pool.forEach((passage, i) => {
    if (!isCandidate(i)) return;
    const known = best.get(passage.messageId);
    if (known === undefined || (scored.scores[i] ?? 0) > (scored.scores[known] ?? 0)) {
      best.set(passage.messageId, i);
    }
  });
  const ranked = [...best.values()].flatMap((index) => {
    const passage = pool[index];
    if (passage === undefined) return [];
    const score = scored.scores[index] ?? 0;
    return [{ index, passage, score, copies: [], supersedes: [], lift: 0 }];
  });
  return ranked.sort(inOrder);
}

function inOrder(a: Ranked, b: Ranked): number {
  if (a.score !== b.score) return b.score - a.score;
  const newer = (b.passage.at ?? 0) - (a.passage.at ?? 0);
  return newer !== 0 ? newer : a.passage.id - b.passage.id;
}

const COPY_TERMS_MIN = 8;
const COPY_JACCARD_MIN = 0.9;

/** Takes near-copies out and gives their ids to the better hit. */
export function collapseCopies(ranked: readonly Ranked[]): Ranked[] {
  const kept: { ranked: Ranked; terms: ReadonlySet<string>; copies: string[] }[] = [];
  for (const hit of ranked.slice(0, COMPARED_HITS_MAX)) {
    const terms = new Set(hit.passage.terms);
    const original = kept.find((other) => isCopy(other.ranked.passage, other.terms, hit, terms));
    if (original === undefined) kept.push({ ranked: hit, terms, copies: [] });
    else original.copies.push(hit.passage.messageId);
  }
  return [
    ...kept.map((entry) => ({ ...entry.ranked, copies: entry.copies })),
    ...ranked.slice(COMPARED_HITS_MAX),
  ];
}

function isCopy(
  passage: Passage,
  terms: ReadonlySet<string>,
  hit: Ranked,
  hitTerms: ReadonlySet<string>,
): boolean {
  if (passage.text === hit.passage.text) return true;
  const smaller = Math.min(terms.size, hitTerms.size);
  if (smaller < COPY_TERMS_MIN) return false;
  if (smaller < COPY_JACCARD_MIN * Math.max(terms.size, hitTerms.size)) return false;
  let shared = 0;
  for (const term of hitTerms) if (terms.has(term)) shared += 1;
  return shared / (terms.size + hitTerms.size - shared) >= COPY_JACCARD_MIN;
}

const SUPERSEDED_HITS = 5;
/** What replaces a hit is itself among the first: it was found for the same query. */
const SUPERSEDING_HITS = 20;
const LIFT = 1e-6;

/**
 * A statement of a later session that is about the same as one of the first hits is placed just
 * above it. About the same: cosine of term weights at least `threshold`, and both state something
 * (a person's or an assistant's text; neither is a question).
 */
export function liftNewer(
  ranked: readonly Ranked[],
  terms: readonly TermPostings[],
  threshold: number,
  sessionOf: (passage: Passage) => number,
): Ranked[] {
  const order = [...ranked];
  if (threshold > 1) return order;
  const idf = new Map(terms.map((term) => [term.term, term.idf]));
  for (const { passage } of ranked.slice(0, SUPERSEDED_HITS)) {
    // By passage: a hit that was lifted itself is another object by now.
    const from = order.findIndex((each) => each.passage === passage);
    const hit = order[from];
    if (hit === undefined || hit.passage.at === null || !states(hit.passage)) continue;
    const newer = order
      .slice(from + 1, SUPERSEDING_HITS)
      .find(
        (other) =>
          states(other.passage) &&
          (other.passage.at ?? 0) > (hit.passage.at ?? 0) &&
          sessionOf(other.passage) !== sessionOf(hit.passage) &&
          CHANGE.test(other.passage.text) &&
          cosine(hit.passage, other.passage, idf) >= threshold,
      );
    if (newer === undefined) continue;
    order.splice(order.indexOf(newer), 1);
    const score = hit.score + LIFT;
    // Above others of the same score too, so that the order stays that of the scores.
    const place = order.findIndex((each) => each.score < score);
    order.splice(place, 0, {
      ...newer,
      score,
      lift: score - newer.score,
      supersedes: [hit.passage.messageId],
    });
  }
  return order;
}

/** Words of a statement that replaces another. */
const CHANGE = new RegExp(
  [
    String.raw`\b(?:now|instead|no longer|not any ?more|anymore|switch(?:ed|ing)?`,
    '|chang(?:e|ed|ing)|replac(?:e|ed|ing)|mov(?:e|ed|ing) (?:to|from)|actually',
    '|from now on|new(?:er)?|updat(?:e|ed)|revert(?:ed)?|rather than|decided',
    String.raw`|correct(?:ion|ed))\b`,
  ].join(''),
  'i',
);

const states = (passage: Passage): boolean =>
  (passage.kind === 'text' || passage.kind === 'memory') &&
  !passage.text.trimEnd().endsWith('?') &&
  passage.terms.length > 0;

/** Terms of the query weigh their idf, others a little less than the mean of those. */
function cosine(a: Passage, b: Passage, idf: ReadonlyMap<string, number>): number {
  const weigh = (passage: Passage): Map<string, number> => {
    const weights = new Map<string, number>();
    for (const term of passage.terms) {
      weights.set(term, (weights.get(term) ?? 0) + (idf.get(term) ?? OTHER_TERM_WEIGHT));
    }
    return weights;
  };
  const left = weigh(a);
  const right = weigh(b);
  let product = 0;
  for (const [term, weight] of left) product += weight * (right.get(term) ?? 0);
  const length = (weights: ReadonlyMap<string, number>): number =>
    Math.sqrt([...weights.values()].reduce((sum, weight) => sum + weight * weight, 0));
  const norm = length(left) * length(right);
  return norm === 0 ? 0 : product / norm;
}

const OTHER_TERM_WEIGHT = 2;

type MessageRow = {
  readonly id: string;
  readonly external_id: string;
  readonly session_id: string;
  readonly session_external_id: string;
  readonly agent: string;
  readonly project_name: string | null;
};

export type HitInput = {
  readonly scored: Scored;
  readonly matched: (index: number) => readonly string[];
  readonly similarity: (index: number) => number | null;
};

/** Reads what a hit shows; messages that are gone by now are left out. */
export function toHits(store: Store, ranked: readonly Ranked[], input: HitInput): Hit[] {
  const rows = store.all(
    `SELECT m.id, m.external_id, m.session_id, s.external_id AS session_external_id, s.agent,
       p.name AS project_name FROM json_each(?) j CROSS JOIN messages m ON m.id = j.value
     JOIN sessions s ON s.id = m.session_id LEFT JOIN projects p ON p.id = s.project_id`,
    [JSON.stringify(ranked.map((hit) => hit.passage.messageId))],
  ) as MessageRow[];
  const byId = new Map(rows.map((row) => [row.id, row]));
  return ranked.flatMap((hit) => {
    const row = byId.get(hit.passage.messageId);
    return row === undefined ? [] : [toHit(store, hit, row, input)];
  });
}

function toHit(store: Store, hit: Ranked, row: MessageRow, input: HitInput): Hit {
  const { passage } = hit;
  const lifted: WhyTerm[] =
    hit.lift === 0
      ? []
      : [
          {
            signal: 'supersedes',
            raw: 1,
            value: hit.lift,
            scale: hit.lift,
            offset: 0,
            rank: null,
          },
        ];
  return {
    id: row.id,
    externalId: row.external_id === '' ? null : row.external_id,
    kind: passage.kind as Hit['kind'],
    score: hit.score,
    sessionId: row.session_id,
    sessionExternalId: row.session_external_id,
    project: row.project_name,
    agent: row.agent,
    role: passage.role,
    at: isoOrNull(passage.at),
    text: clip(passage.text, HIT_CHARS_MAX),
    context: neighbours(store, row),
    copies: hit.copies,
    why: {
      terms: [...input.scored.why(hit.index), ...lifted],
      matched: input.matched(hit.index),
      similarity: input.similarity(hit.index),
      supersedes: hit.supersedes,
    },
  };
}

/** The message before and the one after, nearest first, that say something in words. */
function neighbours(store: Store, row: MessageRow): Hit['context'] {
  const beside = store.all(
    `SELECT n.message_id AS id, m.role,
       (SELECT substr(p.text, 1, ${NEIGHBOUR_CHARS_MAX + 1}) FROM parts p
        WHERE p.message_id = n.message_id AND p.type = 'text' ORDER BY p.ordinal LIMIT 1) AS text
     FROM session_messages own JOIN session_messages n ON n.session_id = own.session_id
       AND n.position BETWEEN own.position - 1 AND own.position + 1
       AND n.position <> own.position
     JOIN messages m ON m.id = n.message_id
     WHERE own.session_id = ? AND own.message_id = ? ORDER BY n.position`,
    [row.session_id, row.id],
  ) as { id: string; role: Role; text: string | null }[];
  return beside
    .filter((message) => message.text !== null && message.text !== '')
    .map((message) => ({
      id: message.id,
      role: message.role,
      text: clip(message.text ?? '', NEIGHBOUR_CHARS_MAX),
    }));
}

/** Cuts at a limit, never inside a surrogate pair. */
export function clip(text: string, chars: number): string {
  if (text.length <= chars) return text;
  const last = text.charCodeAt(chars - 2);
  const end = last >= 0xd800 && last <= 0xdbff ? chars - 2 : chars - 1;
  return `${text.slice(0, end)}…`;
}
