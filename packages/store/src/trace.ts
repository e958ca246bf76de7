/**
 * The tracing seam: whoever wants to see or count statements registers a sink.
 *
 * Decides: a sink sees the SQL text and what kind of call it is, never values. Without a sink
 * nothing is paid.
 */
export type DbSpan = {
  readonly sql: string;
  readonly kind: 'get' | 'all' | 'run' | 'iterate' | 'exec';
};

export type DbSink = {
  /** Called around the statement; must return what `run` returns. */
  readonly withDbSpan: <T>(span: DbSpan, run: () => T) => T;
};

let sink: DbSink | undefined;

/** Registers the one sink of this process; the returned function takes it out again. */
export function registerSink(next: DbSink): () => void {
  const previous = sink;
  sink = next;
  return () => {
    if (sink === next) sink = previous;
  };
}

export function traced<T>(span: DbSpan, run: () => T): T {
  return sink === undefined ? run() : sink.withDbSpan(span, run);
}
