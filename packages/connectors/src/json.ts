/**
 * Safe, typed access to JSON that a program of unknown version wrote.
 *
 * Decides: that a reader never trusts a shape. Every accessor looks at own properties only (a key
 * called `constructor` or `__proto__` finds what the transcript holds, never what the language
 * does), answers `undefined`, `''` or `[]` where the type is another, and never throws.
 * Does not decide what a missing field means: the reader does.
 */
import { createHash } from 'node:crypto';

export type JsonObject = Readonly<Record<string, unknown>>;

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The object that the text holds, or undefined: not JSON, or JSON of another kind. */
export function parseObject(text: string): JsonObject | undefined {
  const value = parseJson(text);
  return isObject(value) ? value : undefined;
}

/** The value that the text holds, or undefined when it is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (failure) {
    if (failure instanceof SyntaxError || failure instanceof RangeError) return undefined;
    throw failure;
  }
}

/** The own property, whatever it is. */
export function valueAt(source: unknown, key: string): unknown {
  return isObject(source) && Object.hasOwn(source, key) ? source[key] : undefined;
}

/** The own property when it is a string, else `''`. */
export function stringAt(source: unknown, key: string): string {
  const value = valueAt(source, key);
  return typeof value === 'string' ? value : '';
}

/** The first of the keys that holds a non-empty string, else `''`. */
export function firstStringAt(source: unknown, ...keys: readonly string[]): string {
  for (const key of keys) {
    const value = stringAt(source, key);
    if (value !== '') return value;
  }
  return '';
}

/** The own property when it is a finite number. */
export function numberAt(source: unknown, key: string): number | undefined {
  const value = valueAt(source, key);
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}

/** True only when the own property is `true`. */
export const isTrueAt = (source: unknown, key: string): boolean => valueAt(source, key) === true;

/** The own property when it is an object. */
export function objectAt(source: unknown, key: string): JsonObject | undefined {
  const value = valueAt(source, key);
  return isObject(value) ? value : undefined;
}

/** The own property when it is a list, else an empty list. */
export function listAt(source: unknown, key: string): readonly unknown[] {
  const value = valueAt(source, key);
  return Array.isArray(value) ? value : [];
}

/**
 * A time: ISO 8601 text (without a zone it is UTC), or a number or digits of seconds, milliseconds
 * or microseconds since 1970, told apart by size. Milliseconds, or undefined outside 1990..2200.
 */
export function timeOf(value: unknown): number | undefined {
  if (typeof value === 'number') return plausible(epochToMs(value));
  if (typeof value !== 'string' || value.length > 64) return undefined;
  const text = value.trim();
  if (/^\d{9,17}(\.\d+)?$/.test(text)) return plausible(epochToMs(Number(text)));
  const match = /^\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:[.,]\d+)?)?)?/.exec(text);
  if (match === null) return undefined;
  const zone = text.slice(match[0].length).trim();
  if (!/^(?:|Z|z|[+-]\d{2}:?\d{2})$/.test(zone)) return undefined;
  const body = match[0].replace(' ', 'T').replace(',', '.');
  const zoneText = zone === '' || body.length === 10 ? 'Z' : zone.toUpperCase();
  const iso = body.length === 10 ? body : `${body}${zoneText.replace(/^(...)(\d\d)$/, '$1:$2')}`;
  return plausible(Date.parse(iso));
}

export const timeAt = (source: unknown, key: string): number | undefined =>
  timeOf(valueAt(source, key));

/** Compact JSON of the value; text stays text; `''` for undefined or what is nested too deeply. */
export function compactJson(value: unknown): string {
  if (value === undefined) return '';
  if (typeof value === 'string') return value;
  try {
    const text = JSON.stringify(value) ?? '';
    return text.includes('\\ud') ? text.replace(LONE_SURROGATE, '$1\uFFFD') : text;
  } catch (failure) {
    if (failure instanceof RangeError || failure instanceof TypeError) return '';
    throw failure;
  }
}

/** `JSON.stringify` escapes lone surrogates only; after a doubled backslash it is no escape. */
const LONE_SURROGATE = /(?<!\\)((?:\\\\)*)\\ud[89a-f][0-9a-f]{2}/g;

/** SHA-256 (hex) of the bytes that base64 text stands for; `''` when there are none. */
export function base64Digest(base64: string): string {
  const bytes = Buffer.from(base64, 'base64');
  return bytes.length === 0 ? '' : createHash('sha256').update(bytes).digest('hex');
}

const EPOCH_1990_MS = 631_152_000_000;
const EPOCH_2200_MS = 7_258_118_400_000;

function plausible(ms: number): number | undefined {
  return ms >= EPOCH_1990_MS && ms < EPOCH_2200_MS ? Math.trunc(ms) : undefined;
}

function epochToMs(value: number): number {
  if (value < EPOCH_2200_MS / 1000) return value * 1000;
  return value >= EPOCH_2200_MS ? value / 1000 : value;
}
