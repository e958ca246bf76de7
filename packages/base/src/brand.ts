/**
 * Brands: types that carry meaning over a plain string or number, at no cost at run time.
 * Decides: the units used across packages. Does not decide ids of one package (they live there).
 */
declare const brand: unique symbol;

export type Brand<T, B extends string> = T & { readonly [brand]: B };

/** Milliseconds since 1970-01-01T00:00:00Z. */
export type EpochMs = Brand<number, 'EpochMs'>;
/** A length of time in milliseconds. */
export type DurationMs = Brand<number, 'DurationMs'>;
/** A count of bytes (UTF-8 where text is meant). */
export type Bytes = Brand<number, 'Bytes'>;

export const epochMs = (value: number): EpochMs => value as EpochMs;
export const durationMs = (value: number): DurationMs => value as DurationMs;
export const bytes = (value: number): Bytes => value as Bytes;
