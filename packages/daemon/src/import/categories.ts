/**
 * What can be wrong with a source, as fixed categories: they are logged and counted; the path goes
 * to the person who asked, never to a log.
 *
 * Decides: which failures are expected (a source is skipped and reported) and which are defects
 * (undefined: they are thrown on). By structure first: a tagged category, then the errno.
 */
const BY_CODE: Readonly<Record<string, string>> = {
  ENOENT: 'source-gone',
  ENOTDIR: 'source-gone',
  EACCES: 'source-forbidden',
  EPERM: 'source-forbidden',
  EISDIR: 'source-not-a-file',
  ELOOP: 'source-link-loop',
  EIO: 'source-unreadable',
  ENAMETOOLONG: 'source-unreadable',
  EMFILE: 'too-many-open-files',
  ENFILE: 'too-many-open-files',
};

export function categoryOf(failure: unknown): string | undefined {
  if (typeof failure !== 'object' || failure === null) return undefined;
  const { category, code } = failure as { category?: unknown; code?: unknown };
  if (typeof category === 'string' && /^[a-z-]{1,40}$/.test(category)) return category;
  return typeof code === 'string' ? BY_CODE[code] : undefined;
}
