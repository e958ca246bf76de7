/** Where the stores of older versions lie, and how a test gets one to open. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { STORE_FILE } from '../open.ts';

export const fixturesFolder: string = join(import.meta.dirname, '..', '..', 'fixtures');

export const fixturePath = (version: number): string => join(fixturesFolder, `v${version}.db.gz`);

/** Puts a store of the version into the directory, and gives its path. */
export function placeFixture(version: number, directory: string): string {
  const path = join(directory, STORE_FILE);
  writeFileSync(path, gunzipSync(readFileSync(fixturePath(version))), { mode: 0o600 });
  return path;
}
