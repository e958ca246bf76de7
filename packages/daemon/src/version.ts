/** The version of the program; the release raises it together with `packages/cli/package.json`. */
export const QUIPU_VERSION = '0.1.0';
