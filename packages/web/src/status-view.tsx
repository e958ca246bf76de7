/**
 * What is remembered and what runs. Asked again every few seconds while work is under way and the
 * page is seen; otherwise not at all.
 */
import { useEffect } from 'preact/hooks';
import { readStatus, type StatusAnswer, startImport } from './api.ts';
import { every } from './browser.ts';
import { count } from './format.ts';
import { load, loadable } from './load.ts';
import { Failure, Loading } from './pieces.tsx';

const status = loadable<StatusAnswer>();
const POLL_MS = 2_000;

const isBusy = (value: StatusAnswer): boolean => value.imports.running !== null;

export function StatusView() {
  const read = (): void => {
    void load(status, readStatus);
  };
  useEffect(() => {
    void load(status, readStatus);
    return every(POLL_MS, () => {
      const now = status.value;
      const last = now.state === 'ready' ? now.value : undefined;
      if (last !== undefined && isBusy(last) && document.visibilityState === 'visible') {
        void load(status, readStatus);
      }
    });
  }, []);
  const now = status.value;
  if (now.state === 'failed') return <Failure error={now.error} retry={read} />;
  const value =
    now.state === 'ready' ? now.value : now.state === 'loading' ? now.previous : undefined;
  if (value === undefined) return <Loading what="Reading the status" />;
  return (
    <>
      <h1>Status</h1>
      <Numbers value={value} />
      <Work value={value} again={read} />
      <Breakdown title="Agents" rows={value.agents.map((row) => [row.displayName, row.sessions])} />
      <Breakdown title="Redacted secrets" rows={Object.entries(value.counts.redactedByKind)} />
    </>
  );
}

function Numbers({ value }: { value: StatusAnswer }) {
  const { counts, vectors } = value;
  const rows: [string, string][] = [
    ['Projects', counts.projects.toLocaleString()],
    ['Sessions', counts.sessions.toLocaleString()],
    ['Messages', counts.messages.toLocaleString()],
    ['Unattributed sessions', counts.unattributedSessions.toLocaleString()],
    ['Vectors', `${counts.vectors.toLocaleString()} of ${vectors.total.toLocaleString()}`],
    ['Model', `${vectors.model ?? 'none'} (${vectors.category ?? vectors.state})`],
    ['Daemon', `${value.daemon.version}, port ${value.daemon.port}, process ${value.daemon.pid}`],
  ];
  return (
    <dl class="numbers">
      {rows.map(([name, text]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{text}</dd>
        </div>
      ))}
    </dl>
  );
}

function Work({ value, again }: { value: StatusAnswer; again: () => void }) {
  const { imports } = value;
  const start = (): void => {
    void startImport().then(again);
  };
  return (
    <section>
      <h2>Import</h2>
      <p role="status">{workText(value)}</p>
      {imports.vectors !== null && imports.running !== null ? (
        <progress
          aria-label="Vectors computed"
          max={imports.vectors.total}
          value={imports.vectors.done}
        />
      ) : null}
      <p>
        <button type="button" onClick={start} disabled={isBusy(value)}>
          Import now
        </button>
      </p>
    </section>
  );
}

function workText(value: StatusAnswer): string {
  const { imports } = value;
  if (imports.running === 'vectors' || (imports.running !== null && imports.vectors !== null)) {
    return `Computing vectors: ${imports.vectors?.done ?? 0} of ${imports.vectors?.total ?? 0}.`;
  }
  if (imports.running !== null) {
    const { progress } = imports;
    return progress === null
      ? 'Looking for transcripts.'
      : `Reading ${progress.agent}: ${count(progress.messages, 'message')}.`;
  }
  if (imports.failure !== null) return `The last work failed: ${imports.failure}.`;
  if (imports.last === null) return 'Nothing runs.';
  return `The last import added ${count(imports.last.messages, 'message')}.`;
}

function Breakdown({
  title,
  rows,
}: {
  title: string;
  rows: readonly (readonly [string, number])[];
}) {
  const shown = rows.filter(([, n]) => n > 0);
  if (shown.length === 0) return null;
  return (
    <section>
      <h2>{title}</h2>
      <table>
        <tbody>
          {shown.map(([name, n]) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              <td>{n.toLocaleString()}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
