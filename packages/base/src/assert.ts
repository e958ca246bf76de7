/**
 * Assertions: what the code relies on (`assert`), what it merely expects to see (`maybe`), what
 * cannot be (`unreachable`). Always on: a broken assumption in memory of record is worse than a
 * crash.
 */
export class AssertionFailure extends Error {
  override readonly name = 'AssertionFailure';
}

/** Throws `AssertionFailure` unless the condition holds. One condition a call. */
export function assert(condition: boolean, message: string): asserts condition {
  if (!condition) throw new AssertionFailure(message);
}

/** Documents that a condition may be either way; both sides are legal and reachable. */
export function maybe(_condition: boolean): void {}

/** For the default branch of an exhaustive switch: fails to compile when a case is missing. */
export function unreachable(value: never): never {
  throw new AssertionFailure(`unreachable: ${JSON.stringify(value)}`);
}
