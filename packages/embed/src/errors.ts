/**
 * How embedding fails, as a caller sees it: one kind for each recovery, one fixed category for the
 * log and the status page. Texts of libraries, which may hold paths, are never among them.
 */
import { err, type Result } from '@quipu/base';

export type EmbedCategory =
  | 'cancelled'
  | 'closed'
  | 'queue-full'
  | 'text-too-long'
  | 'runtime-missing'
  | 'native-load-failed'
  | 'wasm-load-failed'
  | 'model-missing'
  | 'model-damaged'
  | 'model-unreadable'
  | 'embed-failed'
  | 'init-stuck'
  | 'worker-stuck'
  | 'worker-lost'
  | 'worker-protocol'
  | 'memory-exhausted';

export type EmbedError = {
  /**
   * `cancelled`: by the caller. `closed`: the embedder is. `busy`: try again when something is
   * done. `refused`: this text cannot be embedded. `interrupted`: try again, a new worker will
   * start. `unavailable`: no vectors for now (until `status` says otherwise); answer without.
   */
  readonly kind: 'cancelled' | 'closed' | 'busy' | 'refused' | 'interrupted' | 'unavailable';
  readonly category: EmbedCategory;
  /** A plain sentence for a person. */
  readonly message: string;
};

const MESSAGES: Readonly<Record<EmbedCategory, string>> = {
  cancelled: 'Embedding was cancelled.',
  closed: 'The embedder is closed.',
  'queue-full': 'Too many texts wait for their vectors already; try again later.',
  'text-too-long': 'The text is too long to embed in one piece; split it.',
  'runtime-missing': 'No ONNX runtime is installed; install Quipu again.',
  'native-load-failed': 'The native ONNX runtime does not load on this machine.',
  'wasm-load-failed': 'The WebAssembly ONNX runtime does not load; install Quipu again.',
  'model-missing': 'The model’s package is not installed; install Quipu again.',
  'model-damaged': 'The files of the model’s package are damaged; install Quipu again.',
  'model-unreadable': 'The ONNX runtime cannot read the model.',
  'embed-failed': 'The model could not compute these vectors.',
  'init-stuck': 'The embedding process did not get ready in time.',
  'worker-stuck': 'The embedding process did not answer in time and was ended.',
  'worker-lost': 'The embedding process ended unexpectedly.',
  'worker-protocol': 'The embedding process answered in a way that is not understood.',
  'memory-exhausted': 'The embedding process ran out of memory.',
};

export function embedError(kind: EmbedError['kind'], category: EmbedCategory): EmbedError {
  return { kind, category, message: MESSAGES[category] };
}

export function failure(
  kind: EmbedError['kind'],
  category: EmbedCategory,
): Result<never, EmbedError> {
  return err(embedError(kind, category));
}

export function isEmbedCategory(value: unknown): value is EmbedCategory {
  return typeof value === 'string' && Object.hasOwn(MESSAGES, value);
}
