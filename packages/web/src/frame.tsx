/**
 * What stands around every view: the bar, the skip link, the help, and the page for those who come
 * without a token.
 */
import { useEffect, useRef } from 'preact/hooks';
import { helpOpen, KEYS } from './keys.ts';
import { unauthorized } from './load.ts';
import { MessageView } from './message-view.tsx';
import { hrefOf, type Route, route } from './route.ts';
import { SearchView } from './search-view.tsx';
import { SessionView } from './session-view.tsx';
import { SessionsView } from './sessions-view.tsx';
import { StatusView } from './status-view.tsx';
import { nextTheme, theme } from './theme.ts';

const LINKS: readonly (readonly [Route['view'], string])[] = [
  ['search', 'Search'],
  ['sessions', 'Sessions'],
  ['status', 'Status'],
];

export function Frame() {
  const { view } = route.value;
  useEffect(() => {
    const names = { search: 'Search', sessions: 'Sessions', status: 'Status' };
    document.title = `${names[view as keyof typeof names] ?? 'Session'} · Quipu`;
  }, [view]);
  return (
    <>
      <button type="button" class="skip" onClick={skip}>
        Skip to content
      </button>
      <header class="bar">
        <a class="brand" href={hrefOf('search')}>
          <span class="cords" aria-hidden="true" />
          Quipu
        </a>
        <nav aria-label="Views">
          {LINKS.map(([name, label]) => (
            <a key={name} href={hrefOf(name)} aria-current={view === name ? 'page' : undefined}>
              {label}
            </a>
          ))}
        </nav>
        <div class="tools">
          <button type="button" onClick={nextTheme} title="Light, dark, or as the system (t)">
            <span class="wide">Theme: </span>
            {theme.value}
          </button>
          <button type="button" onClick={openHelp} title="Keys (?)" aria-haspopup="dialog">
            Keys
          </button>
        </div>
      </header>
      <main id="main" tabIndex={-1}>
        {unauthorized.value ? <NoToken /> : <View view={view} />}
      </main>
      {helpOpen.value ? <Help /> : null}
    </>
  );
}

function skip(): void {
  document.getElementById('main')?.focus();
}

function openHelp(): void {
  helpOpen.value = true;
}

function View({ view }: { view: Route['view'] }) {
  switch (view) {
    case 'search':
      return <SearchView />;
    case 'sessions':
      return <SessionsView />;
    case 'session':
      return <SessionView />;
    case 'message':
      return <MessageView />;
    case 'status':
      return <StatusView />;
  }
}

function NoToken() {
  return (
    <section class="notice">
      <h1>This page needs its token</h1>
      <p>
        Quipu answers only to you. Run <code>quipu up</code> or <code>quipu open</code> in a
        terminal and follow the address that it prints; it carries the token.
      </p>
    </section>
  );
}

function Help() {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    dialog.current?.showModal();
  }, []);
  const close = (): void => {
    helpOpen.value = false;
  };
  return (
    <dialog ref={dialog} aria-labelledby="help-title" onClose={close}>
      <h2 id="help-title">Keys</h2>
      <dl class="keys">
        {KEYS.map(([keys, does]) => (
          <div key={keys}>
            <dt>
              <kbd>{keys}</kbd>
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
      <button type="button" onClick={close}>
        Close
      </button>
    </dialog>
  );
}
