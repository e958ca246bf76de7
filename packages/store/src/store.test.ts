/** One connection: transactions, the tracing seam, what is refused to be written. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { hasBuiltIn } from './driver.ts';
import type { Store } from './store.ts';
import { type FreshPlace, freshPlace, mustOpen } from './testing/fresh-store.ts';
import { type DbSink, registerSink } from './trace.ts';

let place: FreshPlace;
let store: Store;
beforeEach(async () => {
  place = freshPlace();
  store = await mustOpen(place.directory);
});
afterEach(() => {
  store.close();
  place.remove();
});

const add = (key: string): number =>
  store.run('INSERT INTO settings (key, value) VALUES (?, ?)', [key, '']);
const keys = (): unknown[] =>
  store.all('SELECT key FROM settings ORDER BY key').map((row) => row['key']);

describe('transaction', () => {
  test('a throw leaves nothing of it, goes on to the caller, and the next one works', () => {
    const failing = (): void =>
      store.transaction(() => {
        add('x');
        throw new Error('stop');
      });
    expect(failing).toThrow('stop');
    expect(store.inTransaction).toBe(false);
    expect(keys()).toEqual([]);
    store.transaction(() => add('z'));
    expect(keys()).toEqual(['z']);
  });

  test('a failed statement within it leaves nothing of it', () => {
    const twice = (): void =>
      store.transaction(() => {
        add('x');
        add('x');
      });
    expect(twice).toThrow('UNIQUE');
    expect(keys()).toEqual([]);
    expect(store.transaction(() => add('x'))).toBe(1);
  });

  test('one within another is a defect, and undoes the outer one', () => {
    const nested = (): number =>
      store.transaction(() => {
        add('outer');
        return store.transaction(() => add('inner'));
      });
    expect(nested).toThrow('nest');
    expect(keys()).toEqual([]);
  });

  test('an asynchronous one is a defect, and leaves nothing', () => {
    expect(() => store.transaction(async () => add('x'))).toThrow('synchronous');
    expect(keys()).toEqual([]);
  });
});

describe('a sink', () => {
  const recorder = (seen: string[], name = ''): DbSink => ({
    withDbSpan: (span, run) => {
      seen.push(`${name}${span.sql}`);
      return run();
    },
  });

  test('sees the text of every statement, never values', () => {
    const seen: string[] = [];
    const unregister = registerSink(recorder(seen));
    store.transaction(() => add('zanzibar'));
    store.get('SELECT 1 AS n');
    unregister();
    expect(seen).toEqual([
      'BEGIN IMMEDIATE',
      'INSERT INTO settings (key, value) VALUES (?, ?)',
      'COMMIT',
      'SELECT 1 AS n',
    ]);
  });

  test('sees the statements of opening, in a store of its own', async () => {
    const other = freshPlace();
    const seen: string[] = [];
    const unregister = registerSink(recorder(seen));
    (await mustOpen(other.directory)).close();
    unregister();
    other.remove();
    expect(seen).toContain('PRAGMA synchronous = FULL');
    expect(seen.filter((sql) => sql.startsWith('CREATE TABLE "parts"'))).toHaveLength(1);
  });

  test('leaves when it is taken out, in whatever order', () => {
    const seen: string[] = [];
    const [one, two] = ['one ', 'two '].map((name) => registerSink(recorder(seen, name)));
    store.get('SELECT 1 AS n');
    one?.();
    store.get('SELECT 2 AS n');
    two?.();
    store.get('SELECT 3 AS n');
    expect(seen.sort()).toEqual(['one SELECT 1 AS n', 'two SELECT 1 AS n', 'two SELECT 2 AS n']);
  });

  test('lets failures through, and a failing statement changes nothing for the next', () => {
    const unregister = registerSink(recorder([]));
    expect(() => store.get('SELECT 1 FROM nowhere')).toThrow('nowhere');
    expect(store.get('SELECT 1 AS n')?.['n']).toBe(1);
    unregister();
  });
});

test('text with a NUL is refused: some drivers would cut it there without a word', () => {
  expect(() => add('before\0after')).toThrow('NUL');
  expect(keys()).toEqual([]);
});

test('more statements than are kept prepared still run', () => {
  for (let at = 0; at < 600; at += 1) {
    expect(store.get(`SELECT ${at} AS n`)?.['n']).toBe(at);
  }
  expect(store.get('SELECT 0 AS n')?.['n']).toBe(0);
});

test("Node's own driver is taken only where it knows of transactions and waiting", () => {
  const has = ['22.16.0', '22.20.1', '24.0.0', '24.22.3', '26.1.0'];
  const hasNot = ['20.19.0', '20.20.2', '22.13.0', '22.15.1', '23.11.0'];
  expect(has.filter((version) => !hasBuiltIn(version))).toEqual([]);
  expect(hasNot.filter((version) => hasBuiltIn(version))).toEqual([]);
});
