/**
 * Every limit of this package, with its unit, and what must hold between them.
 *
 * Decides: how much may wait, how long a worker may take, how often it may be started again.
 */
import { assert } from '@quipu/base';

/** Texts that may wait, queries included. */
export const WAITING_TEXTS_MAX = 8_192;
/** Of those, places that only queries may take, so that a bulk job never locks recall out. */
export const WAITING_TEXTS_FOR_QUERIES = 256;
/** Characters (UTF-16 units) that may wait, queries included. */
export const WAITING_CHARS_MAX = 64 * 1024 * 1024;
export const WAITING_CHARS_FOR_QUERIES = 4 * 1024 * 1024;
/** Characters of one text. */
export const TEXT_CHARS_MAX = 2 * 1024 * 1024;

/** Texts in one message to the worker: the grain at which background work can be cancelled. */
export const SLICE_TEXTS_MAX = 64;
/** Characters in one message to the worker, unless one text alone is longer. */
export const SLICE_CHARS_MAX = 64 * 1024;
/** Background slices that the worker holds at once: one that runs, one that waits for it. */
export const BACKGROUND_SLICES_IN_WORKER = 2;
/** Query slices that the worker holds at once. */
export const QUERY_SLICES_IN_WORKER = 8;

/** Padded tokens in one run of the model: what a query may have to wait for. */
export const BATCH_TOKENS_MAX = 512;

/** From fork to `ready`, the first conversion of the model included. */
export const INIT_MS_MAX = 60_000;
/** From `embed-started` to the answer of one slice. */
export const EXECUTION_MS_MAX = 120_000;
/** A worker without work ends after this long. */
export const IDLE_MS = 120_000;
/** From `shutdown` to SIGTERM, and from SIGTERM to SIGKILL. */
export const SHUTDOWN_MS_MAX = 2_000;
export const TERMINATE_MS_MAX = 2_000;

/** Unexpected ends within the window after which the embedder counts as failed. */
export const RESTARTS_MAX = 5;
export const RESTART_WINDOW_MS = 10 * 60_000;
/** Wait before the first restart; doubles with each one in the window. */
export const BACKOFF_FIRST_MS = 250;
export const BACKOFF_MAX_MS = 10_000;
/** A failed embedder tries again after this long. */
export const HEAL_AFTER_MS = 6 * 60 * 60_000;

/** Characters of the worker's output that are kept, in memory only. */
export const OUTPUT_TAIL_CHARS_MAX = 8_192;
/** Threads inside one run of the model. */
export const INTRA_OP_THREADS_MAX = 4;
/** A file left half-written by a dead process is removed after this long. */
export const STALE_TEMPORARY_MS = 60 * 60_000;
/** Heap of the worker's JavaScript; the model itself is outside it. */
export const WORKER_HEAP_MIB_MAX = 256;

assert(WAITING_TEXTS_FOR_QUERIES < WAITING_TEXTS_MAX, 'background has places of its own');
assert(WAITING_CHARS_FOR_QUERIES < WAITING_CHARS_MAX, 'background has characters of its own');
assert(TEXT_CHARS_MAX <= WAITING_CHARS_FOR_QUERIES, 'the longest query fits its share');
assert(SLICE_CHARS_MAX <= TEXT_CHARS_MAX, 'a slice may be one long text');
assert(BACKOFF_FIRST_MS <= BACKOFF_MAX_MS, 'back-off grows');
assert(BACKOFF_MAX_MS * RESTARTS_MAX < RESTART_WINDOW_MS, 'the window outlasts its own back-off');
