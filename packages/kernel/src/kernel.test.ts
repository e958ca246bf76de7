/** The kernel and its double keep the same contract. */
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { fileLog, realKernel, testKernel } from './index.ts';

for (const [name, make] of [
  ['the machine', () => ({ kernel: realKernel(), pass: async () => {} })],
  [
    'the double',
    () => {
      const kernel = testKernel();
      return { kernel, pass: (ms: number) => kernel.advance(ms) };
    },
  ],
] as const) {
  describe(name, () => {
    test('time never goes back, and a timer runs no earlier than it is due', async () => {
      const { kernel, pass } = make();
      const before = kernel.clock.monotonicMs();
      const slept = kernel.timers.sleep(15);
      await pass(15);
      await slept;
      expect(kernel.clock.monotonicMs() - before).toBeGreaterThanOrEqual(14);
    });

    test('a cancelled timer never runs; an aborted sleep rejects with the reason', async () => {
      const { kernel, pass } = make();
      let ran = false;
      kernel.timers
        .after(5, () => {
          ran = true;
        })
        .cancel();
      const stop = new AbortController();
      const slept = kernel.timers.sleep(60_000, stop.signal);
      stop.abort();
      await expect(slept).rejects.toBeDefined();
      const waited = kernel.timers.sleep(20);
      await pass(20);
      await waited;
      expect(ran).toBe(false);
    });

    test('dice give as many bytes as asked, and numbers in [0, 1)', () => {
      const { kernel } = make();
      expect(kernel.dice.bytes(33)).toHaveLength(33);
      const number = kernel.dice.uniform();
      expect(number >= 0 && number < 1).toBe(true);
    });

    test('a category that is no fixed word is a defect', () => {
      const { kernel } = make();
      kernel.log.write({ level: 'info', category: 'daemon-started' });
      expect(() => kernel.log.write({ level: 'info', category: 'Failed: /home/x' })).toThrow();
    });
  });
}

test('the double runs timers in order of due time, then of creation', async () => {
  const kernel = testKernel();
  const ran: string[] = [];
  kernel.timers.after(20, () => ran.push('late'));
  kernel.timers.after(10, () => ran.push('first'));
  kernel.timers.after(10, () => ran.push('second'));
  await kernel.advance(30);
  expect(ran).toEqual(['first', 'second', 'late']);
});

test('the same seed gives the same dice', () => {
  const [a, b, c] = [testKernel({ seed: 7 }), testKernel({ seed: 7 }), testKernel({ seed: 8 })];
  expect(a.dice.bytes(8)).toEqual(b.dice.bytes(8));
  expect(a.dice.uniform()).not.toBe(c.dice.uniform());
});

test('the log file is private, holds categories alone, and is put aside when large', () => {
  const folder = mkdtempSync(join(tmpdir(), 'quipu-log-'));
  const path = join(folder, 'quipu.log');
  fileLog(path, 1_000).write({ level: 'warn', category: 'job-died', fields: { n: 1 } });
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(JSON.parse(readFileSync(path, 'utf8'))).toMatchObject({ msg: 'job-died', n: 1 });
  for (let at = 0; at < 20; at += 1)
    fileLog(path, 1_000).write({ level: 'info', category: 'again' });
  expect(statSync(path).size).toBeLessThan(1_200);
  expect(statSync(`${path}.1`).size).toBeGreaterThan(900);
  rmSync(folder, { recursive: true, force: true });
});
