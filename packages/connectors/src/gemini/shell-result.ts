/**
 * What the shell tool of Gemini CLI says of a command.
 *
 * Decides: what of it the command printed, and whether it failed. The program frames the output:
 *
 *   Output: what was printed, or (empty)
 *   Error: …            (kept as words: a command may print such a line itself)
 *   Exit Code: 4        (only when it is not zero)
 *   Signal: 9
 *   Background PIDs: …
 *   Process Group PGID: 25987
 */
const TOOL = 'run_shell_command';
/** Each line of the frame once, in the program's order; what comes before it was printed. */
const FRAME = new RegExp(
  [
    /^Output: ([\s\S]*?)/,
    /(\nExit Code: -?\d+)?/,
    /(\nSignal: [^\n]+)?/,
    /(?:\nBackground PIDs: [\d, ]+)?/,
    /(?:\nProcess Group PGID: \d+)?$/,
  ]
    .map((part) => part.source)
    .join(''),
);

export type ShellResult = { readonly text: string; readonly isError: boolean };

/** The text itself where the tool is another one or the frame is not there. */
export function shellResult(tool: string, text: string): ShellResult {
  const frame = tool === TOOL ? FRAME.exec(text) : null;
  if (frame === null) return { text, isError: false };
  const [, printed = '', code, signal] = frame;
  return {
    text: printed.replace(/^\(empty\)(?:\n|$)/, ''),
    isError: code !== undefined || signal !== undefined,
  };
}
