/**
 * Which runtime, how many threads, and when a failed native start is tried again with WASM.
 *
 * Decides: native where it is installed, else WASM. The one way back from native is a fresh worker
 * with WASM forced; it is asked for at most once, by a worker that used native and for which WASM
 * is there. A model file that is intact, yet native cannot parse it, is such a case.
 */
import { INTRA_OP_THREADS_MAX } from '../limits.ts';
import type { Runtime, WasmFiles } from './protocol.ts';

export type RuntimeOffer = {
  readonly native: string | undefined;
  readonly wasm: WasmFiles | undefined;
  readonly forceWasm: boolean;
};

export function chooseRuntime(offer: RuntimeOffer): Runtime | undefined {
  if (offer.native !== undefined && !offer.forceWasm) return 'native';
  return offer.wasm === undefined ? undefined : 'wasm';
}

/** Messages of ONNX Runtime for a file that it cannot parse. */
export function isCorruptModelError(message: string): boolean {
  return /INVALID_PROTOBUF|protobuf parsing failed/i.test(message);
}

export function shouldRequestWasmRespawn(
  usedNative: boolean,
  isVendored: boolean,
  errorMessage: string,
  fileLooksIntact: boolean,
): boolean {
  return usedNative && !isVendored && fileLooksIntact && isCorruptModelError(errorMessage);
}

/** Messages of a failed allocation, in JavaScript, C++ and ONNX Runtime. */
export function isAllocationFailure(message: string): boolean {
  return /allocation failed|bad_alloc|failed to allocate memory|out of memory/i.test(message);
}

/** A whole number from 1 to `INTRA_OP_THREADS_MAX`. */
export function threadsFor(wanted: number): number {
  if (!Number.isFinite(wanted)) return 1;
  return Math.min(INTRA_OP_THREADS_MAX, Math.max(1, Math.floor(wanted)));
}
