/**
 * Names of tool calls whose results are still to come.
 *
 * Decides: a result carries the name of the tool that was called, though the agent records only the
 * call's id with it. Pairs in a list, newest last: a call id is the transcript's text and must not
 * become a key of an object. Bounded: a result that comes after very many other calls has no name.
 */
import { OPEN_CALLS_MAX } from './reading/limits.ts';

export type CallNames = readonly (readonly [callId: string, tool: string])[];

export function rememberCall(calls: CallNames, callId: string, tool: string): CallNames {
  if (callId === '' || tool === '') return calls;
  const kept = calls.length < OPEN_CALLS_MAX ? calls : calls.slice(1 - OPEN_CALLS_MAX);
  return [...kept, [callId, tool]];
}

/** The tool's name, or empty when the call was never seen. */
export function toolOfCall(calls: CallNames, callId: string): string {
  return calls.findLast(([id]) => id === callId)?.[1] ?? '';
}

/** The calls without the one that was answered. */
export function forgetCall(calls: CallNames, callId: string): CallNames {
  return calls.some(([id]) => id === callId) ? calls.filter(([id]) => id !== callId) : calls;
}
