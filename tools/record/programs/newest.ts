/** The newest transcript below a folder, which is the one that a command just wrote. */
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** Path of the newest file whose path below `folder` matches; empty when there is none. */
export function newestFile(folder: string, wanted: RegExp): string {
  if (!existsSync(folder)) return '';
  const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => wanted.test(path))
    .map((path) => join(folder, path));
  const timeOf = (path: string): number => statSync(path).mtimeMs;
  return paths.sort((a, b) => timeOf(a) - timeOf(b)).at(-1) ?? '';
}
