/**
 * Expected failure as a value.
 *
 * Decides: the one shape in which a function says "this can fail, and here is the proof". `E` is a
 * union of plain tagged objects (`{ kind: 'newer-schema', found, supported }`), never an `Error`.
 * A defect (broken assumption) is thrown instead: see `assert.ts`.
 */
export type Result<T, E> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly error: E };

export const ok = <T>(value: T): Result<T, never> => ({ ok: true, value });

export const err = <E>(error: E): Result<never, E> => ({ ok: false, error });
