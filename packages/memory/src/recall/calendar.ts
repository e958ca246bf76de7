/**
 * Dates in words: spans of time that a text names, relative to a given now.
 *
 * Decides: what "last Tuesday", "in May", "two weeks ago", "8 May, 2023", "2023-05-07", "Q3" mean.
 * All in UTC; weeks begin on Monday. A month or day without a year stands for every year (`year`
 * missing): as a filter it is then the latest one that has begun.
 */

export const DAY_MS = 86_400_000;

export type Precision = 'day' | 'span' | 'month' | 'year';

export type NamedTime = {
  readonly precision: Precision;
  /** Milliseconds since 1970; `to` exclusive. For a day or month without a year: of the latest. */
  readonly from: number;
  readonly to: number;
  readonly yearless: boolean;
};

const MONTHS = [
  'january',
  'february',
  'march',
  'april',
  'may',
  'june',
  'july',
  'august',
  'september',
  'october',
  'november',
  'december',
] as const;
const DAYS = [
  'monday',
  'tuesday',
  'wednesday',
  'thursday',
  'friday',
  'saturday',
  'sunday',
] as const;
const NUMBERS: Readonly<Record<string, number>> = {
  a: 1,
  an: 1,
  one: 1,
  two: 2,
  couple: 2,
  three: 3,
  four: 4,
  five: 5,
  six: 6,
  seven: 7,
  eight: 8,
  nine: 9,
  ten: 10,
  eleven: 11,
  twelve: 12,
};

const MONTH = `(${MONTHS.map((name) => `${name}|${name.slice(0, 3)}`).join('|')}|sept)\\.?`;
const WEEKDAY = `(${DAYS.join('|')}|mon|tue|tues|wed|thu|thur|thurs|fri|sat|sun)`;
const COUNT = `(\\d{1,3}|a couple of|${Object.keys(NUMBERS).join('|')})`;
const DAY_OF_MONTH = '(\\d{1,2})(?:st|nd|rd|th)?';
const YEAR = '((?:19|20)\\d\\d)';

type Reading = (match: RegExpMatchArray, now: number) => NamedTime | undefined;
type Rule = readonly [pattern: RegExp, read: Reading];

const rule = (pattern: string, read: Reading): Rule => [
  new RegExp(`(?<![\\w-])${pattern}(?![\\w-])`, 'g'),
  read,
];

/** Earlier rules win: what one has read is not read again. */
const RULES: readonly Rule[] = [
  rule(`${YEAR}-(\\d{1,2})-(\\d{1,2})(?:t[\\d:.]+z?)?`, (m) =>
    day(num(m[1]), num(m[2]) - 1, num(m[3])),
  ),
  rule(`${YEAR}/(\\d{1,2})/(\\d{1,2})`, (m) => day(num(m[1]), num(m[2]) - 1, num(m[3]))),
  rule(`${DAY_OF_MONTH}(?: of)? ${MONTH}(?:,? ${YEAR})?`, (m, now) =>
    dayOfMonth(monthIndex(m[2]), num(m[1]), m[3], now),
  ),
  rule(`${MONTH} ${DAY_OF_MONTH}(?:,? ${YEAR})?`, (m, now) =>
    dayOfMonth(monthIndex(m[1]), num(m[2]), m[3], now),
  ),
  rule(`${MONTH},? (?:of )?${YEAR}`, (m) => month(num(m[2]), monthIndex(m[1]), false)),
  rule(`${YEAR}-(\\d{2})`, (m) => month(num(m[1]), num(m[2]) - 1, false)),
  rule(`q([1-4])(?: (?:of )?${YEAR})?`, (m, now) => quarter(num(m[1]), m[2], now)),
  rule('(?:the )?day before yesterday', (_, now) => daysFrom(now, -2, 1)),
  rule('yesterday|last night', (_, now) => daysFrom(now, -1, 1)),
  rule('today|tonight|this (?:morning|afternoon|evening)', (_, now) => daysFrom(now, 0, 1)),
  rule('tomorrow', (_, now) => daysFrom(now, 1, 1)),
  rule(`${COUNT} (day|week|month|year)s? ago`, (m, now) => ago(count(m[1]), m[2] ?? '', now)),
  rule(`(?:in )?(?:the )?(?:last|past) ${COUNT} (day|week|month|year)s?`, (m, now) =>
    since(count(m[1]), m[2] ?? '', now),
  ),
  rule('(last|past|this|next) (week|month|year|weekend)', (m, now) =>
    around(m[1] ?? '', m[2] ?? '', now),
  ),
  rule(`(last|past|this|next|on) ${WEEKDAY}`, (m, now) => weekday(m[1] ?? '', m[2] ?? '', now)),
  rule(`(?:in|of|during|since|by|early|late|mid|until|before|after|last|this) ${MONTH}`, (m, now) =>
    latestMonth(monthIndex(m[1]), now),
  ),
  rule(YEAR, (m) => span('year', Date.UTC(num(m[1]), 0, 1), Date.UTC(num(m[1]) + 1, 0, 1))),
];

/** The times that a (lower-case) text names, in no particular order. */
export function namedTimes(text: string, now: number): NamedTime[] {
  const times: NamedTime[] = [];
  let rest = text;
  for (const [pattern, read] of RULES) {
    rest = rest.replace(pattern, (...args) => {
      const groups = args.slice(0, -2) as unknown as RegExpMatchArray;
      const time = read(groups, now);
      if (time === undefined) return args[0] as string;
      times.push(time);
      return ' ; ';
    });
  }
  return times;
}

/** A date given as a filter: ISO (with or without time), or in words; undefined when neither. */
export function readTime(text: string, now: number): NamedTime | undefined {
  const plain = text.trim().toLowerCase();
  if (/^\d{4}-\d{2}-\d{2}t/.test(plain)) {
    const at = Date.parse(text.trim());
    return Number.isNaN(at) ? undefined : span('day', at, at);
  }
  const bare = MONTHS.some((name) => plain === name || plain === name.slice(0, 3));
  const prefixed = bare ? `in ${plain}` : DAY_ONLY.test(plain) ? `last ${plain}` : plain;
  const [time] = namedTimes(prefixed, now);
  return time;
}

const DAY_ONLY = new RegExp(`^${WEEKDAY}$`);

const num = (text: string | undefined): number => Number(text ?? Number.NaN);

function count(text: string | undefined): number {
  if (text === 'a couple of') return 2;
  return NUMBERS[text ?? ''] ?? num(text);
}

const monthIndex = (text: string | undefined): number =>
  MONTHS.findIndex((name) => name.startsWith((text ?? '').slice(0, 3)));

const span = (precision: Precision, from: number, to: number, yearless = false): NamedTime => ({
  precision,
  from,
  to,
  yearless,
});

function day(year: number, monthOfYear: number, dayOfMonthGiven: number): NamedTime | undefined {
  const from = Date.UTC(year, monthOfYear, dayOfMonthGiven);
  const read = new Date(from);
  if (read.getUTCMonth() !== monthOfYear || read.getUTCDate() !== dayOfMonthGiven) return undefined;
  return span('day', from, from + DAY_MS);
}

function dayOfMonth(
  monthOfYear: number,
  dayGiven: number,
  year: string | undefined,
  now: number,
): NamedTime | undefined {
  if (year !== undefined) return day(num(year), monthOfYear, dayGiven);
  const thisYear = new Date(now).getUTCFullYear();
  const begun = Date.UTC(thisYear, monthOfYear, dayGiven) <= now ? thisYear : thisYear - 1;
  const found = day(begun, monthOfYear, dayGiven);
  return found === undefined ? undefined : { ...found, yearless: true };
}

const month = (year: number, monthOfYear: number, yearless: boolean): NamedTime | undefined =>
  monthOfYear < 0 || monthOfYear > 11
    ? undefined
    : span('month', Date.UTC(year, monthOfYear, 1), Date.UTC(year, monthOfYear + 1, 1), yearless);

function latestMonth(monthOfYear: number, now: number): NamedTime | undefined {
  const year = new Date(now).getUTCFullYear();
  return month(Date.UTC(year, monthOfYear, 1) <= now ? year : year - 1, monthOfYear, true);
}

function quarter(which: number, yearText: string | undefined, now: number): NamedTime {
  const start = (which - 1) * 3;
  const thisYear = new Date(now).getUTCFullYear();
  const begun = Date.UTC(thisYear, start, 1) <= now ? thisYear : thisYear - 1;
  const year = yearText === undefined ? begun : num(yearText);
  return span('span', Date.UTC(year, start, 1), Date.UTC(year, start + 3, 1));
}

const startOfDay = (at: number): number => Math.floor(at / DAY_MS) * DAY_MS;

function daysFrom(now: number, offset: number, days: number): NamedTime {
  const from = startOfDay(now) + offset * DAY_MS;
  return span(days === 1 ? 'day' : 'span', from, from + days * DAY_MS);
}

/** Monday of the week, as days since 1970 in milliseconds; 1970-01-01 was a Thursday. */
function startOfWeek(now: number): number {
  const today = startOfDay(now);
  return today - ((today / DAY_MS + 3) % 7) * DAY_MS;
}

function ago(amount: number, unit: string, now: number): NamedTime | undefined {
  if (Number.isNaN(amount)) return undefined;
  if (unit === 'day') return daysFrom(now, -amount, 1);
  if (unit === 'week') return daysFrom(now, -7 * amount - 3, 7);
  const date = new Date(now);
  if (unit === 'year') {
    const year = date.getUTCFullYear() - amount;
    return span('year', Date.UTC(year, 0, 1), Date.UTC(year + 1, 0, 1));
  }
  return month(date.getUTCFullYear(), 0, false) === undefined
    ? undefined
    : span(
        'month',
        Date.UTC(date.getUTCFullYear(), date.getUTCMonth() - amount, 1),
        Date.UTC(date.getUTCFullYear(), date.getUTCMonth() - amount + 1, 1),
      );
}

function since(amount: number, unit: string, now: number): NamedTime | undefined {
  const days = { day: 1, week: 7, month: 30, year: 365 }[unit];
  if (days === undefined || Number.isNaN(amount)) return undefined;
  return span('span', startOfDay(now) - amount * days * DAY_MS, startOfDay(now) + DAY_MS);
}

function around(which: string, unit: string, now: number): NamedTime | undefined {
  const step = which === 'this' ? 0 : which === 'next' ? 1 : -1;
  const date = new Date(now);
  const year = date.getUTCFullYear();
  if (unit === 'year') {
    return span('year', Date.UTC(year + step, 0, 1), Date.UTC(year + step + 1, 0, 1));
  }
  if (unit === 'month') {
    const at = date.getUTCMonth() + step;
    return span('month', Date.UTC(year, at, 1), Date.UTC(year, at + 1, 1));
  }
  const week = startOfWeek(now) + step * 7 * DAY_MS;
  return unit === 'week'
    ? span('span', week, week + 7 * DAY_MS)
    : span('span', week + 5 * DAY_MS, week + 7 * DAY_MS);
}

function weekday(which: string, name: string, now: number): NamedTime | undefined {
  const index = DAYS.findIndex((full) => full.startsWith(name.slice(0, 3)));
  const today = startOfDay(now);
  const back = ((today - startOfWeek(now)) / DAY_MS - index + 7) % 7;
  const latest = back === 0 && which !== 'this' && which !== 'on' ? 7 : back;
  const from = which === 'next' ? today + (7 - back) * DAY_MS : today - latest * DAY_MS;
  return span('day', from, from + DAY_MS);
}
