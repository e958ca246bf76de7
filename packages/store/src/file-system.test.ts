/** Which mounts are taken for local: the mount table decides among user-space file systems. */
import { tmpdir } from 'node:os';
import { expect, test } from 'vitest';
import { fileSystemOf, mountOf, networkName } from './file-system.ts';

const TABLE = [
  '22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw',
  '30 22 0:40 / /home/ada rw - fuse.gocryptfs /vault rw',
  '31 30 0:41 / /home/ada/work rw,nosuid shared:3 master:1 - fuse.sshfs host:/work rw',
  '32 22 0:42 / /mnt/my\\040disk rw - fuseblk /dev/sdb1 rw',
  '33 22 0:43 / /srv rw - ext4 /dev/sdc1 rw',
  '34 22 0:44 / /srv rw - fuse.rclone cloud: rw',
].join('\n');

test('the longest mount point above the path decides, whole folder names only', () => {
  expect(mountOf('/home/ada/.local', TABLE)).toBe('fuse.gocryptfs');
  expect(mountOf('/home/ada/work', TABLE)).toBe('fuse.sshfs');
  expect(mountOf('/home/ada/work/x', TABLE)).toBe('fuse.sshfs');
  expect(mountOf('/home/ada/workshop', TABLE)).toBe('fuse.gocryptfs');
  expect(mountOf('/home/adam', TABLE)).toBe('ext4');
  expect(mountOf('/mnt/my disk/q', TABLE)).toBe('fuseblk');
});

test('of two mounts on one point, the last counts', () => {
  expect(mountOf('/srv/q', TABLE)).toBe('fuse.rclone');
});

test('shared and unknown user-space file systems are network, local ones are not', () => {
  for (const name of ['nfs', 'cifs', '9p', 'ceph', 'fuse', 'fuse.sshfs', 'fuse.rclone']) {
    expect(networkName(name), name).toBe(name);
  }
  for (const name of ['', 'ext4', 'btrfs', 'fuseblk', 'fuse.gocryptfs', 'overlay']) {
    expect(networkName(name), name).toBeUndefined();
  }
});

test('where the tests run is local', () => {
  expect(networkName(fileSystemOf(tmpdir()))).toBeUndefined();
});
