/**
 * The page in a real browser, served by the real daemon over the example sessions: search, reading,
 * keys, both themes, 360 px, accessibility (axe), and the content security policy.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';

const CHROMIUM = '/usr/bin/chromium';
const PROGRAM = resolve(import.meta.dirname, '../../cli/bin/quipu.js');
const EXAMPLES = resolve(import.meta.dirname, '../../../examples/sessions.jsonl');
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const FLAGS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

describe.skipIf(!existsSync(CHROMIUM))('the page', () => {
  let directory: string;
  let daemon: ChildProcess;
  let browser: Browser;
  let page: Page;
  let address: string;
  let complaints: string[];

  const env = (): NodeJS.ProcessEnv => ({
    ...process.env,
    QUIPU_HOME: directory,
    HOME: directory,
  });
  const quipu = (...args: string[]): string =>
    execFileSync(process.execPath, [PROGRAM, ...args], { env: env(), encoding: 'utf8' });

  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), 'quipu-page-'));
    quipu('import', EXAMPLES, '--agent', 'generic', '--wait');
    daemon = spawn(process.execPath, [PROGRAM, 'daemon'], { env: env(), stdio: 'ignore' });
    for (let turn = 0; address === undefined; turn += 1) {
      await new Promise((go) => setTimeout(go, 200));
      try {
        address = quipu('open').trim();
      } catch (failure) {
        if (turn > 100) throw failure;
      }
    }
    browser = await chromium.launch({ executablePath: CHROMIUM, args: FLAGS });
  }, 120_000);
  afterAll(async () => {
    await browser?.close();
    daemon.kill('SIGTERM');
    if (daemon.exitCode === null) await once(daemon, 'exit');
    rmSync(directory, { recursive: true, force: true });
  });
  beforeEach(async () => {
    complaints = [];
    page = await browser.newPage({ viewport: { width: 1100, height: 800 } });
    page.on('console', (message) => {
      if (message.type() === 'error') complaints.push(message.text());
    });
    page.on('pageerror', (error) => complaints.push(error.message));
  });
  afterEach(async () => {
    expect(complaints).toEqual([]);
    await page.close();
  });

  const view = async (hash: string): Promise<void> => {
    await page.goto(`${address}&${hash}`);
    await page.waitForFunction(() => document.querySelector('[role=status], h1, h2') !== null);
  };

  test('a search finds, explains, and opens the session at the message', async () => {
    await page.goto(address);
    expect(page.url()).not.toContain('token');
    await page.fill('#query', 'why do we not retry 403');
    await page.keyboard.press('Enter');
    await page.waitForSelector('.hit');
    expect(await page.textContent('.hits')).toContain('403');
    await page.click('.hit .why summary');
    expect(await page.textContent('.hit .why table')).toContain('words');
    await page.click('.hit h2 a');
    await page.waitForSelector('.message.marked');
    expect(await page.textContent('.messages')).toContain('503');
    await page.goBack();
    await page.waitForSelector('.hit');
  });

  test('keys alone lead from search to a session and back to the lists', async () => {
    await page.goto(address);
    await page.keyboard.press('/');
    await page.keyboard.type('lease table');
    await page.keyboard.press('Enter');
    await page.waitForSelector('.hit');
    await page.keyboard.press('Escape');
    await page.keyboard.press('j');
    await page.keyboard.press('j');
    await page.keyboard.press('k');
    await page.keyboard.press('o');
    await page.waitForSelector('.messages');
    await page.keyboard.press('g');
    await page.keyboard.press('s');
    await page.waitForSelector('.day');
    await page.keyboard.press('?');
    await page.waitForSelector('dialog[open]');
    await page.keyboard.press('Escape');
    await page.waitForSelector('dialog', { state: 'detached' });
  });

  test('without the token it says what to do', async () => {
    await page.goto(address.replace(/#.*/, '#/status'));
    await page.waitForSelector('.notice');
    expect(await page.textContent('main')).toContain('quipu up');
    // The browser itself reports the refused request.
    expect(complaints.every((text) => text.includes('401'))).toBe(true);
    complaints = [];
  });

  const VIEWS = ['/', '/?q=lease', '/sessions', '/status'];

  test('no view scrolls sideways at 360 px', async () => {
    await page.setViewportSize({ width: 360, height: 740 });
    for (const hash of VIEWS) {
      await view(hash);
      const wide = await page.evaluate(() => document.documentElement.scrollWidth);
      expect([hash, wide <= 360]).toEqual([hash, true]);
    }
  });

  for (const scheme of ['light', 'dark'] as const) {
    test(`every view is accessible by axe's rules (${scheme})`, async () => {
      await page.emulateMedia({ colorScheme: scheme });
      for (const hash of VIEWS) {
        await view(hash);
        if (hash.includes('q=')) await page.waitForSelector('.hit');
        await page.evaluate(AXE);
        const found = await page.evaluate(async () => {
          const axe = (globalThis as unknown as { axe: { run: () => Promise<AxeResult> } }).axe;
          const { violations } = await axe.run();
          return violations.map((each) => `${each.id}: ${each.nodes[0]?.html ?? ''}`);
        });
        expect([hash, ...found]).toEqual([hash]);
      }
    });
  }
});

type AxeResult = {
  readonly violations: readonly {
    readonly id: string;
    readonly nodes: readonly { readonly html: string }[];
  }[];
};
