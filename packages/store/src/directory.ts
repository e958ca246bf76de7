/**
 * The data directory: where it is, and whether it may hold what people said.
 *
 * Decides: `QUIPU_HOME`, else the platform's place; mode 0700, made so if wider. A link, a file, a
 * directory of another user, or a network file system is refused: SQLite's locks do not hold there,
 * and there is never another place to fall back to.
 */
import { chmodSync, lstatSync, mkdirSync, statfsSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { err, ok, type Result } from '@quipu/base';
import type { StoreOpenError } from './errors.ts';

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

/** Magic numbers of `statfs(2)` for file systems whose locks or memory maps other hosts share. */
const NETWORK_TYPES: ReadonlyMap<number, string> = new Map([
  [0x6969, 'NFS'],
  [0xff534d42, 'SMB'],
  [0xfe534d42, 'SMB'],
  [0x517b, 'SMB'],
  [0x65735546, 'FUSE'],
  [0x01021997, '9P'],
  [0x5346414f, 'AFS'],
  [0x00c36400, 'Ceph'],
  [0x47504653, 'GPFS'],
  [0x0bd00bd0, 'Lustre'],
]);

/** The type number of the file system that holds the path; injectable for tests. */
export type FileSystemType = (path: string) => number;

export const fileSystemType: FileSystemType = (path) => statfsSync(path).type >>> 0;

export function prepareDirectory(
  directory: string,
  typeOf: FileSystemType,
): Result<void, StoreOpenError> {
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    const found = lstatSync(directory);
    if (found.isSymbolicLink() || !found.isDirectory()) {
      return unsafe(`${directory} is not a directory of its own; set QUIPU_HOME to one.`);
    }
    const uid = process.getuid?.();
    if (uid !== undefined && statSync(directory).uid !== uid) {
      return unsafe(`${directory} belongs to another user; set QUIPU_HOME to one of yours.`);
    }
    if (process.platform !== 'win32' && (found.mode & 0o077) !== 0) chmodSync(directory, 0o700);
    const network = process.platform === 'linux' ? NETWORK_TYPES.get(typeOf(directory)) : undefined;
    if (network !== undefined) {
      return err({
        kind: 'network-file-system',
        message:
          `${directory} lies on a network file system (${network}), where several processes ` +
          'would damage the file. Set QUIPU_HOME to a local disk.',
      });
    }
    return ok(undefined);
  } catch (failure) {
    const code = (failure as NodeJS.ErrnoException).code;
    if (code === undefined) throw failure;
    return err({
      kind: code === 'ENOSPC' ? 'disk-full' : 'unwritable',
      message: `${directory} cannot be used (${code}). Set QUIPU_HOME to a place you may write.`,
    });
  }
}

const unsafe = (message: string): Result<never, StoreOpenError> =>
  err({ kind: 'unsafe-directory', message });
