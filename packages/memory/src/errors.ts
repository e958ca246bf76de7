/**
 * What a caller of memory can be told: one family, each with a plain sentence for a person.
 *
 *   bad-request   the request makes no sense; change it
 *   not-found     nothing has that id
 *   ambiguous-id  several things begin with that id; give more of it
 *   unavailable   the store cannot answer now; try again
 */
import { err, type Result } from '@quipu/base';

export type MemoryErrorKind = 'bad-request' | 'not-found' | 'ambiguous-id' | 'unavailable';

export type MemoryError = { readonly kind: MemoryErrorKind; readonly message: string };

export const memoryError = (kind: MemoryErrorKind, message: string): Result<never, MemoryError> =>
  err({ kind, message });
