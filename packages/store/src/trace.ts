/**
 * The tracing seam: whoever wants to see or count statements registers a sink.
 *
 * Decides: a sink sees the SQL text and what kind of call it is, never values. Every statement of
 * every connection passes, those of opening and migrating too. Without a sink nothing is paid.
 */
export type DbSpan = {
  readonly sql: string;
  readonly kind: 'get' | 'all' | 'run' | 'exec';
};

export type DbSink = {
  /** Called around the statement; must return what `run` returns, and let its throws through. */
  readonly withDbSpan: <T>(span: DbSpan, run: () => T) => T;
};

/** A registration is an object of its own, so that one sink registered twice leaves one by one. */
type Registration = { readonly sink: DbSink };

let registrations: readonly Registration[] = [];

/** Registers a sink of this process; the returned function takes it out again, in any order. */
export function registerSink(sink: DbSink): () => void {
  const registration: Registration = { sink };
  registrations = [...registrations, registration];
  return () => {
    registrations = registrations.filter((each) => each !== registration);
  };
}

export function traced<T>(span: DbSpan, run: () => T): T {
  if (registrations.length === 0) return run();
  const nested = registrations.reduce<() => T>(
    (inner, { sink }) =>
      () =>
        sink.withDbSpan(span, inner),
    run,
  );
  return nested();
}
