/**
 * The limits of the daemon, each with its unit.
 */
import { assert } from '@quipu/base';

/** The port tried first, and how many after it. */
export const PORT_DEFAULT = 4747;
export const PORT_TRIES = 64;
/** Bytes of a request's body. */
export const BODY_BYTES_MAX = 1 << 20;
/** Requests answered at once; further ones get 503. */
export const CONCURRENT_REQUESTS_MAX = 64;
/** A request that takes longer is cut off (streams of MCP excepted). */
export const REQUEST_MS_MAX = 120_000;
/** Time a client has to send its headers. */
export const HEADERS_MS_MAX = 10_000;
/** MCP sessions over HTTP at once; the one idle longest makes room. */
export const MCP_SESSIONS_MAX = 32;
/** How long a start may take until the daemon answers. */
export const START_MS_MAX = 45_000;
/** Time for open requests and children when the daemon is told to stop. */
export const STOP_MS_MAX = 10_000;
/** How long the command line waits for a daemon's answer to `/health`. */
export const HEALTH_MS_MAX = 2_000;
/** Log file size at which it is put aside; one older file is kept. */
export const LOG_BYTES_MAX = 2 << 20;
/** Pause between attempts while a start waits for another start. */
export const START_POLL_MS = 50;

assert(HEALTH_MS_MAX < START_MS_MAX, 'a start outlives a question for health');
assert(PORT_DEFAULT + PORT_TRIES < 65_536, 'every port tried exists');
