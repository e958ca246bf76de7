/** The composition root: local opening, the daemon, its client, import, MCP. */
export { type Backend, type BackendError, localBackend } from './backend.ts';
export { type DaemonClient, daemonClient } from './client.ts';
export {
  type AgentImport,
  type ImportDeps,
  type ImportError,
  type ImportOptions,
  type ImportProgress,
  type ImportResult,
  importTranscripts,
} from './import/import.ts';
export { type DaemonPlace, readPlace, readToken } from './instance/files.ts';
export { type FoundDaemon, findDaemon } from './instance/find.ts';
export { runJobProcess } from './jobs/run-job.ts';
export { type Local, type LocalError, type LocalOptions, openLocal } from './local.ts';
export { type BackendFinder, createBackendFinder } from './mcp/backend-finder.ts';
export { createMcpServer } from './mcp/server.ts';
export { serveMcpStdio } from './mcp/stdio.ts';
export { type Program, thisProgram } from './program.ts';
export { type RunError, type RunningDaemon, type RunOptions, runDaemon } from './run.ts';
export { type StartError, startDaemon, stopDaemon } from './start.ts';
export { QUIPU_VERSION } from './version.ts';
