/** Files beside a transcript: what is no plain file is not waited for. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { SIDE_FILE_BYTES_MAX } from './limits.ts';
import { smallFile } from './small-file.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'quipu-side-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

test('a small file is read; a large one, a folder and an absent one are empty', async () => {
  writeFileSync(join(folder, 'small'), 'text');
  writeFileSync(join(folder, 'large'), Buffer.alloc(SIDE_FILE_BYTES_MAX + 1, 97));
  const names = ['small', 'large', '.', 'absent'];
  const texts = await Promise.all(names.map((name) => smallFile(join(folder, name))));
  expect(texts).toEqual(['text', '', '', '']);
});

test.skipIf(process.platform === 'win32')(
  'a pipe and a device are not waited for',
  async () => {
    execFileSync('mkfifo', [join(folder, 'pipe')]);
    symlinkSync('/dev/zero', join(folder, 'endless'));
    expect(await smallFile(join(folder, 'pipe'))).toBe('');
    expect(await smallFile(join(folder, 'endless'))).toBe('');
  },
  5_000,
);
