/** Recall: indexing, vectors and the search itself. */
export { indexMessage, unindexMessage } from './indexing.ts';
export { type QueryEmbedder, type RecallDeps, recall } from './recall.ts';
export {
  type ChunkVector,
  type PendingChunk,
  pendingChunks,
  readVectorModel,
  storeQuestionMean,
  storeVectors,
} from './vectors.ts';
export { DOCUMENTS, TURNS, type Weights, weightsFor } from './weights.ts';
