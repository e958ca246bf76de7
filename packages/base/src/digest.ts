/**
 * Content digests and the ids made from them.
 *
 * Decides: how a derived id is computed, so that two machines (and two imports) agree without
 * negotiation. Fields are length-prefixed before hashing: ('ab','c') and ('a','bc') differ.
 */
import { createHash } from 'node:crypto';

/** SHA-256 of the fields, as 64 lower-case hex characters. */
export function digestOf(...fields: readonly string[]): string {
  const hash = createHash('sha256');
  for (const field of fields) {
    hash.update(`${Buffer.byteLength(field)}:`);
    hash.update(field);
  }
  return hash.digest('hex');
}

/**
 * A stable id: `<prefix>_` and the first 80 bits of the digest in Crockford base 32 (16
 * characters). Collisions: below 1e-9 up to about 40 million ids of one prefix.
 */
export function derivedId(prefix: string, ...fields: readonly string[]): string {
  return `${prefix}_${crockford(digestOf(prefix, ...fields).slice(0, 20))}`;
}

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';

function crockford(hex: string): string {
  let value = BigInt(`0x${hex}`);
  let text = '';
  for (let i = 0; i < (hex.length * 4) / 5; i += 1) {
    text = `${ALPHABET[Number(value & 31n)]}${text}`;
    value >>= 5n;
  }
  return text;
}
