/** Feeding lines and documents: what waits, what is cut, and that what is cut still parses. */
import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { SourceRecord } from '../reader.ts';
import { documentFeed } from './document.ts';
import { Elider } from './elide.ts';
import { LINE_BYTES_MAX, STRING_HEAD_BYTES, STRING_TAIL_BYTES } from './limits.ts';
import { lineFeed, proseFeed } from './lines.ts';
import { cleanText } from './text.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'quipu-feed-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const path = (): string => join(folder, 'f.jsonl');
const source = () => ({ agent: 'generic', path: path(), feed: 'lines', part: '' }) as const;

async function read(position = 0): Promise<SourceRecord[]> {
  const records: SourceRecord[] = [];
  for await (const record of lineFeed(source(), position)) records.push(record);
  return records;
}

describe('lines', () => {
  test('a torn last line waits for its end, though it may look whole', async () => {
    writeFileSync(path(), '{"a":1}\n{"b":2}');
    const first = await read();
    expect(first.map((record) => record.text)).toEqual(['{"a":1}']);
    appendFileSync(path(), '\n');
    const next = await read(first[0]?.positionAfter);
    expect(next.map((record) => record.text)).toEqual(['{"b":2}']);
  });

  test('CRLF and a BOM are no part of a line, blank lines are none', async () => {
    writeFileSync(path(), '\ufeff{"a":1}\r\n\r\n  \n{"b":2}\r\n');
    expect((await read()).map((record) => record.text)).toEqual(['{"a":1}', '{"b":2}']);
  });

  test('prose keeps its blank lines, and each has a position to read on from', async () => {
    writeFileSync(path(), 'one\n\n\r\ntwo\ntorn');
    const found: SourceRecord[] = [];
    for await (const record of proseFeed(source(), 0)) found.push(record);
    expect(found.map(({ text }) => text)).toEqual(['one', '', '', 'two']);
    expect(found.map(({ positionAfter }) => positionAfter)).toEqual([4, 5, 7, 11]);
  });

  test('reading on from any position gives what reading at once gives', async () => {
    const lines = Array.from({ length: 40 }, (_, at) => `{"n":${at},"t":"${'é'.repeat(at * 37)}"}`);
    writeFileSync(path(), `${lines.join('\n')}\n`);
    const all = await read();
    for (const [at, record] of all.entries()) {
      expect((await read(record.positionAfter)).length).toBe(all.length - at - 1);
    }
  });

  test('a line over the limit is cut inside its string, and counted', async () => {
    const text = `start ${'x'.repeat(LINE_BYTES_MAX)} end`;
    writeFileSync(path(), `${JSON.stringify({ text, after: [1, 'kept'] })}\n{"b":2}\n`);
    const [long, next] = await read();
    const value = JSON.parse(long?.text ?? '') as { text: string; after: unknown };
    expect(value.after).toEqual([1, 'kept']);
    expect(value.text.startsWith('start x')).toBe(true);
    expect(value.text.endsWith(' end')).toBe(true);
    expect(value.text.length).toBeLessThan(STRING_HEAD_BYTES + STRING_TAIL_BYTES + 100);
    expect(long?.elidedBytes).toBeGreaterThan(LINE_BYTES_MAX - 200_000);
    expect(next?.text).toBe('{"b":2}');
  });

  test('a document over the limit is cut in the same way', async () => {
    writeFileSync(path(), JSON.stringify([{ text: 'y'.repeat(LINE_BYTES_MAX) }, { b: 2 }]));
    const records: SourceRecord[] = [];
    for await (const record of documentFeed(source(), 0)) records.push(record);
    const [first, second] = JSON.parse(records[0]?.text ?? '') as [{ text: string }, unknown];
    expect(first.text.length).toBeLessThan(STRING_HEAD_BYTES + STRING_TAIL_BYTES + 100);
    expect(second).toEqual({ b: 2 });
  });
});

/** Texts in which every byte length and escape can fall on a boundary. */
const awkward = fc.array(
  fc.constantFrom('a', 'é', '漢', '😀', '\\', '"', '\n', '\u0000', '\ud83d', '\\u', '\\\\'),
  { minLength: 1, maxLength: 12 },
);

const shapeOf = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(shapeOf);
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, shapeOf(item)]));
  }
  return typeof value === 'string' ? 'text' : value;
};

function elide(text: string, pieces: readonly number[]): { text: string; elided: number } {
  const bytes = Buffer.from(text);
  const elider = new Elider();
  let at = 0;
  for (const piece of pieces) {
    elider.write(bytes.subarray(at, at + piece));
    at = Math.min(bytes.length, at + piece);
  }
  elider.write(bytes.subarray(at));
  const kept = elider.end().toString('utf8');
  return { text: kept, elided: elider.elidedBytes };
}

describe('eliding', () => {
  test('what is short is kept to the byte, however it comes', () => {
    fc.assert(
      fc.property(fc.json(), fc.array(fc.nat(9), { maxLength: 20 }), (text, pieces) => {
        const whole = Buffer.from(text).toString('utf8');
        expect(elide(text, pieces)).toEqual({ text: whole, elided: 0 });
      }),
      { numRuns: 200 },
    );
  });

  test('what is long still parses to the same shape, cut at no escape or character', () => {
    fc.assert(
      fc.property(
        awkward,
        fc.nat(40),
        fc.array(fc.nat(70_000), { maxLength: 6 }),
        (unit, lead, pieces) => {
          const part = unit.join('');
          const times = Math.ceil((STRING_HEAD_BYTES + STRING_TAIL_BYTES + 5_000) / part.length);
          const value = { lead: 'l'.repeat(lead), long: part.repeat(times), tail: [1, { x: 'y' }] };
          const result = elide(JSON.stringify(value), pieces);
          const parsed = JSON.parse(result.text) as typeof value;
          expect(shapeOf(parsed)).toEqual(shapeOf(value));
          expect(parsed.lead).toBe(value.lead);
          expect(result.elided).toBeGreaterThan(0);
          const cut = parsed.long.indexOf(' […');
          expect(value.long.startsWith(parsed.long.slice(0, cut))).toBe(true);
          const tail = parsed.long.slice(parsed.long.indexOf('…] ') + 3);
          expect(value.long.endsWith(tail)).toBe(true);
        },
      ),
      { numRuns: 120 },
    );
  });
});

test('text is NFC with LF, without NUL and lone surrogates', () => {
  expect(cleanText('e\u0301\r\nx\ry')).toBe('é\nx\ny');
  expect(cleanText('a\u0000b\ud800c😀')).toBe('a\uFFFDb\uFFFDc😀');
});
