/**
 * The browser's timers: the only place of the page that starts one.
 */

/** Runs again and again until the returned function is called. */
export function every(intervalMs: number, run: () => void): () => void {
  const timer = setInterval(run, intervalMs);
  return () => clearInterval(timer);
}
