/**
 * The packages and their numbers: a file imports only from packages with a lower one.
 *
 * Decides: the order. A folder under `packages/` that has no number here is a finding, so a new
 * package states its place before it holds code.
 */
export const LAYERS: Readonly<Record<string, number>> = {
  base: 0,
  kernel: 1,
  checker: 1,
  store: 2,
  embed: 3,
  ingest: 3,
  replica: 3,
  terminal: 3,
  memory: 4,
  connectors: 4,
  gateway: 5,
  daemon: 6,
  cli: 7,
  web: 7,
};

export const scopedName = (name: string): string => (name === 'cli' ? 'quipu' : `@quipu/${name}`);

/** The folder and the path inside it that a bare specifier names, if it is one of ours. */
export function ownPackage(specifier: string): { name: string; inside: string } | undefined {
  if (specifier === 'quipu' || specifier.startsWith('quipu/')) {
    return { name: 'cli', inside: specifier.slice('quipu'.length) };
  }
  const match = /^@quipu\/([^/]+)(.*)$/.exec(specifier);
  return match === null ? undefined : { name: match[1] ?? '', inside: match[2] ?? '' };
}
