/**
 * A link to a message alone: leads to its session, at that message.
 */

import type { ShowView } from '@quipu/memory';
import { useEffect } from 'preact/hooks';
import { openThing } from './api.ts';
import { load, loadable } from './load.ts';
import { Failure, Loading } from './pieces.tsx';
import { go, hrefOf, route } from './route.ts';

const found = loadable<ShowView>();

export function MessageView() {
  const { id } = route.value;
  const read = (): void => {
    void load(found, () => openThing(id, {})).then(() => {
      const now = found.value;
      if (now.state !== 'ready') return;
      if (now.value.type === 'message') {
        go(hrefOf('session', now.value.message.sessionId, { at: now.value.message.id }), 'replace');
      } else if (now.value.type === 'session')
        go(hrefOf('session', now.value.session.id), 'replace');
    });
  };
  useEffect(read, [id]);
  if (found.value.state === 'failed') return <Failure error={found.value.error} retry={read} />;
  return <Loading what="Opening" />;
}
