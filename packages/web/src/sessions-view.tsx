/**
 * Sessions by project and day; those of no project apart, with a way to move them.
 */
import type { ProjectView, SessionView as Session } from '@quipu/memory';
import { useEffect } from 'preact/hooks';
import { listProjects, listSessions, moveSession, type Query } from './api.ts';
import { count, dayOf, firstLine, safeText, timeOf } from './format.ts';
import { load, loadable } from './load.ts';
import { Failure, Loading } from './pieces.tsx';
import { hrefOf, route } from './route.ts';

const sessions = loadable<{ sessions: readonly Session[] }>();
const projects = loadable<{ projects: readonly ProjectView[] }>();
const PAGE = 100;

export function SessionsView() {
  const { query } = route.value;
  const key = JSON.stringify(query);
  const read = (): void => {
    void load(sessions, () => listSessions({ ...query, limit: String(PAGE) }));
  };
  useEffect(read, [key]);
  useEffect(() => {
    void load(projects, listProjects);
  }, []);
  const known = projects.value.state === 'ready' ? projects.value.value.projects : [];
  return (
    <>
      <h1>Sessions</h1>
      <ProjectLinks known={known} query={query} />
      <SessionsBody read={read} known={known} query={query} />
    </>
  );
}

function ProjectLinks({ known, query }: { known: readonly ProjectView[]; query: Query }) {
  const current = query['project'] ?? '';
  const apart = query['unattributed'] === 'true';
  const entry = (href: string, label: string, here: boolean) => (
    <li key={label + href}>
      <a href={href} aria-current={here ? 'true' : undefined}>
        {label}
      </a>
    </li>
  );
  return (
    <nav aria-label="Projects">
      <ul class="chips">
        {entry(hrefOf('sessions'), 'All', current === '' && !apart)}
        {known.map((each) =>
          entry(
            hrefOf('sessions', '', { project: each.id }),
            `${safeText(each.name)} ${each.sessions}`,
            current === each.id,
          ),
        )}
        {entry(hrefOf('sessions', '', { unattributed: 'true' }), 'Unattributed', apart)}
      </ul>
    </nav>
  );
}

type BodyProps = { read: () => void; known: readonly ProjectView[]; query: Query };

function SessionsBody({ read, known, query }: BodyProps) {
  const now = sessions.value;
  if (now.state === 'failed') return <Failure error={now.error} retry={read} />;
  const list =
    now.state === 'ready' ? now.value : now.state === 'loading' ? now.previous : undefined;
  if (list === undefined) return <Loading what="Reading sessions" />;
  if (list.sessions.length === 0) {
    return (
      <p class="notice">
        No sessions here. <code>quipu import</code> brings in what your agents left.
      </p>
    );
  }
  const offset = Number(query['offset'] ?? '0');
  return (
    <>
      {byDay(list.sessions).map(([day, group]) => (
        <section key={day} class="day">
          <h2>{day}</h2>
          <ul class="rows">
            {group.map((session) => (
              <SessionRow key={session.id} session={session} known={known} moved={read} />
            ))}
          </ul>
        </section>
      ))}
      <nav aria-label="Pages" class="pages">
        {offset > 0 ? (
          <a href={pageHref(query, Math.max(0, offset - PAGE))}>Newer sessions</a>
        ) : null}
        {list.sessions.length === PAGE ? (
          <a href={pageHref(query, offset + PAGE)}>Older sessions</a>
        ) : null}
      </nav>
    </>
  );
}

const pageHref = (query: Query, offset: number): string =>
  hrefOf('sessions', '', { ...query, offset: offset === 0 ? '' : String(offset) });

function byDay(list: readonly Session[]): [string, Session[]][] {
  const days = new Map<string, Session[]>();
  for (const session of list) {
    const day = dayOf(session.endedAt);
    days.set(day, [...(days.get(day) ?? []), session]);
  }
  return [...days];
}

type RowProps = { session: Session; known: readonly ProjectView[]; moved: () => void };

function SessionRow({ session, known, moved }: RowProps) {
  const name = session.title ?? session.cwd ?? session.externalId;
  const kind = session.parent === null ? '' : ` · ${session.parent.kind}`;
  return (
    <li data-item tabIndex={-1} class={session.parent === null ? 'row' : 'row child'}>
      <a href={hrefOf('session', session.id)}>{firstLine(name, 90)}</a>
      <span class="facts">
        {safeText(session.project?.name ?? 'unattributed')} · {session.agent} ·{' '}
        {count(session.messages, 'message')} · {timeOf(session.endedAt)}
        {kind}
      </span>
      {session.project === null ? (
        <MoveControl session={session} known={known} moved={moved} />
      ) : null}
    </li>
  );
}

function MoveControl({ session, known, moved }: RowProps) {
  const change = (event: Event): void => {
    const target = (event.currentTarget as HTMLSelectElement).value;
    if (target !== '') void moveSession(session.id, target).then(moved);
  };
  return (
    <label class="move">
      Move to
      <select onChange={change} aria-label={`Move session ${session.id} to a project`}>
        <option value="">…</option>
        {known.map((each) => (
          <option key={each.id} value={each.id}>
            {safeText(each.name)}
          </option>
        ))}
      </select>
    </label>
  );
}
