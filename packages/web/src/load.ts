/**
 * One way to load: nothing yet, loading, there, failed. Views show each of them.
 */
import { type Signal, signal } from '@preact/signals';
import type { ApiFailure, ApiResult } from './api.ts';

export type Loaded<T> =
  | { readonly state: 'idle' }
  | { readonly state: 'loading'; readonly previous: T | undefined }
  | { readonly state: 'ready'; readonly value: T }
  | { readonly state: 'failed'; readonly error: ApiFailure };

/** True once a request was refused for want of a token. */
export const unauthorized = signal(false);

export const loadable = <T>(): Signal<Loaded<T>> => signal<Loaded<T>>({ state: 'idle' });

export async function load<T>(
  target: Signal<Loaded<T>>,
  request: () => Promise<ApiResult<T>>,
): Promise<void> {
  const before = target.value;
  const previous = before.state === 'ready' ? before.value : undefined;
  target.value = { state: 'loading', previous };
  const result = await request();
  if (result.ok) target.value = { state: 'ready', value: result.value };
  else if (result.error !== 'superseded') {
    if (result.error.kind === 'unauthorized') unauthorized.value = true;
    target.value = { state: 'failed', error: result.error };
  }
}
