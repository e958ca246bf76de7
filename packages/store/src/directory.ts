/**
 * The data directory: where it is, and whether it may hold what people said.
 *
 * Decides: `QUIPU_HOME`, else the platform's place; mode 0700, made so if wider. A link, a file, a
 * directory of another user, or a network file system is refused: SQLite's locks do not hold there,
 * and there is never another place to fall back to.
 */
import { chmodSync, lstatSync, mkdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { err, ok, type Result } from '@quipu/base';
import { fileError, fileErrorCode, type StoreOpenError } from './errors.ts';
import { type FileSystemOf, fileSystemOf, networkName } from './file-system.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

export function dataDirectory(env: Environment, platform: NodeJS.Platform): string {
  const chosen = env['QUIPU_HOME'];
  if (chosen !== undefined && chosen !== '') return resolve(chosen);
  const home = env['HOME'] ?? homedir();
  const xdg = env['XDG_DATA_HOME'];
  if (xdg?.startsWith('/') === true) return join(xdg, 'quipu');
  if (platform === 'darwin') return join(home, 'Library', 'Application Support', 'quipu');
  if (platform === 'win32') {
    return join(env['LOCALAPPDATA'] ?? join(home, 'AppData', 'Local'), 'quipu');
  }
  return join(home, '.local', 'share', 'quipu');
}

export type PrepareOptions = {
  /** False: a directory that is missing stays missing, a wide one stays wide. */
  readonly make: boolean;
  readonly fileSystemOf: FileSystemOf;
};

/** Makes the data directory, or checks the one that is there, as opening a store does first. */
export const makeDataDirectory = (directory: string): Result<void, StoreOpenError> =>
  prepareDirectory(directory, { make: true, fileSystemOf });

export function prepareDirectory(
  directory: string,
  options: PrepareOptions,
): Result<void, StoreOpenError> {
  try {
    if (options.make) mkdirSync(directory, { recursive: true, mode: 0o700 });
    const found = lstatSync(directory, { throwIfNoEntry: false });
    if (found === undefined) {
      return err({ kind: 'missing', message: `There is no memory in ${directory} yet.` });
    }
    if (found.isSymbolicLink() || !found.isDirectory()) {
      return unsafe(`${directory} is not a directory of its own; set QUIPU_HOME to one.`);
    }
    const uid = process.getuid?.();
    if (uid !== undefined && found.uid !== uid) {
      return unsafe(`${directory} belongs to another user; set QUIPU_HOME to one of yours.`);
    }
    const network = networkName(options.fileSystemOf(directory));
    if (network !== undefined) {
      return err({
        kind: 'network-file-system',
        message:
          `${directory} lies on a network file system (${network}), where several processes ` +
          'would damage the file. Set QUIPU_HOME to a local disk.',
      });
    }
    const wide = process.platform !== 'win32' && (found.mode & 0o077) !== 0;
    if (options.make && wide) chmodSync(directory, 0o700);
    return ok(undefined);
  } catch (failure) {
    const code = fileErrorCode(failure);
    if (code === undefined) throw failure;
    return err(fileError(directory, code));
  }
}

const unsafe = (message: string): Result<never, StoreOpenError> =>
  err({ kind: 'unsafe-directory', message });
