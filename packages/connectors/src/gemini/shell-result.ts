/**
 * What the shell tool of Gemini CLI says of a command.
 *
 * Decides: what of it the command printed, and whether it failed. The program frames the output:
 *
 *   Output: what was printed, or (empty)
 *   Error: …            (kept: it says why nothing ran)
 *   Exit Code: 4        (only when it is not zero)
 *   Signal: 9
 *   Background PIDs: …
 *   Process Group PGID: 25987
 */
const HEAD = 'Output: ';
const TOOL = 'run_shell_command';
const ENDING = /\n(Exit Code|Signal|Background PIDs|Process Group PGID): [^\n]*$/;
const FAILED = /\nError: [^\n]*$/;

export type ShellResult = { readonly text: string; readonly isError: boolean };

/** The text itself where the tool is another one or the frame is not there. */
export function shellResult(tool: string, text: string): ShellResult {
  if (tool !== TOOL || !text.startsWith(HEAD)) return { text, isError: false };
  let words = text;
  let isError = false;
  for (;;) {
    const ending = ENDING.exec(words);
    if (ending === null) break;
    isError ||= ending[1] === 'Exit Code' || ending[1] === 'Signal';
    words = words.slice(0, ending.index);
  }
  isError ||= FAILED.test(words);
  return { text: words.slice(HEAD.length).replace(/^\(empty\)(?:\n|$)/, ''), isError };
}
