/**
 * Routes in the address's fragment, so that back, forward and links work without a server's help.
 *
 *   #/            search        #/?q=…&project=…       #/sessions?project=…
 *   #/session/ID?at=MSG         #/message/ID           #/status
 */
import { signal } from '@preact/signals';

export type Route = {
  readonly view: 'search' | 'sessions' | 'session' | 'message' | 'status';
  readonly id: string;
  readonly query: Readonly<Record<string, string>>;
};

const VIEWS = ['sessions', 'session', 'message', 'status'] as const;

export function parseRoute(hash: string): Route {
  const [path = '', search = ''] = hash.replace(/^#/, '').split('?', 2);
  const [, name = '', id = ''] = path.split('/');
  const query = Object.fromEntries(new URLSearchParams(search));
  const view = VIEWS.find((each) => each === name) ?? 'search';
  return { view, id: safeDecode(id), query };
}

function safeDecode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch (failure) {
    if (failure instanceof URIError) return '';
    throw failure;
  }
}

export function hrefOf(view: Route['view'], id = '', query: Route['query'] = {}): string {
  const path = view === 'search' ? '/' : `/${view}${id === '' ? '' : `/${encodeURIComponent(id)}`}`;
  const search = new URLSearchParams(
    Object.entries(query).filter(([, value]) => value !== ''),
  ).toString();
  return `#${path}${search === '' ? '' : `?${search}`}`;
}

export const route = signal<Route>(parseRoute(location.hash));

export function go(href: string, how: 'push' | 'replace' = 'push'): void {
  if (how === 'replace') {
    history.replaceState(null, '', href);
    route.value = parseRoute(href);
  } else location.hash = href;
}

export function followAddress(): void {
  addEventListener('hashchange', () => {
    route.value = parseRoute(location.hash);
  });
}
