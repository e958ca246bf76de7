/**
 * `quipu status` and `quipu doctor`: what is there, and what is wrong with it.
 *
 * Decides: status tells, doctor judges. Doctor ends with 1 when something is broken, and each
 * finding says what to do.
 */
import { existsSync, readdirSync, statfsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Local } from '@quipu/daemon';
import { QUIPU_VERSION } from '@quipu/daemon/at-hand';
import type { MemoryCounts } from '@quipu/memory';
import type { Command } from 'commander';
import { EXIT } from '../exit-codes.ts';
import { count } from '../terminal-text.ts';
import { openHere, usableDaemon, type World } from '../world.ts';

export function addStatus(program: Command, world: World): void {
  program
    .command('status')
    .description('what is remembered, and what runs')
    .option('--json', 'print JSON')
    .action(async (options: { json?: boolean }) => {
      const view = await statusView(world);
      if (options.json === true) world.out(JSON.stringify(view));
      else printStatus(world, view);
    });
}

type StatusReport = {
  readonly version: number;
  readonly program: string;
  readonly store: { readonly path: string; readonly bytes: number; readonly schema: number };
  readonly daemon: { readonly pid: number; readonly port: number; readonly version: string } | null;
  readonly counts: MemoryCounts;
  readonly vectors: {
    readonly model: string | null;
    readonly done: number;
    readonly total: number;
  };
  readonly job: unknown;
};

async function statusView(world: World): Promise<StatusReport> {
  const daemon = await usableDaemon(world);
  let job: unknown = null;
  if (daemon !== undefined) {
    const { daemonClient } = await import('@quipu/daemon');
    const status = await daemonClient(daemon).status();
    if (status.ok) job = status.value['imports'] ?? null;
  }
  const local = await openHere(world, 'query');
  try {
    const counts = local.memory.counts();
    return {
      version: 1,
      program: QUIPU_VERSION,
      store: {
        path: local.store.path,
        bytes: directoryBytes(world.directory),
        schema: local.store.schemaVersion,
      },
      daemon:
        daemon === undefined
          ? null
          : { pid: daemon.pid, port: daemon.port, version: daemon.version },
      counts,
      vectors: {
        model: local.embedder?.model.id ?? null,
        done: counts.vectors,
        total: counts.chunks,
      },
      job,
    };
  } finally {
    await local.close();
  }
}

function directoryBytes(directory: string): number {
  if (!existsSync(directory)) return 0;
  return readdirSync(directory, { withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(directory, entry.name)).size, 0);
}

function printStatus(world: World, view: StatusReport): void {
  const { counts } = view;
  const mib = (view.store.bytes / (1 << 20)).toFixed(1);
  const rows: [string, string][] = [
    ['Quipu', view.program],
    ['Store', `${view.store.path} (${mib} MiB, schema ${view.store.schema})`],
    [
      'Daemon',
      view.daemon === null
        ? "not running; 'quipu up' starts it"
        : `process ${view.daemon.pid}, port ${view.daemon.port}`,
    ],
    [
      'Memory',
      `${count(counts.sessions, 'session')}, ${count(counts.messages, 'message')}, ` +
        `${count(counts.projects, 'project')}`,
    ],
    ['Agents', counts.agents.map((row) => `${row.agent} ${row.sessions}`).join(', ') || 'none'],
    ['Vectors', `${view.vectors.done} of ${view.vectors.total} (${view.vectors.model ?? 'off'})`],
  ];
  if (counts.unattributedSessions > 0) {
    rows.push([
      'Unattributed',
      `${count(counts.unattributedSessions, 'session')}; 'quipu sessions list --unattributed'`,
    ]);
  }
  const redacted = Object.entries(counts.redactedByKind);
  if (redacted.length > 0) {
    rows.push(['Redacted', redacted.map(([kind, n]) => `${kind} ${n}`).join(', ')]);
  }
  for (const [name, value] of rows) world.out(`${world.paint('bold', name.padEnd(13))} ${value}`);
}

export type Finding = {
  readonly check: string;
  readonly level: 'ok' | 'hint' | 'broken';
  readonly message: string;
};

export function addDoctor(program: Command, world: World): void {
  program
    .command('doctor')
    .description('look for what is wrong, and say what to do')
    .option('--json', 'print JSON')
    .action(async (options: { json?: boolean }) => {
      const findings = await examine(world);
      if (options.json === true) world.out(JSON.stringify({ version: 1, findings }));
      else for (const finding of findings) world.out(findingLine(world, finding));
      if (findings.some((finding) => finding.level === 'broken')) process.exitCode = EXIT.failure;
    });
}

function findingLine(world: World, finding: Finding): string {
  const marks = {
    ok: world.paint('green', '✓'),
    hint: world.paint('yellow', '·'),
    broken: world.paint('red', '✗'),
  };
  return `${marks[finding.level]} ${finding.check.padEnd(12)} ${finding.message}`;
}

const FREE_BYTES_MIN = 200 * (1 << 20);

async function examine(world: World): Promise<Finding[]> {
  const findings: Finding[] = [
    { check: 'node', level: 'ok', message: `${process.version} on ${process.platform}` },
  ];
  let local: Local;
  try {
    local = await openHere(world, 'query');
  } catch (failure) {
    if (!(failure instanceof Error)) throw failure;
    findings.push({ check: 'store', level: 'broken', message: failure.message });
    return findings;
  }
  try {
    findings.push(...storeFindings(world, local), diskFinding(world));
    findings.push(await daemonFinding(world), ...(await modelFindings(local)));
    findings.push(...(await agentFindings(world)));
  } finally {
    await local.close();
  }
  return findings;
}

function storeFindings(world: World, local: Local): Finding[] {
  const check = 'store';
  const problems = local.store.check();
  if (problems.length > 0) {
    const message =
      `The file is damaged (${problems[0] ?? ''}). Copy ${world.directory} aside, then ` +
      "'quipu uninstall --data --yes' and 'quipu up' read everything anew.";
    return [{ check, level: 'broken', message }];
  }
  const findings: Finding[] = [
    { check, level: 'ok', message: `${local.store.path}, schema ${local.store.schemaVersion}` },
  ];
  if (local.memory.needsScrub()) {
    const message = "Rules for secrets are newer than what is stored; 'quipu scrub' applies them.";
    findings.push({ check: 'secrets', level: 'hint', message });
  }
  return findings;
}

function diskFinding(world: World): Finding {
  const free = statfsSync(world.directory);
  const bytes = free.bavail * free.bsize;
  const mib = Math.floor(bytes / (1 << 20)).toLocaleString('en-US');
  return bytes < FREE_BYTES_MIN
    ? { check: 'disk', level: 'broken', message: `Only ${mib} MiB are free; make room.` }
    : { check: 'disk', level: 'ok', message: `${mib} MiB free` };
}

async function daemonFinding(world: World): Promise<Finding> {
  const daemon = await usableDaemon(world);
  return daemon === undefined
    ? { check: 'daemon', level: 'hint', message: "Not running. 'quipu up' starts it." }
    : { check: 'daemon', level: 'ok', message: `process ${daemon.pid}, port ${daemon.port}` };
}

async function modelFindings(local: Local): Promise<Finding[]> {
  const counts = local.memory.counts();
  const check = 'vectors';
  const ready = await local.embedder?.warm();
  if (ready === undefined || !ready.ok) {
    const category = ready === undefined ? 'off' : ready.error.category;
    const message = `The local model does not run (${category}); search works from words alone.`;
    return [{ check, level: 'broken', message }];
  }
  const runtime = ready.value.runtime;
  const done = `${counts.vectors} of ${counts.chunks} (${runtime})`;
  const findings: Finding[] =
    counts.vectors < counts.chunks
      ? [{ check, level: 'hint', message: `${done}; 'quipu up' computes the rest.` }]
      : [{ check, level: 'ok', message: done }];
  if (runtime === 'wasm') {
    const message = "Install 'onnxruntime-node' beside Quipu to compute vectors about 10× faster.";
    findings.push({ check: 'runtime', level: 'hint', message });
  }
  return findings;
}

async function agentFindings(world: World): Promise<Finding[]> {
  const { AGENTS } = await import('@quipu/connectors');
  const environment = { home: world.home, env: world.env, platform: process.platform };
  const found: string[] = [];
  for (const entry of AGENTS) if (await entry.detect(environment)) found.push(entry.displayName);
  const message =
    found.length > 0 ? found.join(', ') : 'None has left anything in the usual places.';
  return [{ check: 'agents', level: found.length > 0 ? 'ok' : 'hint', message }];
}
