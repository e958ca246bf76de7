/**
 * Secrets known by where they stand: addresses, headers, cookies, flags of well-known programs,
 * and the partner of a key id.
 *
 * Decides: user info in addresses of any scheme (the password, or a lone random user), the
 * credential of an `Authorization` header, values of cookies, `curl -u`, `mysql -p…`, `.netrc`, and
 * the 40 characters near an AWS key id.
 */

import { VALUE_CHARS_MAX } from './limits.ts';
import { pattern } from './pattern.ts';
import type { Span } from './spans.ts';
import { isRandom, isSecretValue } from './values.ts';

type Placed = {
  readonly kind: string;
  readonly hint: RegExp;
  readonly pattern: RegExp;
  /** Which group holds the secret, and whether it counts as one. */
  readonly accept: (value: string, match: RegExpMatchArray) => boolean;
};

const asPassword = (value: string): boolean =>
  isSecretValue(value, {
    password: true,
    quoted: false,
    environment: true,
    tight: true,
    name: 'password',
  });
const asCredential = (value: string): boolean =>
  isSecretValue(value, {
    password: false,
    quoted: false,
    environment: true,
    tight: true,
    name: 'credential',
  });

/** Group 1 is what goes before, group 2 the secret. */
const PLACED: readonly Placed[] = [
  {
    kind: 'url-password',
    hint: /@/,
    pattern: /(:\\?\/\\?\/[^\s:@/"'<>`\0\\]{0,128}:)([^\s@"'<>`\0/\\]{1,512})@(?=[\w.[\-$%])/g,
    accept: (value) =>
      value.length >= 3 && !/^\d{1,5}$|^[$%<{[*]|^x+$|^\.+$/i.test(value) && !isPlainWord(value),
  },
  {
    kind: 'url-password',
    hint: /@/,
    pattern: /(:\\?\/\\?\/)([A-Za-z0-9_~.%-]{16,512})@(?=[\w.[-])/g,
    accept: (value) => isRandom(value, 3),
  },
  {
    kind: 'authorization',
    hint: /authorization/i,
    pattern: pattern(
      'gi',
      '((?<![A-Za-z])',
      String.raw`authorization\\{0,3}["']?\]?[ \t]{0,4}[:=,][ \t]{0,4}\\{0,3}["'\`]?(?:(?:bearer|`,
      String.raw`basic|token|digest|apikey|aws4-hmac-sha256|negotiate|bot|key)[ \t]{1,4})?)`,
      '([A-Za-z0-9._~+/=:-]{8,8192})',
    ),
    accept: (value) => asCredential(value) && isRandom(value, 2.6),
  },
  {
    kind: 'authorization',
    hint: /bearer|basic /i,
    pattern: /((?<![A-Za-z])(?:Bearer|bearer|BEARER)[ \t]{1,4})([A-Za-z0-9._~+/=-]{16,8192})/g,
    accept: (value) => isRandom(value, 3),
  },
  {
    kind: 'authorization',
    hint: /basic /i,
    pattern: /((?<![A-Za-z])[Bb]asic[ \t]{1,4})([A-Za-z0-9+/_-]{12,4096}={0,2})(?![A-Za-z0-9])/g,
    accept: (value) =>
      /^[\x20-\x7e]*:[\x20-\x7e]*$/.test(Buffer.from(value, 'base64').toString('latin1')),
  },
  {
    kind: 'password',
    hint: /curl|wget|http/,
    pattern: pattern(
      'g',
      String.raw`((?<![\w-])(?:-u|--user|--proxy-user|-U|--auth|-a)`,
      String.raw`[ =]{1,2}\\{0,3}["']?[^\s:"'$@/]{1,64}:)([^\s"'\\]{3,256})`,
    ),
    accept: (value) =>
      asPassword(value) ||
      (!isPlainWord(value) && !/^[$%<{]/.test(value) && /[A-Za-z]\d|\W/.test(value)),
  },
  {
    kind: 'password',
    hint: /mysql|mariadb|sshpass|docker login|redis-cli|mongo/,
    pattern: pattern(
      'g',
      String.raw`((?:mysql(?:dump|admin)?|mariadb|sshpass|docker login|redis-cli|mongo\w*)`,
      String.raw`(?=[ \t])`,
      String.raw`[^\n]{0,200}?[ \t]-(?:p|a)[ =]?["']?)([^\s"'\\-][^\s"'\\]{5,128})`,
    ),
    accept: asPassword,
  },
  {
    kind: 'password',
    hint: /machine /,
    pattern:
      /(\bmachine[ \t]+[\w.-]{1,128}\s+login\s+[^\s]{1,128}\s+password\s+)([^\s"'\\]{4,256})/g,
    accept: asPassword,
  },
  {
    kind: 'private-key-id',
    hint: /private_key_id/,
    pattern: /(private_key_id\\{0,3}["']?[ \t]{0,4}:[ \t]{0,4}\\{0,3}["'])([a-f0-9]{32,64})/g,
    accept: () => true,
  },
  {
    kind: 'password',
    hint: /password|passwd|passphrase/i,
    pattern: pattern(
      'gi',
      String.raw`((?<![A-Za-z])(?:password|passwd|passphrase|passcode)[ \t]{1,2}(?:is|was|to|=|->)`,
      String.raw`[ \t]{1,2}["'\`]?)([^\s"'\`<>]{8,128})`,
    ),
    accept: (value) => /\d/.test(value) && /[A-Za-z]/.test(value) && asPassword(value),
  },
];

export function findPlacedCredentials(text: string): Span[] {
  const spans: Span[] = [];
  for (const { kind, hint, pattern, accept } of PLACED) {
    if (!hint.test(text)) continue;
    for (const match of text.matchAll(pattern)) {
      const value = trimEnd(match[2] ?? '');
      if (!accept(value, match)) continue;
      const start = match.index + (match[1] ?? '').length;
      spans.push({ start, end: start + value.length, kind, certainty: 1 });
    }
  }
  return [...spans, ...findCookies(text), ...findAwsSecrets(text)];
}

const trimEnd = (value: string): string => value.replace(/[.,;:!?)]+$/, '');

function isPlainWord(value: string): boolean {
  return pattern(
    'i',
    '^(?:pass(?:word|wd|phrase)?|pwd|pw|secret|token|user(?:name)?|key|your.*|my.*|',
    'some.*|',
    String.raw`example|placeholder|redacted|xxx.*|\*+|changeme)$`,
  ).test(value);
}

const COOKIE = pattern(
  'gi',
  String.raw`(?<![A-Za-z])((?:set-)?cookie\\{0,3}["']?[ \t]{0,2}[:=][ \t]{0,2}\\{0,3}["']?)`,
  String.raw`([^\n"'\\]{8,8192})`,
);
const PAIR = /([\w.%-]{1,128})=([^;,\s"']{8,4096})/g;
const COOKIE_ATTRIBUTE =
  /^(?:expires|path|domain|max-age|samesite|secure|httponly|priority|version)$/i;

function findCookies(text: string): Span[] {
  const spans: Span[] = [];
  for (const match of text.matchAll(COOKIE)) {
    const start = match.index + (match[1] ?? '').length;
    for (const pair of (match[2] ?? '').matchAll(PAIR)) {
      const value = pair[2] ?? '';
      if (COOKIE_ATTRIBUTE.test(pair[1] ?? '') || !asCredential(value)) continue;
      const at = start + pair.index + (pair[1] ?? '').length + 1;
      spans.push({ start: at, end: at + value.length, kind: 'cookie', certainty: 1 });
    }
  }
  return spans;
}

const AWS_ID = /(?:AKIA|ASIA)[A-Z0-9]{16}/g;
const AWS_SECRET = /(?<![A-Za-z0-9+/=_-])[A-Za-z0-9+/]{40}(?![A-Za-z0-9+/_-])/g;
/** How far from its key id a secret is looked for, in characters. */
const PAIR_REACH_CHARS = 400;

function findAwsSecrets(text: string): Span[] {
  if (!text.includes('AKIA') && !text.includes('ASIA')) return [];
  const spans: Span[] = [];
  let readTo = 0;
  for (const id of text.matchAll(AWS_ID)) {
    const from = Math.max(readTo, id.index - PAIR_REACH_CHARS);
    const to = Math.min(text.length, id.index + PAIR_REACH_CHARS, from + VALUE_CHARS_MAX);
    for (const match of text.slice(from, to).matchAll(AWS_SECRET)) {
      if (/^[0-9a-f]{40}$/.test(match[0]) || !isRandom(match[0], 4)) continue;
      const start = from + match.index;
      spans.push({ start, end: start + 40, kind: 'aws-secret-key', certainty: 1 });
    }
    readTo = Math.max(readTo, to - 64);
  }
  return spans;
}
