/**
 * The redactor: secrets out, typed placeholders in.
 *
 *   text ─▶ mask placeholders ─▶ windows ─▶ detectors ─▶ spans ─▶ union ─▶ placeholders
 *                                            └ joined view, base64 (each searched by the same)
 *
 * Decides: which detectors run over which view; that a value found once in a call is taken out of
 * the same call's other places too, however bare; that passes repeat until nothing is found, so
 * that redacting twice is redacting once. Pure: the same text, the same answer; no clock, no files.
 *
 * Callers: everything goes through here before it is stored, indexed, embedded, logged or hashed;
 * give all parts of a message in one call, so that a value named in one is known in the others.
 * Not decided here: what counts as a secret (the detectors), what is own output (`../own-output`).
 */
import { unreachable } from '@quipu/base';
import type { Part } from '@quipu/store';
import { findAssignments } from './assignments.ts';
import { findEncoded } from './encoded.ts';
import {
  KNOWN_VALUE_CHARS_MIN,
  KNOWN_VALUES_MAX,
  PASSES_MAX,
  WINDOW_CHARS,
  WINDOW_OVERLAP_CHARS,
} from './limits.ts';
import { findPlacedCredentials } from './placed-credentials.ts';
import { createPreset, type Preset } from './preset.ts';
import { findPrivateKeys } from './private-keys.ts';
import {
  applySpans,
  type Counts,
  mask,
  mergeSpans,
  outsidePlaceholders,
  type Span,
} from './spans.ts';
import { joinedViews } from './split-lines.ts';
import { findTokens } from './token-rules.ts';

/** History: 1 first rules. Raise it whenever a rule changes: `scrub` then goes over old text. */
export const REDACTOR_VERSION = 1;

export type Redacted = { readonly text: string; readonly counts: Readonly<Counts> };
export type RedactedParts = {
  readonly parts: readonly Part[];
  readonly counts: Readonly<Counts>;
};

export type Redactor = {
  readonly redact: (text: string) => Redacted;
  /** All parts of one message together: a value found in one is taken out of all. */
  readonly redactParts: (parts: readonly Part[]) => RedactedParts;
};

export function createRedactor(): Redactor {
  const preset = createPreset();
  const redactAll = (texts: readonly string[], counts: Counts): string[] => {
    let current = [...texts];
    for (let pass = 0; pass < PASSES_MAX; pass += 1) {
      const next = redactOnce(preset, current, counts);
      if (next === undefined) break;
      current = next;
    }
    return current;
  };
  return {
    redact: (text) => {
      const counts: Counts = {};
      const [redacted = ''] = redactAll([text], counts);
      return { text: redacted, counts };
    },
    redactParts: (parts) => {
      const counts: Counts = {};
      const texts = parts.flatMap(partTexts);
      const redacted = redactAll(texts, counts);
      let at = 0;
      const take = (): string => redacted[at++] ?? '';
      return { parts: parts.map((part) => withTexts(part, take)), counts };
    },
  };
}

/** Undefined when nothing was found. */
function redactOnce(
  preset: Preset,
  texts: readonly string[],
  counts: Counts,
): string[] | undefined {
  const masked = texts.map(mask);
  const found = masked.map((text) => findInWindows(preset, text));
  if (found.every((spans) => spans.length === 0)) return undefined;
  const values = knownValues(masked, found);
  return texts.map((text, index) => {
    const view = masked[index] ?? '';
    const spans = [...(found[index] ?? []), ...findValues(view, values)];
    return applySpans(text, mergeSpans(outsidePlaceholders(view, mergeSpans(spans))), counts);
  });
}

function findInWindows(preset: Preset, text: string): Span[] {
  if (text.length < KNOWN_VALUE_CHARS_MIN) return [];
  const spans: Span[] = [];
  for (let from = 0; from < text.length; from += WINDOW_CHARS) {
    const to = Math.min(text.length, from + WINDOW_CHARS + WINDOW_OVERLAP_CHARS);
    const window = from === 0 && to === text.length ? text : text.slice(from, to);
    for (const span of findAll(preset, window, 0)) {
      spans.push({ ...span, start: span.start + from, end: span.end + from });
    }
    if (to === text.length) break;
  }
  return outsidePlaceholders(text, mergeSpans(spans));
}

function findAll(preset: Preset, text: string, depth: number): Span[] {
  const spans = findPlain(preset, text);
  for (const joined of joinedViews(text)) {
    for (const span of findPlain(preset, joined.text)) spans.push(joined.toOriginal(span));
  }
  spans.push(...findEncoded(text, depth, (decoded, level) => findAll(preset, decoded, level)));
  return spans;
}

function findPlain(preset: Preset, text: string): Span[] {
  return [
    ...findTokens(text),
    ...findPrivateKeys(text),
    ...findPlacedCredentials(text),
    ...findAssignments(text),
    ...preset.find(text),
  ];
}

/** Distinct values worth looking for elsewhere, the longest first. */
function knownValues(texts: readonly string[], found: readonly Span[][]): Map<string, string> {
  const values = new Map<string, string>();
  for (const [index, spans] of found.entries()) {
    for (const span of spans) {
      const value = texts[index]?.slice(span.start, span.end) ?? '';
      if (value.length < KNOWN_VALUE_CHARS_MIN || value.length > WINDOW_OVERLAP_CHARS) continue;
      if (/^[a-z]+$|^\d+$/i.test(value) && value.length < 12) continue;
      if (values.size < KNOWN_VALUES_MAX) values.set(value, span.kind);
    }
  }
  return values;
}

function findValues(text: string, values: ReadonlyMap<string, string>): Span[] {
  const spans: Span[] = [];
  for (const [value, kind] of values) {
    for (let at = text.indexOf(value); at >= 0; at = text.indexOf(value, at + value.length)) {
      spans.push({ start: at, end: at + value.length, kind, certainty: 1 });
    }
  }
  return spans;
}

/** The fields of a part that hold text, in a fixed order (`withTexts` takes it back). */
function partTexts(part: Part): string[] {
  switch (part.type) {
    case 'text':
    case 'reasoning':
      return [part.text];
    case 'tool_call':
      return [part.input];
    case 'tool_result':
      return [part.text];
    case 'image_ref':
      return [part.source];
    default:
      return unreachable(part);
  }
}

function withTexts(part: Part, take: () => string): Part {
  switch (part.type) {
    case 'text':
    case 'reasoning':
    case 'tool_result':
      return { ...part, text: take() };
    case 'tool_call':
      return { ...part, input: take() };
    case 'image_ref':
      return { ...part, source: take() };
    default:
      return unreachable(part);
  }
}
