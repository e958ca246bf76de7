/**
 * Makes the fixture of a version: a store with rows in every table, as that version made it.
 *
 *   npm run fixture -w packages/store [VERSION]
 *
 * Decides: run it when a version is new, before the next one is begun. A fixture that is there is
 * history and is never made again.
 */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { testKernel } from '@quipu/kernel';
import { MIGRATIONS } from '../migrations.ts';
import { openStore, STORE_FILE } from '../open.ts';
import { fixturePath, fixturesFolder } from './fixtures.ts';
import { writeSampleRows } from './sample-rows.ts';

const version = Number(process.argv[2] ?? MIGRATIONS.length);
const target = fixturePath(version);
if (existsSync(target)) {
  console.error(`There is a fixture of version ${version} already; it is history.`);
  process.exit(1);
}
const directory = mkdtempSync(join(tmpdir(), 'quipu-fixture-'));
const opened = await openStore({
  directory,
  kernel: testKernel(),
  migrations: MIGRATIONS.slice(0, version),
});
if (!opened.ok) throw new Error(opened.error.message);
writeSampleRows(opened.value);
opened.value.close();
mkdirSync(fixturesFolder, { recursive: true });
writeFileSync(target, gzipSync(readFileSync(join(directory, STORE_FILE)), { level: 9 }));
rmSync(directory, { recursive: true });
console.log(`Made the fixture of version ${version}.`);
