/**
 * Addresses of repositories in one form.
 *
 * Decides: `host/owner/repo`, lower case, without scheme, user, password, default port, `.git`. The
 * same repository by ssh, https, or a host alias is the same text; credentials never survive.
 */

/** Undefined when the text is no address (empty, a relative path, options). */
export function normaliseRemote(text: string): string | undefined {
  const trimmed = text.trim();
  if (trimmed === '' || trimmed.length > REMOTE_CHARS_MAX || trimmed.startsWith('-'))
    return undefined;
  if (/^(?:file:\/\/)?(?:\/|[A-Za-z]:[\\/])/i.test(trimmed)) return localRemote(trimmed);
  const url =
    /^(?:git\+)?([a-z][a-z0-9+.-]*):\/\/(?:[^/]*@)?(\[[^\]]+\]|[^/:@]+)(?::(\d*))?\/(.*)$/i.exec(
      trimmed,
    );
  if (url !== null) return join(url[2] ?? '', portOf(url[1] ?? '', url[3] ?? ''), url[4] ?? '');
  const scp = /^(?:[^@/\s:]+(?::[^@/\s]*)?@)?(\[[^\]]+\]|[^/:@\s]{2,}):(?!\/\/)(.+)$/.exec(trimmed);
  if (scp !== null) return join(scp[1] ?? '', '', scp[2] ?? '');
  const bare = /^(?:[^/@\s]*@)?([a-z0-9-]+(?:\.[a-z0-9-]+)+)\/(.+)$/i.exec(trimmed);
  return bare === null ? undefined : join(bare[1] ?? '', '', bare[2] ?? '');
}

const REMOTE_CHARS_MAX = 2_048;

/** Hosts that write one repository in several ways. */
const HOST_ALIASES: readonly (readonly [RegExp, string])[] = [
  [/^(?:www\.|ssh\.)?github\.com(?:-[\w.-]+)?$/, 'github.com'],
  [/^(?:www\.|altssh\.)?gitlab\.com(?:-[\w.-]+)?$/, 'gitlab.com'],
  [/^(?:www\.|altssh\.)?bitbucket\.org(?:-[\w.-]+)?$/, 'bitbucket.org'],
  [/^(?:ssh|vs-ssh)\.dev\.azure\.com$/, 'dev.azure.com'],
];

function join(rawHost: string, port: string, rawPath: string): string | undefined {
  const lower = rawHost.toLowerCase();
  const host = HOST_ALIASES.find(([form]) => form.test(lower))?.[1] ?? lower;
  let path = rawPath
    .replace(/[?#].*$/, '')
    .replaceAll('\\', '/')
    .replace(/\/{2,}/g, '/');
  path = path
    .replace(/^\/|\/$/g, '')
    .replace(/\.git$/i, '')
    .replace(/\/$/, '')
    .toLowerCase();
  if (host === 'dev.azure.com') path = path.replace(/^v\d+\//, '').replace('/_git/', '/');
  if (host === '' || path === '') return undefined;
  return `${host}${port === '' ? '' : `:${port}`}/${path}`;
}

/** A port says nothing over ssh (the same server has others for https) or when it is usual. */
function portOf(scheme: string, port: string): string {
  if (/ssh/i.test(scheme) || ['', '80', '443', '9418'].includes(port)) return '';
  return port;
}

function localRemote(text: string): string {
  const path = text
    .replace(/^file:\/\//i, '')
    .replaceAll('\\', '/')
    .replace(/\/+$/, '');
  return `file:${path.replace(/\/?\.git$/, '')}`;
}

/** The repository's own name: the last part of its address. */
export function remoteName(remote: string): string {
  return remote.split('/').at(-1) ?? remote;
}
