/** The command line program; `main.ts` is its entry. */
export { createProgram } from './program.ts';
