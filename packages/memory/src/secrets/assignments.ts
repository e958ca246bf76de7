/**
 * Values that are secret because of the name they are given: `password=…`, `"apiKey": "…"`,
 * `export FOO_TOKEN=…`, `--password …`, `SECRET_KEY: …`.
 *
 * Decides: which names (the last words of it say password, secret, token, key of a guarded kind),
 * what joins name and value, and where the value ends. Names are found by one pass for their
 * secret word; the rest is read by hand from there, each side bounded, so that time is linear.
 * `values.ts` decides whether the value is a secret.
 */

import { BARE_VALUE_CHARS, NAME_CHARS_MAX, VALUE_CHARS_MAX } from './limits.ts';
import { pattern } from './pattern.ts';
import type { Span } from './spans.ts';
import { isRandom, isSecretValue, type Standing } from './values.ts';

const WORD = pattern(
  'gi',
  `passw(?:or)?d|passphrase|passcode|pwd(?<![a-z]pwd)|pass(?=["':=])(?<![a-df-z]pass)|`,
  'pass(?<=_pass|[a-z]Pass)(?![a-z])|secret|token|api[-_ ]?key|(?:access|account|auth|',
  'secret|private|signing|encryption|master|license|service|storage|subscription|shared|',
  'admin|deploy|webhook|app|session|consumer|jwt|hmac|cookie|crypt|data)[-_]?key|',
  'credentials?|auth(?<![a-z]auth)(?![a-z])|dsn(?<![a-z]dsn)(?![a-z])|pat(?<![a-z]pat)',
  `(?=["']?[=:])|salt(?=["']?[=:])`,
);
/** A name that ends so holds no secret of its own although a word in it says so. */
const INNOCENT = pattern(
  'i',
  'public|publishable|next[-_]?page|page[-_]?token|continuation|cancel|sync[-_]?token|',
  'next[-_]?token|prev|cursor|csrf[-_]?(?:header|cookie)|max|min|count|num|total|usage|',
  'limit|budget|tokens$|prompt|completion|input|output|cached|reasoning|eos|bos|pad|',
  'mask|stop|special|unk|syntax|first|last|start|end[-_]?token|regex|pattern|label|hint|',
  'placeholder|field|title|message|error|invalid|help|description|rule|policy|strength|',
  'forgot|reset|confirm[-_]?text',
);
const SUFFIX = pattern(
  'i',
  String.raw`^(?:[-_.]?(?:\d{1,3}|prod|production|dev|development|staging|stage|live|test|testing|`,
  'old|new|value|val|string|str|b64|base64|raw|plain|primary|secondary|main|default|',
  String.raw`local|id_secret|hash))*["'\`\])]{0,2}$`,
);
const NAME_CHAR = /[A-Za-z0-9_.$-]/;

export function findAssignments(text: string): Span[] {
  const spans: Span[] = [];
  WORD.lastIndex = 0;
  let readTo = 0;
  for (const match of text.matchAll(WORD)) {
    if (match.index < readTo) continue;
    const span = readAssignment(text, match.index, match.index + match[0].length);
    if (span === undefined) continue;
    spans.push(span);
    readTo = span.end;
  }
  spans.push(...findRandomVariables(text));
  return spans;
}

function readAssignment(text: string, wordStart: number, wordEnd: number): Span | undefined {
  let nameStart = wordStart;
  while (
    nameStart > 0 &&
    wordStart - nameStart < NAME_CHARS_MAX &&
    isNameChar(text, nameStart - 1)
  ) {
    nameStart -= 1;
  }
  nameStart = skipEscape(text, nameStart, wordStart);
  let nameEnd = wordEnd;
  while (nameEnd < text.length && nameEnd - wordEnd < NAME_CHARS_MAX && isNameChar(text, nameEnd)) {
    nameEnd += 1;
  }
  const name = text.slice(nameStart, nameEnd);
  if (!SUFFIX.test(text.slice(wordEnd, nameEnd))) return undefined;
  if (INNOCENT.test(name.slice(0, wordEnd - nameStart)) && !/secret|passw/i.test(name)) {
    return undefined;
  }
  const join = readJoin(text, nameStart, nameEnd);
  if (join === undefined) return undefined;
  const value = readValue(text, join.valueStart);
  const raw = text.slice(value.start, value.end);
  const standing: Standing = {
    password: /pass|pwd/i.test(name),
    quoted: value.quoted,
    environment:
      (join.tight && /^[A-Z][A-Z0-9_]*$/.test(name)) || (join.flag && !/^[a-z-]+$/.test(raw)),
    tight: join.tight,
    name,
  };
  if (!isSecretValue(raw, standing)) return undefined;
  const end = value.quoted ? value.end : bareEnd(text, value.start + raw.length);
  return { start: value.start, end, kind: kindOf(name), certainty: 1 };
}

const isNameChar = (text: string, at: number): boolean => NAME_CHAR.test(text[at] ?? '');

/** In JSON a name may follow an escape: the `n` of `\nDB_PASSWORD=` is no part of it. */
function skipEscape(text: string, nameStart: number, wordStart: number): number {
  const escaped = text[nameStart - 1] === '\\' && /[nrt]/.test(text[nameStart] ?? '');
  return escaped && nameStart < wordStart ? nameStart + 1 : nameStart;
}

type Join = {
  readonly valueStart: number;
  readonly tight: boolean;
  readonly flag: boolean;
};

const JOIN = pattern(
  'y',
  String.raw`\\{0,3}["'\`]?\]?([ \t]{0,24})(:=|=>|={1,2}(?!=)|:(?![:/])|,(?=[ \t]{0,4}\\{0,3}["'])`,
  String.raw`)([ \t]{0,24})`,
);
const FLAG_GAP = /[ \t]{1,4}(?=[^\s-])/y;

function readJoin(text: string, nameStart: number, nameEnd: number): Join | undefined {
  JOIN.lastIndex = nameEnd;
  const join = JOIN.exec(text);
  if (join !== null) {
    // `==` compares; what it compares with is rarely a stored secret, but a literal may be one.
    return {
      valueStart: nameEnd + join[0].length,
      tight: join[1] === '' && join[3] === '' && join[2] === '=',
      flag: false,
    };
  }
  const flag = /^--?[a-zA-Z]/.test(text.slice(nameStart, nameStart + 3));
  if (!flag) return undefined;
  FLAG_GAP.lastIndex = nameEnd;
  const gap = FLAG_GAP.exec(text);
  return gap === null
    ? undefined
    : { valueStart: nameEnd + gap[0].length, tight: true, flag: true };
}

type Value = { readonly start: number; readonly end: number; readonly quoted: boolean };

const QUOTE = /(?:[rbuf]{0,2}|\$)(\\{0,3})(["'`])/y;
const BARE_CHAR = [
  String.raw`(?:[^\s"'\`<>\0,;)\]}\\&|]|`,
  String.raw`[,;)\]}&|](?=[A-Za-z0-9!@#$%^*])|\\(?![nrtu"'\\]))`,
].join('');
const BARE = new RegExp(`${BARE_CHAR}{1,${BARE_VALUE_CHARS}}`, 'y');
const BARE_REST = new RegExp(`${BARE_CHAR}{1,${VALUE_CHARS_MAX}}`, 'y');

function readValue(text: string, start: number): Value {
  QUOTE.lastIndex = start;
  const quote = QUOTE.exec(text);
  if (quote !== null) {
    const from = start + quote[0].length;
    const close = closingQuote(text, from, quote[1] ?? '', quote[2] ?? '"');
    return { start: from, end: close, quoted: true };
  }
  BARE.lastIndex = start;
  const length = BARE.exec(text)?.[0].length ?? 0;
  return { start, end: start + length, quoted: false };
}

/** Where an unquoted secret ends: all of its run, without the punctuation of the sentence. */
function bareEnd(text: string, from: number): number {
  let end = from;
  for (;;) {
    BARE_REST.lastIndex = end;
    const rest = BARE_REST.exec(text);
    if (rest === null) break;
    end += rest[0].length;
  }
  while (/[.,;:!?]/.test(text[end - 1] ?? '')) end -= 1;
  return end;
}

function closingQuote(text: string, from: number, slashes: string, quote: string): number {
  const limit = Math.min(text.length, from + VALUE_CHARS_MAX);
  for (let at = from; at < limit; at += 1) {
    const char = text[at];
    if (char === '\n') return at;
    if (char === '\\') {
      let run = 0;
      while (text[at + run] === '\\') run += 1;
      if (text[at + run] === quote && run <= slashes.length) return at;
      at += run;
      continue;
    }
    if (char === quote) return at;
  }
  return limit;
}

function kindOf(name: string): string {
  const flat = name.toLowerCase().replace(/[^a-z]/g, '');
  if (/pass|pwd/.test(flat)) return 'password';
  if (flat.includes('aws') && flat.includes('secret')) return 'aws-secret-key';
  if (flat.includes('token')) return 'token';
  if (flat.endsWith('key')) return 'api-key';
  return 'secret';
}

const VARIABLE =
  /(?<![A-Za-z0-9_])[A-Z][A-Z0-9_]{2,64}=(["']?)([A-Za-z0-9+/_-]{32,256}={0,2})(?=["'\s\\]|$)/g;

/** Environment variables whose name says nothing but whose value is long and random. */
function findRandomVariables(text: string): Span[] {
  const spans: Span[] = [];
  for (const match of text.matchAll(VARIABLE)) {
    const value = match[2] ?? '';
    if (/^[0-9a-f]+$|^[0-9A-F]+$|^[0-9a-f-]{36}$/.test(value)) continue;
    if (value.includes('/') && /^(?:\/?[\w.-]+){2,}$/.test(value.replaceAll('/', ''))) {
      if ((value.match(/\//g) ?? []).length > 2) continue;
    }
    if (/(?:HASH|SHA\d*|DIGEST|INTEGRITY|CHECKSUM|COMMIT|PATH|DIR|ID)=/.test(match[0])) continue;
    if (!isRandom(value, 4.2) || !/[a-z]/.test(value) || !/[A-Z]/.test(value)) continue;
    if (!/\d.*\d/.test(value)) continue;
    const start = match.index + match[0].indexOf('=') + 1 + (match[1] ?? '').length;
    spans.push({ start, end: start + value.length, kind: 'high-entropy', certainty: 0 });
  }
  return spans;
}
