/**
 * The job's own process: opens the store, does the work, tells of it, and ends.
 *
 * Decides: an import is followed by the vectors of what it brought. Cancelled, or left alone by its
 * daemon, it stops between batches; what was committed stays.
 */
import { homedir } from 'node:os';
import { type ImportResult, importTranscripts } from '../import/import.ts';
import { openLocal } from '../local.ts';
import { type FromJob, isToJob, type JobSpec } from './protocol.ts';

/** Runs in a process started with an IPC channel; resolves when the work is done and told. */
export async function runJobProcess(): Promise<void> {
  const stop = new AbortController();
  process.once('disconnect', () => stop.abort());
  const spec = await new Promise<JobSpec>((resolve) => {
    process.on('message', (message: unknown) => {
      if (!isToJob(message)) return;
      if (message.type === 'cancel') stop.abort();
      else resolve(message.spec);
    });
  });
  const last = await work(spec, stop.signal);
  await tell(last);
  if (process.connected) process.disconnect();
}

/** Sends, and resolves when it is out; nothing is sent once the daemon is gone. */
function tell(message: FromJob): Promise<void> {
  return new Promise((resolve) => {
    if (!process.connected || process.send === undefined) resolve();
    else process.send(message, undefined, undefined, () => resolve());
  });
}

async function work(spec: JobSpec, signal: AbortSignal): Promise<FromJob> {
  const local = await openLocal({ directory: spec.directory, embeddings: 'background' });
  if (!local.ok) {
    return { type: 'failed', category: local.error.kind, message: local.error.message };
  }
  try {
    let report: ImportResult | null = null;
    if (spec.kind === 'import') {
      const result = await importTranscripts(local.value.importDeps, {
        agents: spec.agents,
        paths: spec.paths,
        environment: { home: homedir(), env: process.env, platform: process.platform },
        signal,
        onProgress: (progress) => void tell({ type: 'progress', import: progress }),
      });
      if (!result.ok) {
        return { type: 'failed', category: result.error.kind, message: result.error.message };
      }
      report = result.value;
    }
    await local.value.memory.backfillVectors({
      signal,
      onProgress: (done, total) => void tell({ type: 'progress', vectors: { done, total } }),
    });
    return { type: 'done', report };
  } finally {
    await local.value.close();
  }
}
