/**
 * Signals of a single passage: what its text, speaker and time say about the question's form.
 *
 * Decides: the raw strength of each (0 to 1, before weights). Nothing here looks at other passages.
 */
import type { Role } from '@quipu/store';
import { DAY_MS, type NamedTime } from './calendar.ts';
import type { ParsedQuery } from './query.ts';

export type SignalInput = {
  readonly text: string;
  readonly termCount: number;
  readonly author: string;
  readonly role: Role;
  readonly at: number | null;
};

export type FormSignals = {
  readonly author: number;
  readonly date: number;
  readonly when: number;
  readonly length: number;
  readonly question: number;
  readonly howMany: number;
  readonly capital: number;
};

/** A time expression says when only in a passage that is about little else. */
const WHEN_TERMS_MAX = 60;
const FULL_TERMS = 12;
const QUESTION_TERMS_MAX = 15;

export function formSignals(
  query: ParsedQuery,
  passage: SignalInput,
  hasSpeakers: boolean,
): FormSignals {
  const { asks } = query;
  const { text, termCount } = passage;
  const bit = (condition: boolean): number => (condition ? 1 : 0);
  return {
    author: bit(isAsked(query, passage, hasSpeakers)),
    date: dateMatch(query.times, passage.at),
    when: bit(asks.when && termCount < WHEN_TERMS_MAX && TIME.test(text)),
    length: Math.min(1, termCount / FULL_TERMS),
    question: bit(termCount < QUESTION_TERMS_MAX && text.trimEnd().endsWith('?')),
    howMany: bit(asks.howMany && NUMBER.test(text)),
    capital: bit(asks.who && MID_CAPITAL.test(text)),
  };
}

/**
 * The one speaker named; among a user and an assistant: the user, unless the question says "you".
 */
function isAsked(query: ParsedQuery, passage: SignalInput, hasSpeakers: boolean): boolean {
  if (hasSpeakers) return query.speakers.length === 1 && passage.author === query.speakers[0];
  return passage.role === (query.asks.assistant ? 'assistant' : 'user');
}

/** How well a message's time fits the best of the named times. */
export function dateMatch(times: readonly NamedTime[], at: number | null): number {
  if (at === null) return 0;
  let best = 0;
  for (const time of times) best = Math.max(best, fit(time, at));
  return best;
}

function fit(time: NamedTime, at: number): number {
  switch (time.precision) {
    case 'day':
      return dayFit(Math.floor((at - sameYear(time, at)) / DAY_MS));
    case 'span':
      if (at >= time.from && at < time.to) return 1;
      return at >= time.to && at < time.to + 8 * DAY_MS ? 0.5 : 0;
    case 'month':
      if (time.yearless) {
        return new Date(at).getUTCMonth() === new Date(time.from).getUTCMonth() ? 1 : 0;
      }
      return at >= time.from && at < time.to ? 1 : 0;
    case 'year':
      return at >= time.from && at < time.to ? 0.3 : 0;
  }
}

/** People speak of a day on it or soon after; of what is planned, shortly before. */
function dayFit(daysAfter: number): number {
  if (daysAfter >= 0 && daysAfter <= 1) return 1;
  if (daysAfter > 1 && daysAfter <= 8) return 0.7;
  if (daysAfter > 8 && daysAfter <= 31) return 0.4;
  return daysAfter < 0 && daysAfter >= -3 ? 0.3 : 0;
}

function sameYear(time: NamedTime, at: number): number {
  if (!time.yearless) return time.from;
  const named = new Date(time.from);
  return Date.UTC(new Date(at).getUTCFullYear(), named.getUTCMonth(), named.getUTCDate());
}

const UNITS = 'week|month|year|night|summer|winter|spring|fall|weekend|mon|tue|wed|thu|fri|sat|sun';
const TIME = new RegExp(
  `\\b(?:yesterday|today|tonight|tomorrow|ago|(?:last|next|this) (?:${UNITS}|morning)|` +
    '(?:mon|tues|wednes|thurs|fri|satur|sun)day|january|february|march|april|june|july|august|' +
    'september|october|november|december|weekend|recently|since|years?|months?|weeks?|days?|' +
    '(?:19|20)\\d\\d|\\d+(?:st|nd|rd|th))\\b',
  'i',
);
const NUMBER =
  /\b(?:\d+|two|three|four|five|six|seven|eight|nine|ten|couple|once|twice|several)\b/i;
const MID_CAPITAL = /[a-z,] [A-Z][a-z]+/;
