/**
 * What is kept with a cursor of a reader's and a pass's state.
 *
 * Decides: a parser may hold back a message until it is whole; the state that is kept must hold no
 * secret, and nothing of what was forgotten.
 */
import type { AdmitBatch, SourceCursor, StoredCursor } from './admission.ts';
import type { EventCleaner } from './clean-event.ts';

export function withState(
  clean: Pick<EventCleaner, 'state'>,
  batch: AdmitBatch,
  cursor: SourceCursor,
): StoredCursor {
  const parser = clean.state(cursor.parser);
  return { ...cursor, parser, pass: batch.place ?? batch.pass.state };
}

/**
 * For a source of something forgotten, of which the parser's state may hold text. Without it the
 * source is read from its start when it has changed; while it has not, it is left alone.
 */
export const withoutState = (cursor: SourceCursor): StoredCursor => ({
  ...cursor,
  position: 0,
  prefixDigest: '',
  parser: null,
  pass: { sessions: {} },
});
