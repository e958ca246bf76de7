/** Local embeddings: texts to vectors on this machine, in a process of their own. */

export type { Priority, Runtime } from './core/protocol.ts';
export { createEmbedder, type EmbedderOptions } from './create.ts';
export {
  BUNDLED_MODEL,
  type Embedder,
  type EmbeddingModel,
  type EmbedOptions,
} from './embedder.ts';
export type { EmbedCategory, EmbedError } from './errors.ts';
export type { Deployment } from './shell/deployment.ts';
export type { EmbedderState } from './shell/supervisor.ts';
