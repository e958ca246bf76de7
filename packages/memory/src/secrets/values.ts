/**
 * Whether a value that stands where a secret would is one.
 *
 * Decides: what is only a stand-in (`your-api-key`, `$TOKEN`, `${{ secrets.X }}`), code that yields
 * the value (`getToken()`, `config.token`, `string`), a path or address, or a plain word. Errs to
 * the side of redaction where the name says password and the value is not a word of code.
 */
import { pattern } from './pattern.ts';
export type Standing = {
  /** The name says password: any guessable word may be one. */
  readonly password: boolean;
  readonly quoted: boolean;
  /** `NAME=value` as in an environment: names in capitals, or `export`, no blanks around `=`. */
  readonly environment: boolean;
  /** Joined by `=` or a flag without blanks: `password=hunter2`. */
  readonly tight: boolean;
  /** The whole name, to tell `password: password`. */
  readonly name: string;
};

const REFERENCE = pattern(
  '',
  String.raw`^(?:\$|%[A-Z_]+%|\{\{|<[^>]*>?$|\[|\(|@[A-Za-z]|&[a-z]+;|#\{|process\.|import\.meta|`,
  String.raw`os\.|env[.([]|ENV\[|secrets\.|vault:|arn:|ref\+|op://|file:|!(?:Ref|Sub|GetAtt)\b|`,
  String.raw`\*\w+$|_{3,})|\$\{|\$\(|\{\{|<%`,
);
const STAND_IN = pattern(
  'i',
  '^(?:null|none|nil|undefined|true|false|yes|no|on|off|string|str|number|int|bool|',
  'boolean|object|any|unknown|never|void|bytes|buffer|optional|required|redacted|hidden|',
  'masked|secret|password|passwd|token|bearer|basic|key|value|default|test|testing|',
  'dummy|fake|foo|bar|baz|empty|unset|missing|invalid|expired|auto|automatic|inherit|',
  'public|private|todo|tbd|n/a|set|not|the|is|was|and|or|for|from|to|with|in|of|a|an|be|',
  'must|should|has|have|can|will|via|text|varchar|char|input|output|prompt|change-?me|',
  String.raw`admin|root|user|username|example|sample|placeholder|localhost)[.,;:!?)\]}'"]*$`,
);
const STAND_IN_PART = pattern(
  'i',
  String.raw`your[-_ ]?|[-_.]here\b|x{4,}|\*{3,}|\.{3}|…|change[-_]?(?:me|this|it)|example|`,
  'placeholder|dummy|insert[-_]|replace[-_]?(?:me|this|with)|todo|redacted|<[a-z][^>]*>|',
  '^my[-_](?:secret|token|password|api|key)|^(?:some|test|fake|mock|sample)',
  '[-_](?:secret|token|password|api|key|value)|^(?:0{6}|1{6}|abc123$|1234567890$|',
  String.raw`password\d{0,4}$|foobar)`,
);
const IDENTIFIER = /^[!+~-]{0,2}[A-Za-z_$][\w$]*(?:(?:\??\.|::|->)#?[A-Za-z_$][\w$]*)*[!?;,)\]}]*$/;
const LOCATION = /^(?:[a-z][a-z0-9+.-]{1,20}:\/\/|\/|\.{1,2}\/|~\/|[A-Za-z]:[\\/])/;

export function isSecretValue(raw: string, standing: Standing): boolean {
  const value = raw.replace(/[.,;:!?]+$/, '');
  if (value.length < (standing.password ? 6 : 8)) return false;
  if (value.includes('\0')) return false;
  if (REFERENCE.test(value) || STAND_IN.test(value)) return false;
  if (value.length < 80 && STAND_IN_PART.test(value) && !isRandom(value, 3.6)) return false;
  if (LOCATION.test(value) && !isRandom(value.replace(/[/.:~\\]/g, ''), 4.3)) return false;
  if (/[A-Za-z0-9_$\])][([]/.test(value) || /=>|\|\||&&|\?\?|^\/[[(^\\]/.test(value)) return false;
  if (repeatsName(value, standing.name)) return false;
  if (/^[\d.,:%/+-]+$/.test(value)) return standing.password && /^\d{6,}$/.test(value);
  if (standing.quoted) return isQuotedSecret(value, standing);
  return isBareSecret(value, standing);
}

function isQuotedSecret(value: string, standing: Standing): boolean {
  if (/\s/.test(value)) return standing.password ? isPassphrase(value) : false;
  if (standing.environment) return standing.password || !/^[a-z]+(?:[-_ ][a-z]+)*$/i.test(value);
  if (/^[A-Z]?[a-z]+$/.test(value)) return standing.password && value.length >= 10;
  if (/^[A-Za-z]+(?:[-_.:/ ][A-Za-z]+)*$/.test(value)) {
    return value.length >= 16 && isScrambled(value);
  }
  return standing.password || isRandom(value, 2.6);
}

function isBareSecret(value: string, standing: Standing): boolean {
  if (standing.environment) {
    if (standing.password) return true;
    return !/^[a-z]+(?:[-_.][a-z]+)*$/i.test(value) || (value.length >= 16 && isScrambled(value));
  }
  if (IDENTIFIER.test(value)) {
    const digits = (value.match(/\d/g) ?? []).length;
    if (digits === 0) return value.length >= 16 && isScrambled(value);
    if (value.includes('.') || value.includes('->')) return isRandom(value, 4.3) && digits > 3;
    if (standing.tight && standing.password) return true;
    return standing.password ? value.length >= 8 : value.length >= 16 && isRandom(value, 3);
  }
  if (/^[a-z]+(?:[-_/.:][a-z]+)*$/i.test(value)) return false;
  return standing.password ? /\d|[!@#$%^&*~+]/.test(value) : isRandom(value, 2.8);
}

/** Several words in quotes are a passphrase only when they do not read as a message to people. */
function isPassphrase(value: string): boolean {
  return /\d/.test(value) && /[^A-Za-z0-9\s.,'"]/.test(value) && value.length <= 64;
}

function repeatsName(value: string, name: string): boolean {
  const flat = (text: string): string => text.toLowerCase().replace(/[^a-z0-9]/g, '');
  const a = flat(value);
  return a !== '' && (flat(name).endsWith(a) || (a.length < 24 && a.endsWith(flat(name))));
}

const mixesCase = (value: string): boolean => /[a-z][A-Z]|[A-Z]{2}[a-z]/.test(value);

/** Case changes as often as by chance: `getTokenFromHeader` is words, `EgWUyktqvkGIrLWP` is not. */
function isScrambled(value: string): boolean {
  const words = value.match(/[A-Z]?[a-z]{3,}/g) ?? [];
  return mixesCase(value) && words.join('').length < value.length * 0.6;
}

/** Letters and digits mixed, at this many bits a character or more (scaled down when short). */
export function isRandom(value: string, bits: number): boolean {
  if (!/\d/.test(value) && !mixesCase(value)) return false;
  if (!/[A-Za-z]/.test(value)) return false;
  const attainable = Math.log2(Math.max(2, Math.min(value.length, 64)));
  return entropyBits(value) >= Math.min(bits, attainable * 0.86);
}

/** Shannon entropy of the characters, in bits each. */
export function entropyBits(value: string): number {
  const counts = new Map<string, number>();
  const sample = value.slice(0, 256);
  for (const char of sample) counts.set(char, (counts.get(char) ?? 0) + 1);
  let bits = 0;
  for (const count of counts.values()) {
    const share = count / sample.length;
    bits -= share * Math.log2(share);
  }
  return bits;
}
