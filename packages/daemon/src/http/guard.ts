/**
 * Who may ask: loopback still checks `Host`, `Origin` and a token.
 *
 * Decides: a page on the web cannot reach the daemon through the person's browser. `Host` stops DNS
 * rebinding, `Origin` stops cross-site requests, the token (0600 file) stops other users of the
 * machine. The token is compared in constant time.
 *
 * Invariants: DAEMON-1 (no route but `/health` and the page answers without the token), DAEMON-2
 * (a foreign `Host` or `Origin` gets no answer, whatever else is right).
 */
import { createHash, timingSafeEqual } from 'node:crypto';

export type GuardInput = {
  readonly host: string | undefined;
  readonly origin: string | undefined;
  readonly authorization: string | undefined;
};

export type GuardVerdict =
  | { readonly allow: true }
  | { readonly allow: false; readonly status: 401 | 403; readonly message: string };

/** Names under which the loopback address is meant. */
const LOOPBACK_NAMES = ['127.0.0.1', 'localhost', '[::1]'];

export type Guard = {
  /** Host and Origin: every request. */
  readonly place: (input: GuardInput) => GuardVerdict;
  /** The token: every route that is not open. */
  readonly token: (input: GuardInput) => GuardVerdict;
};

/** `extraHosts`: names given by an explicit flag when the daemon is bound elsewhere. */
export function createGuard(port: number, token: string, extraHosts: readonly string[]): Guard {
  const hosts = new Set([...LOOPBACK_NAMES, ...extraHosts].map((name) => `${name}:${port}`));
  const origins = new Set([...hosts].map((host) => `http://${host}`));
  const expected = sha256(token);
  return {
    place: (input) => {
      if (input.host === undefined || !hosts.has(input.host.toLowerCase())) {
        return refuse(403, 'This address is not one that Quipu answers to.');
      }
      if (input.origin !== undefined && !origins.has(input.origin.toLowerCase())) {
        return refuse(403, 'Requests from other sites are refused.');
      }
      return { allow: true };
    },
    token: (input) => {
      const match = /^Bearer ([\x21-\x7e]{1,512})$/.exec(input.authorization ?? '');
      if (match?.[1] === undefined || !timingSafeEqual(sha256(match[1]), expected)) {
        return refuse(401, "A token is needed. 'quipu up' prints an address that carries it.");
      }
      return { allow: true };
    },
  };
}

const sha256 = (text: string): Buffer => createHash('sha256').update(text).digest();

const refuse = (status: 401 | 403, message: string): GuardVerdict => ({
  allow: false,
  status,
  message,
});
