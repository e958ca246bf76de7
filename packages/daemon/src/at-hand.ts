/**
 * What a program needs to know before it does anything: itself, its version, and whether a daemon
 * runs.
 *
 * Decides: that this part of the package stands apart from HTTP and MCP, which take longer to load
 * than most commands take to run.
 */
export { type FoundDaemon, findDaemon } from './instance/find.ts';
export { type Program, thisProgram } from './program.ts';
export { QUIPU_VERSION } from './version.ts';
