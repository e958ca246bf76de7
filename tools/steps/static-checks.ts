/**
 * The checks that read the code without running it: format and lint, types, tidy.
 *
 * Decides: their commands. Each project file under `packages/` that has settings of its own (the
 * page knows a browser, not Node) is checked beside the main one.
 */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Step } from './run-step.ts';

export function staticChecks(root: string): readonly Step[] {
  const node = process.execPath;
  const bin = (path: string): string => join(root, 'node_modules', path);
  const tsc = (project: string): Step => ({
    name: project === '.' ? 'types' : `types ${project.split('/')[1]}`,
    command: [node, bin('typescript/bin/tsc'), '-p', project],
    cwd: root,
  });
  return [
    tsc('.'),
    {
      name: 'format, lint',
      command: [node, bin('@biomejs/biome/bin/biome'), 'check', '--error-on-warnings', '.'],
      cwd: root,
    },
    {
      name: 'tidy',
      command: [node, '--import', 'tsx', '--conditions=source', 'tools/tidy/main.ts'],
      cwd: root,
    },
    ...projectsBeside(root).map(tsc),
  ];
}

function projectsBeside(root: string): readonly string[] {
  return readdirSync(join(root, 'packages')).flatMap((name) =>
    readdirSync(join(root, 'packages', name))
      .filter((file) => /^tsconfig.*\.json$/.test(file))
      .map((file) => `packages/${name}/${file}`),
  );
}
