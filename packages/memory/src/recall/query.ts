/**
 * Reading a query: what is asked for, and under which filters.
 *
 *   project:x agent:codex before:2026-01-01 kind:tool_result path:src/a.ts
 *   "exact phrase" -excluded words
 *
 * Decides: the syntax within the query's text, which terms are looked up, and what the question
 * asks for (when, how many, who). Unknown `name:` prefixes are ordinary words (`http://…`,
 * `foo:bar`). Does not decide what a filter's value may be (`filters.ts`).
 */
import { type NamedTime, namedTimes } from './calendar.ts';
import { identifiersOf } from './identifiers.ts';
import { QUERY_IDENTIFIERS_MAX, QUERY_SUBSTRINGS_MAX, QUERY_TERMS_MAX } from './limits.ts';
import { foldText, termOf, termsOf } from './terms.ts';
import { META_WORDS } from './words.ts';

export const FILTER_NAMES = [
  'project',
  'session',
  'agent',
  'kind',
  'role',
  'before',
  'after',
  'path',
] as const;
export type FilterName = (typeof FILTER_NAMES)[number];

export type ParsedQuery = {
  /** What remains when filters, exclusions and quotation marks are taken away. */
  readonly text: string;
  /** Distinct terms that are looked up, and all of them in order (for pairs). */
  readonly terms: readonly string[];
  readonly ordered: readonly string[];
  readonly identifiers: readonly string[];
  /** Words as written, in case no index knows them whole. */
  readonly substrings: readonly string[];
  readonly phrases: readonly string[];
  readonly excluded: readonly string[];
  readonly filters: Readonly<Partial<Record<FilterName, string>>>;
  readonly times: readonly NamedTime[];
  /** Speakers that the query names. */
  readonly speakers: readonly string[];
  readonly asks: QuestionForm;
};

export type QuestionForm = {
  readonly when: boolean;
  readonly howMany: boolean;
  readonly who: boolean;
  /** Asks for what the assistant said rather than the user. */
  readonly assistant: boolean;
};

export function parseQuery(
  query: string,
  context: { readonly now: number; readonly speakers: readonly string[] },
): ParsedQuery {
  const { text, phrases, excluded, filters } = takeSyntax(query);
  const folded = foldText(text);
  const speakers = context.speakers.filter((name) => isNamed(name, folded));
  const ordered = termsOf(text);
  const terms = queryTerms(ordered, context.speakers);
  return {
    text,
    terms,
    ordered: ordered.filter((term) => terms.includes(term)),
    identifiers: identifiersOf(text).slice(0, QUERY_IDENTIFIERS_MAX),
    substrings: substringsOf(text),
    phrases,
    excluded,
    filters,
    times: namedTimes(folded, context.now),
    speakers,
    asks: questionForm(folded),
  };
}

const FILTER = new RegExp(`(?<!\\S)(${FILTER_NAMES.join('|')}):("[^"]*"|\\S+)`, 'gi');
const EXCLUDED = /(?<!\S)-("[^"]+"|[\p{L}\p{N}][^\s"]*)/gu;
const PHRASE = /"([^"]+)"/g;

function takeSyntax(query: string): Pick<ParsedQuery, 'text' | 'phrases' | 'excluded' | 'filters'> {
  const filters: Partial<Record<FilterName, string>> = {};
  const excluded: string[] = [];
  const phrases: string[] = [];
  const text = query
    .replace(FILTER, (_, name: string, value: string) => {
      filters[name.toLowerCase() as FilterName] = unquoted(value);
      return ' ';
    })
    .replace(EXCLUDED, (_, value: string) => {
      excluded.push(unquoted(value));
      return ' ';
    })
    .replace(PHRASE, (_, value: string) => {
      if (value.trim() !== '') phrases.push(value.trim());
      return ` ${value} `;
    });
  return { text: text.trim(), phrases, excluded, filters };
}

const unquoted = (text: string): string => text.replace(/^"|"$/g, '');

/** The terms to look up: without speakers and words about memory, when at least two remain. */
function queryTerms(ordered: readonly string[], speakers: readonly string[]): string[] {
  const names = new Set(speakers.flatMap((name) => termsOf(name)));
  const distinct = [...new Set(ordered)];
  const nameless = distinct.filter((term) => !names.has(term));
  const content = nameless.filter((term) => !META_TERMS.has(term));
  const chosen = content.length >= 2 ? content : nameless.length > 0 ? nameless : distinct;
  return chosen.slice(0, QUERY_TERMS_MAX);
}

const META_TERMS: ReadonlySet<string> = new Set(
  [...META_WORDS].map((word) => termOf(word)).filter((term) => term !== undefined),
);

/** A name counts in full, or by its first three letters as nicknames do. */
function isNamed(name: string, folded: string): boolean {
  const plain = foldText(name).trim();
  if (plain === '') return false;
  const forms = plain.length > 4 ? [plain, plain.slice(0, 3)] : [plain];
  return forms.some((form) => ` ${folded.replace(/[^\p{L}\p{N}]+/gu, ' ')} `.includes(` ${form} `));
}

const SUBSTRING_CHARS_MIN = 4;

function substringsOf(text: string): string[] {
  const words = text
    .split(/\s+/)
    .map((word) => word.replace(/^[\p{P}\p{S}]+|[\p{P}\p{S}]+$/gu, ''))
    .filter((word) => word.length >= SUBSTRING_CHARS_MIN || /^[^\p{ASCII}]{3,}$/u.test(word));
  return [...new Set(words)].sort((a, b) => b.length - a.length).slice(0, QUERY_SUBSTRINGS_MAX);
}

function questionForm(folded: string): QuestionForm {
  return {
    when: WHEN.test(folded),
    howMany: /\bhow (?:many|much|often|long|old)\b/.test(folded),
    who: /\b(?:who|where|which)\b/.test(folded),
    assistant: ASSISTANT.test(folded),
  };
}

const WHEN = new RegExp(
  [
    '^(?:when|what (?:day|date|year|month|time)|how long)',
    String.raw`|\bwhen (?:did|was|is|does|will|has)\b|which (?:month|year|day|date)`,
  ].join(''),
);
const ASSISTANT = new RegExp(
  [
    String.raw`\byou (?:recommend|suggest|propos|said|told|wrote|did|fixed|chang|mention|explain`,
    String.raw`|decid|advis)|\bdid you\b|\byour (?:answer|suggestion|recommendation|advice)`,
  ].join(''),
);
