/** Own output: marked when it leaves, recognised when it comes back. */
export { outputDigests } from './digests.ts';
export { isOwnCall, isOwnCommand, isOwnTool } from './own-calls.ts';
export { quoteAsData } from './quote.ts';
export type { KnownDigests, Stripped, StrippedParts } from './strip.ts';
export { ownCallIds, stripOwnOutput, stripOwnParts } from './strip.ts';
export { wrapRecall } from './tags.ts';
