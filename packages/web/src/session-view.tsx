/**
 * The session reader: messages page by page, parts folded, a message linked to and shown.
 *
 * Decides: pages of 100 messages are added at the end as one reads on, so that a session of
 * thousands stays smooth; a link to a message opens the session at that message's page.
 */

import { type Signal, signal } from '@preact/signals';
import type { MessageView, SessionView as Session, ShowView } from '@quipu/memory';
import { useEffect } from 'preact/hooks';
import { type ApiFailure, openThing } from './api.ts';
import { count, firstLine, safeText, timeOf } from './format.ts';
import { unauthorized } from './load.ts';
import { Failure, Loading, PartBlock } from './pieces.tsx';
import { hrefOf, route } from './route.ts';

const PAGE = 100;

type Reading = {
  readonly session: Session;
  readonly children: readonly Session[];
  readonly messages: readonly MessageView[];
  /** First message on the page, and where to go on; null at either end. */
  readonly from: number;
  readonly next: number | null;
};

const reading: Signal<Reading | undefined> = signal(undefined);
const failure: Signal<ApiFailure | undefined> = signal(undefined);

async function ask(id: string, query: Record<string, string>): Promise<ShowView | undefined> {
  const result = await openThing(id, query);
  if (result.ok) return result.value;
  if (result.error === 'superseded') return undefined;
  if (result.error.kind === 'unauthorized') unauthorized.value = true;
  failure.value = result.error;
  return undefined;
}

async function openAt(id: string, at: string): Promise<void> {
  reading.value = undefined;
  failure.value = undefined;
  let offset = 0;
  if (at !== '') {
    const message = await ask(at, {});
    if (message?.type === 'message') {
      const place = message.message.position;
      offset = Math.max(0, Math.floor(place / PAGE) * PAGE);
    }
  }
  const view = await ask(id, { offset: String(offset), limit: String(PAGE) });
  if (view?.type !== 'session') return;
  const { session, children, messages, nextOffset } = view;
  reading.value = { session, children, messages, from: offset, next: nextOffset };
  if (at !== '') {
    requestAnimationFrame(() => {
      document.getElementById(at)?.scrollIntoView({ block: 'center' });
      document.getElementById(at)?.focus({ preventScroll: true });
    });
  }
}

async function addPage(before: boolean): Promise<void> {
  const now = reading.value;
  if (now === undefined) return;
  const offset = before ? Math.max(0, now.from - PAGE) : now.next;
  if (offset === null) return;
  const limit = before ? now.from - offset : PAGE;
  const view = await ask(now.session.id, { offset: String(offset), limit: String(limit) });
  if (view?.type !== 'session') return;
  reading.value = before
    ? { ...now, messages: [...view.messages, ...now.messages], from: offset }
    : { ...now, messages: [...now.messages, ...view.messages], next: view.nextOffset };
}

export function SessionView() {
  const { id, query } = route.value;
  const at = query['at'] ?? '';
  const read = (): void => {
    void openAt(id, at);
  };
  useEffect(read, [id, at]);
  if (failure.value !== undefined) return <Failure error={failure.value} retry={read} />;
  const now = reading.value;
  if (now === undefined) return <Loading what="Opening the session" />;
  return (
    <article>
      <SessionHead session={now.session} related={now.children} />
      {now.from > 0 ? <More label="Earlier messages" before /> : null}
      <ol class="messages">
        {now.messages.map((message) => (
          <MessageItem key={message.id} message={message} marked={message.id === at} />
        ))}
      </ol>
      {now.next === null ? null : <More label="Later messages" before={false} />}
    </article>
  );
}

function More({ label, before }: { label: string; before: boolean }) {
  return (
    <button type="button" class="more" onClick={() => void addPage(before)}>
      {label}
    </button>
  );
}

function SessionHead({ session, related }: { session: Session; related: readonly Session[] }) {
  return (
    <header>
      <h1>{firstLine(session.title ?? session.cwd ?? session.externalId, 120)}</h1>
      <p class="facts">
        {safeText(session.project?.name ?? 'unattributed')} · {session.agent} ·{' '}
        {count(session.messages, 'message')} · {timeOf(session.startedAt)}
      </p>
      {session.parent === null ? null : (
        <p>
          This is a {session.parent.kind} of{' '}
          <a href={hrefOf('session', session.parent.id)}>another session</a>.
        </p>
      )}
      {related.length > 0 ? (
        <ul class="chips" aria-label="Sub-agents and forks">
          {related.map((child) => (
            <li key={child.id}>
              <a href={hrefOf('session', child.id)}>
                {child.parent?.kind}: {firstLine(child.title ?? child.externalId, 40)}
              </a>
            </li>
          ))}
        </ul>
      ) : null}
    </header>
  );
}

export function MessageItem({ message, marked }: { message: MessageView; marked: boolean }) {
  const who = message.author ?? message.role;
  return (
    <li
      id={message.id}
      data-item
      tabIndex={-1}
      class={`message ${message.role}${marked ? ' marked' : ''}`}
    >
      <h2>
        {safeText(who)}
        <a class="facts" href={hrefOf('session', message.sessionId, { at: message.id })}>
          {timeOf(message.at)}
        </a>
      </h2>
      {message.parts.length === 0 ? <p class="quiet">(forgotten)</p> : null}
      {message.parts.map((part, at) => (
        <PartBlock key={at} part={part} open={false} />
      ))}
    </li>
  );
}
