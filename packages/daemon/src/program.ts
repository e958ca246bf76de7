/**
 * How this program starts itself again: for the daemon, for its jobs, for an agent's MCP entry.
 */
export type Program = {
  readonly execPath: string;
  /** Node's own arguments (a loader, when run from source). */
  readonly execArgv: readonly string[];
  /** Absolute path of the script that is the command line program. */
  readonly script: string;
};

/** The running program. `script` is what Node was started with. */
export function thisProgram(script: string): Program {
  return { execPath: process.execPath, execArgv: process.execArgv, script };
}
