/** Long patterns in pieces of a line each. Pieces are joined as they stand. */
export function pattern(flags: string, ...pieces: readonly string[]): RegExp {
  return new RegExp(pieces.join(''), flags);
}
