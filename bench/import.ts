/**
 * Import: megabytes a second and resident peak, on generated transcripts; words only, and until the
 * vectors are done; and the two shapes that break readers: 250 MB in one file, 60 MB in one line.
 *
 * Decides: each import runs in a process of its own (the built program), so that its peak is its
 * own. Peaks are the kernel's (`maxRSS`).
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { assert, type Random, seededRandom } from '@quipu/base';

const PROGRAM = resolve('packages/cli/bin/quipu.js');
const MIB = 1 << 20;

const GENERIC = ['--agent', 'generic', '--json'];

type Run = { readonly ms: number; readonly peakMib: number; readonly messages: number };

export async function run(options: { readonly json: boolean }): Promise<object> {
  const folder = mkdtempSync(join(tmpdir(), 'quipu-bench-import-'));
  try {
    const small = join(folder, 'small.jsonl');
    await generate(small, 8 * MIB, 7);
    const few = join(folder, 'few.jsonl');
    await generate(few, MIB, 9);
    const large = join(folder, 'large.jsonl');
    await generate(large, 250 * MIB, 8, 24_000);
    const line = join(folder, 'line.jsonl');
    writeFileSync(line, `${oneLine(60 * MIB)}\n`);
    const figures = {
      words: await figure(small, folder, []),
      untilVectors: await figure(few, folder, ['--wait']),
      file250: await figure(large, folder, []),
      line60: await figure(line, folder, []),
    };
    if (!options.json) {
      for (const [name, each] of Object.entries(figures)) {
        process.stdout.write(
          `${name.padEnd(14)} ${each.mibs.toFixed(1)} MiB/s  ` +
            `peak ${each.peakMib.toFixed(0)} MiB  ` +
            `${each.messages} messages in ${(each.ms / 1000).toFixed(1)} s\n`,
        );
      }
    }
    return { name: 'import', figures };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function figure(
  file: string,
  folder: string,
  args: readonly string[],
): Promise<Run & { readonly mibs: number }> {
  const home = mkdtempSync(join(folder, 'home-'));
  const measured = await importFile(file, home, args);
  rmSync(home, { recursive: true, force: true });
  return { ...measured, mibs: statSync(file).size / MIB / (measured.ms / 1000) };
}

/** Runs the import under a small reporter that prints the child's peak when it ends. */
async function importFile(file: string, home: string, args: readonly string[]): Promise<Run> {
  const peak = "process.stderr.write('PEAK '+process.resourceUsage().maxRSS)";
  const report = `process.on('exit',()=>${peak})`;
  const started = performance.now();
  const child = spawn(
    process.execPath,
    ['--import', `data:text/javascript,${report}`, PROGRAM, 'import', file, ...GENERIC, ...args],
    { env: { ...process.env, QUIPU_HOME: home, HOME: home }, stdio: ['ignore', 'pipe', 'pipe'] },
  );
  let out = '';
  let error = '';
  child.stdout.on('data', (piece) => {
    out += piece;
  });
  child.stderr.on('data', (piece) => {
    error += piece;
  });
  const [code] = (await once(child, 'close')) as [number];
  assert(code === 0, `the import ends well: ${error}`);
  const peakKib = Number(/PEAK (\d+)/.exec(error)?.[1] ?? Number.NaN);
  const { messages } = JSON.parse(out) as { messages: number };
  return { ms: performance.now() - started, peakMib: peakKib / 1024, messages };
}

const WORDS =
  'the test fails because parser retries after timeout in src/export/upload.ts with error code ' +
  'E_LEASE_LOST expected received migration schema we decided user asked branch commit daemon port';

async function generate(
  file: string,
  bytes: number,
  seed: number,
  textChars = 1_200,
): Promise<void> {
  const random = seededRandom(seed);
  const out = createWriteStream(file);
  let written = 0;
  for (let at = 0; written < bytes; at += 1) {
    const line = `${JSON.stringify({
      project: 'bench',
      session: `s${Math.floor(at / 60)}`,
      id: `m${at}`,
      at: new Date(Date.UTC(2026, 0, 1) + at * 30_000).toISOString(),
      role: at % 2 === 0 ? 'user' : 'assistant',
      text: words(random, Math.floor(random.next() * textChars)),
    })}\n`;
    written += line.length;
    if (!out.write(line)) await once(out, 'drain');
  }
  out.end();
  await once(out, 'close');
}

function words(random: Random, chars: number): string {
  const list = WORDS.split(' ');
  const picked: string[] = [];
  for (let length = 0; length < chars; ) {
    const word = random.next() < 0.2 ? `w${random.below(50_000)}` : random.pick(list);
    picked.push(random.next() < 0.08 ? `${word}.` : word);
    length += word.length + 1;
  }
  return picked.join(' ') || 'ok';
}

function oneLine(bytes: number): string {
  const text = 'a line of a very long tool output, é '.repeat(Math.ceil(bytes / 38));
  const at = '2026-01-01T00:00:00Z';
  return JSON.stringify({ project: 'bench', session: 's', id: 'm', at, role: 'tool', text });
}
