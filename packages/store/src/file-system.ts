/**
 * Which file system a directory lies on, and whether other hosts share it.
 *
 * Decides: what counts as a network file system, where SQLite's locks and shared memory do not hold
 * between hosts. Linux tells by `statfs(2)`; user-space file systems all have one number there, so
 * their kind is read from the mount table, and those not known to be local count as network.
 * Elsewhere nothing is known, and nothing is refused.
 */
import { readFileSync, realpathSync, statfsSync } from 'node:fs';

/** Name of the file system that holds the path, as Linux mounts name it; '' when unknown. */
export type FileSystemOf = (path: string) => string;

/** Magic numbers of `statfs(2)`: of file systems that other hosts share. */
const NAMES: ReadonlyMap<number, string> = new Map([
  [0x6969, 'nfs'],
  [0x517b, 'smb'],
  [0xff534d42, 'cifs'],
  [0xfe534d42, 'smb2'],
  [0x01021997, '9p'],
  [0x5346414f, 'afs'],
  [0x6b414653, 'kafs'],
  [0x73757245, 'coda'],
  [0x00c36400, 'ceph'],
  [0x47504653, 'gpfs'],
  [0x0bd00bd0, 'lustre'],
  [0x01161970, 'gfs2'],
  [0x7461636f, 'ocfs2'],
  [0x786f4256, 'vboxsf'],
]);

const FUSE = 0x65735546;

/** User-space file systems over one local disk or folder. */
const LOCAL_FUSE: ReadonlySet<string> = new Set([
  'fuseblk',
  'fuse.bindfs',
  'fuse.cryfs',
  'fuse.encfs',
  'fuse.fuse-overlayfs',
  'fuse.gocryptfs',
  'fuse.mergerfs',
  'fuse.ntfs-3g',
  'fuse.securefs',
  'fuse.veracrypt',
]);

export const fileSystemOf: FileSystemOf = (path) => {
  if (process.platform !== 'linux') return '';
  const type = statfsSync(path).type >>> 0;
  if (type !== FUSE) return NAMES.get(type) ?? '';
  return mountOf(realpathSync(path), readFileSync('/proc/self/mountinfo', 'utf8')) ?? 'fuse';
};

const NETWORK: ReadonlySet<string> = new Set(NAMES.values());

/** The name when other hosts share it, else undefined. */
export function networkName(fileSystem: string): string | undefined {
  if (NETWORK.has(fileSystem)) return fileSystem;
  return fileSystem.startsWith('fuse') && !LOCAL_FUSE.has(fileSystem) ? fileSystem : undefined;
}

/**
 * Type of the mount that holds the path, from a mount table (`proc_pid_mountinfo(5)`): the longest
 * mount point above it; of several on one point, the last.
 */
export function mountOf(path: string, table: string): string | undefined {
  let best = { point: '', type: undefined as string | undefined };
  for (const line of table.split('\n')) {
    const [before = '', after = ''] = line.split(' - ', 2);
    const point = unescaped(before.split(' ')[4] ?? '');
    const holds = point === '/' || path === point || path.startsWith(`${point}/`);
    if (point === '' || !holds || point.length < best.point.length) continue;
    best = { point, type: after.split(' ')[0] };
  }
  return best.type;
}

const unescaped = (text: string): string =>
  text.replace(/\\([0-7]{3})/g, (_, octal: string) =>
    String.fromCharCode(Number.parseInt(octal, 8)),
  );
