/**
 * Whether anything was written since a connection was last asked.
 *
 * Decides: what may be kept between two queries of a long-lived process: only what was read in the
 * very state of the file that it still has, whoever writes (`total_changes` counts this
 * connection's writes, `data_version` tells of others').
 */
import type { Store } from '@quipu/store';

export function stateOf(store: Store): string {
  const changes = store.get('SELECT total_changes() AS own');
  const version = store.get('PRAGMA data_version');
  return `${String(changes?.['own'])} ${String(version?.['data_version'])}`;
}
