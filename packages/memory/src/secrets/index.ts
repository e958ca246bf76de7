/** Secrets: found and replaced before anything is kept. */
export type { Redacted, RedactedParts, Redactor } from './redactor.ts';
export { createRedactor, REDACTOR_VERSION } from './redactor.ts';
