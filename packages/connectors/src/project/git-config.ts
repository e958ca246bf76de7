/**
 * Remotes from a repository's configuration file.
 *
 * Decides: which remote names the project: `origin`, else the only one, else `upstream`, else the
 * first in the file. Parses the text alone: includes are not followed and nothing in it is run, so
 * that a hostile repository can do nothing but lie about its name.
 */
export type GitConfig = {
  /** In file order, first URL of each. */
  readonly remotes: readonly { readonly name: string; readonly url: string }[];
  /** `core.worktree`, where a submodule's repository says where its files are. */
  readonly worktree: string | undefined;
};

const LINES_MAX = 20_000;

export function parseGitConfig(text: string): GitConfig {
  const remotes = new Map<string, string>();
  let worktree: string | undefined;
  let section = '';
  let subsection = '';
  const lines = text.replace(/\\\r?\n/g, '').split(/\r?\n/, LINES_MAX);
  for (const line of lines) {
    const header = /^\s*\[\s*([\w.-]+)(?:\s+"((?:[^"\\]|\\.)*)")?\s*\](.*)$/.exec(line);
    if (header !== null) {
      section = (header[1] ?? '').toLowerCase();
      subsection = (header[2] ?? '').replace(/\\(.)/g, '$1');
    }
    const entry = /^\s*([A-Za-z][\w-]*)\s*=\s*(.*)$/.exec(
      header === null ? line : (header[3] ?? ''),
    );
    if (entry === null) continue;
    const key = (entry[1] ?? '').toLowerCase();
    const value = configValue(entry[2] ?? '');
    if (section === 'remote' && key === 'url' && value !== '' && !remotes.has(subsection)) {
      remotes.set(subsection, value);
    }
    if (section === 'core' && key === 'worktree') worktree = value;
  }
  return { remotes: [...remotes].map(([name, url]) => ({ name, url })), worktree };
}

/** Quotes removed, escapes undone, a comment outside quotes cut. */
function configValue(raw: string): string {
  let value = '';
  let quoted = false;
  for (let at = 0; at < raw.length; at += 1) {
    const char = raw[at] ?? '';
    if (char === '\\') {
      at += 1;
      value += raw[at] ?? '';
    } else if (char === '"') quoted = !quoted;
    else if (!quoted && (char === '#' || char === ';')) break;
    else value += char;
  }
  return value.trim();
}

export function primaryRemote(config: GitConfig): string | undefined {
  const named = (name: string): string | undefined =>
    config.remotes.find((remote) => remote.name === name)?.url;
  if (config.remotes.length === 1) return config.remotes[0]?.url;
  return named('origin') ?? named('upstream') ?? config.remotes[0]?.url;
}
