/**
 * Finding the daemon that runs for a data directory.
 *
 * Decides: what counts as found. The place file says where to ask; the answer must prove that it
 * knows the token (HMAC over a fresh challenge) before the token is sent there: after a crash any
 * program may be listening on the old port.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { HEALTH_MS_MAX } from '../limits.ts';
import { deadline, randomHex } from '../machine.ts';
import { readPlace, readToken } from './files.ts';

export type FoundDaemon = {
  readonly url: string;
  readonly port: number;
  readonly pid: number;
  readonly version: string;
  readonly token: string;
};

/** The proof that `/health` gives: hex HMAC-SHA-256 of the challenge, keyed by the token. */
export function proofOf(token: string, challenge: string): string {
  return createHmac('sha256', token).update(challenge).digest('hex');
}

/** The running daemon, or undefined when none answers for this directory. */
export async function findDaemon(directory: string): Promise<FoundDaemon | undefined> {
  const place = readPlace(directory);
  const token = readToken(directory);
  if (place === undefined || token === undefined) return undefined;
  const challenge = randomHex(16);
  const url = `http://127.0.0.1:${place.port}`;
  const health = await askHealth(`${url}/health?challenge=${challenge}`);
  if (health === undefined || !isProof(health['proof'], proofOf(token, challenge))) {
    return undefined;
  }
  // The place may be an earlier daemon's, whose process id is someone else's by now.
  if (health['pid'] !== place.pid) return undefined;
  return {
    url,
    port: place.port,
    pid: place.pid,
    version: typeof health['version'] === 'string' ? health['version'] : place.version,
    token,
  };
}

function isProof(given: unknown, expected: string): boolean {
  if (typeof given !== 'string' || given.length !== expected.length) return false;
  return timingSafeEqual(Buffer.from(given), Buffer.from(expected));
}

const HEALTH_CHARS_MAX = 10_000;

async function askHealth(url: string): Promise<Record<string, unknown> | undefined> {
  const limit = deadline(HEALTH_MS_MAX);
  try {
    const response = await fetch(url, {
      signal: limit.signal,
      redirect: 'error',
    });
    const text = await response.text();
    if (!response.ok || text.length > HEALTH_CHARS_MAX) return undefined;
    const body = JSON.parse(text) as unknown;
    return typeof body === 'object' && body !== null
      ? (body as Record<string, unknown>)
      : undefined;
  } catch (failure) {
    // Refused, timed out, or not JSON: whatever answers there, it is not the daemon.
    if (failure instanceof Error) return undefined;
    throw failure;
  } finally {
    limit.done();
  }
}
