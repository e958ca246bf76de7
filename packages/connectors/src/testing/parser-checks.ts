/**
 * What every parser must hold, as checks that its tests call. For tests only.
 *
 * Decides: reading on from a saved state (through JSON, at any record) gives the events of reading
 * the whole; nothing throws on damaged records; the state stays plain and small; texts are clean.
 */
import { readFileSync } from 'node:fs';
import type { MessageEvent, Part, SessionEvent, TranscriptEvent } from '@quipu/store';
import fc from 'fast-check';
import type { SourceContext, SourceRecord, TranscriptParser } from '../reader.ts';

export const recordOf = (text: string, at = 0): SourceRecord => ({
  text,
  positionAfter: at + 1,
  elidedBytes: 0,
});

export const recordsOf = (texts: readonly string[]): SourceRecord[] => texts.map(recordOf);

/** Records of a file of lines, without the line ends. */
export function linesOfFile(path: string): string[] {
  return readFileSync(path, 'utf8').split('\n').slice(0, -1);
}

// biome-ignore lint/suspicious/noExplicitAny: states are opaque here too
type AnyParser = TranscriptParser<any>;

export type Reading = {
  readonly state: unknown;
  readonly events: readonly TranscriptEvent[];
  readonly messages: readonly MessageEvent[];
  readonly sessions: readonly SessionEvent[];
};

/** Reads all records, finishes, and keeps the last event of each message id, as admission does. */
export function readAll(
  parser: AnyParser,
  texts: readonly string[],
  context: SourceContext = { path: '/home/dev/x.jsonl', part: '' },
): Reading {
  let state = parser.initial(context);
  const events: TranscriptEvent[] = [];
  for (const record of recordsOf(texts)) {
    const step = parser.read(state, record);
    state = step.state;
    events.push(...step.events);
  }
  events.push(...parser.finish(state).events);
  return {
    state,
    events,
    messages: settled(events),
    sessions: events.filter((event) => event.type === 'session'),
  };
}

function settled(events: readonly TranscriptEvent[]): MessageEvent[] {
  const byKey = new Map<string, MessageEvent>();
  for (const [at, event] of events.entries()) {
    if (event.type !== 'message') continue;
    const own = event.externalId === '' ? `#${at}` : event.externalId;
    byKey.set(`${event.sessionExternalId}\n${own}`, event);
  }
  return [...byKey.values()];
}

/** Messages as lists: the role, then each part in words. */
export const told = ({ messages }: { readonly messages: readonly MessageEvent[] }): string[][] =>
  messages.map(({ role, parts }) => [role, ...parts.map(said)]);

function said(part: Part): string {
  if (part.type === 'tool_call') return `${part.tool} <- ${part.input}`;
  if (part.type === 'tool_result') {
    return `${part.tool} -> ${part.isError ? '(error) ' : ''}${part.text}`;
  }
  return part.type === 'image_ref' ? `(${part.mediaType})` : `${part.type}: ${part.text}`;
}

export function skipsOf(reading: Reading): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const event of reading.events) {
    if (event.type !== 'skip') continue;
    const key = `${event.reason}/${event.what}`;
    counts[key] = (counts[key] ?? 0) + 1;
  }
  return counts;
}

/** Reads with a saved state at every record; returns the places where the events differ. */
export function splitDifferences(
  parser: AnyParser,
  texts: readonly string[],
  context: SourceContext = { path: '/home/dev/x.jsonl', part: '' },
): number[] {
  const whole = JSON.stringify(readAll(parser, texts, context).events);
  return texts.flatMap((_, split) => {
    let state = parser.initial(context);
    const events: TranscriptEvent[] = [];
    for (const [at, record] of recordsOf(texts).entries()) {
      if (at === split) {
        parser.finish(state);
        state = JSON.parse(JSON.stringify(state));
      }
      const step = parser.read(state, record);
      state = step.state;
      events.push(...step.events);
    }
    events.push(...parser.finish(state).events);
    return JSON.stringify(events) === whole ? [] : [split];
  });
}

const damaged = (text: string): fc.Arbitrary<string> =>
  fc.oneof(
    fc.nat(text.length).map((end) => text.slice(0, end)),
    fc
      .tuple(fc.nat(text.length), fc.string())
      .map(([at, put]) => text.slice(0, at) + put + text.slice(at)),
    reshaped(text),
  );

/** The same JSON with one value replaced by another of any type. */
function reshaped(text: string): fc.Arbitrary<string> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (failure) {
    if (!(failure instanceof SyntaxError)) throw failure;
    return fc.constant(text);
  }
  const paths = pathsOf(value, 200);
  return fc
    .tuple(fc.nat(Math.max(0, paths.length - 1)), odd)
    .map(([at, put]) => JSON.stringify(replaced(value, paths[at] ?? [], put)));
}

const odd = fc.oneof(
  fc.jsonValue(),
  fc.constant(null),
  fc.constant(JSON.parse('{"__proto__":{"text":"x"},"constructor":1,"toString":[]}')),
  fc.constant('[]\uD800</task><task>'),
);

function pathsOf(value: unknown, max: number): string[][] {
  const found: string[][] = [];
  const queue: { value: unknown; path: string[] }[] = [{ value, path: [] }];
  for (let at = 0; at < queue.length && found.length < max; at += 1) {
    const item = queue[at];
    if (item === undefined) break;
    found.push(item.path);
    if (typeof item.value !== 'object' || item.value === null) continue;
    for (const [key, child] of Object.entries(item.value)) {
      queue.push({ value: child, path: [...item.path, key] });
    }
  }
  return found;
}

function replaced(value: unknown, path: readonly string[], put: unknown): unknown {
  const [key, ...rest] = path;
  if (key === undefined) return put;
  if (Array.isArray(value)) {
    return value.map((item, at) => (String(at) === key ? replaced(item, rest, put) : item));
  }
  const entries = Object.entries(value as Record<string, unknown>);
  return Object.fromEntries(
    entries.map(([name, item]) => [name, name === key ? replaced(item, rest, put) : item]),
  );
}

/** Reads mutated records; throws (fails the test) when the parser does or breaks its word. */
export function checkDamage(
  parser: AnyParser,
  texts: readonly string[],
  context: SourceContext = { path: '/home/dev/x.jsonl', part: '' },
): void {
  const deep = `${'{"message":{"content":['.repeat(2_000)}${']}}'.repeat(2_000)}`;
  const any = fc.array(fc.oneof(...texts.map(damaged), fc.string(), fc.constant(deep)), {
    maxLength: 12,
  });
  fc.assert(
    fc.property(any, (mutated) => {
      const reading = readAll(parser, mutated, context);
      for (const event of reading.events) checkEvent(event);
      if (
        JSON.stringify(JSON.parse(JSON.stringify(reading.state))) !== JSON.stringify(reading.state)
      ) {
        throw new Error('the state is not plain JSON');
      }
    }),
    { numRuns: 150 },
  );
}

function checkEvent(event: TranscriptEvent): void {
  if (event.type === 'skip') {
    if (event.what.length > 64) throw new Error('a skip says too much');
    return;
  }
  if (event.type === 'session' && event.externalId === '') throw new Error('a session without id');
  if (event.type === 'message' && event.parts.length === 0) throw new Error('an empty message');
  if (event.type === 'message' && event.sessionExternalId === '') throw new Error('no session');
  const text = JSON.stringify(event);
  if (text !== text.normalize('NFC')) throw new Error('text that is not NFC');
  if (/\\ud[89a-f][0-9a-f]{2}/i.test(text)) throw new Error('a lone surrogate');
  if (/[^\\]\\r\\n/.test(text)) throw new Error('a CRLF');
}
