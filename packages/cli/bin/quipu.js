#!/usr/bin/env node
/**
 * The installed command: checks Node, then loads the built program.
 *
 * Decides: an old Node and a missing build are each one plain sentence. This file keeps to syntax
 * that any Node which knows modules can parse, so that the sentence is reached at all. The young
 * generation of the heap does not grow (`docs/decisions/0002-young-generation.md`).
 */
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { setFlagsFromString } from 'node:v8';

const NODE_MIN = [20, 19];
const found = process.versions.node.split('.').map(Number);
const tooOld = found[0] < NODE_MIN[0] || (found[0] === NODE_MIN[0] && found[1] < NODE_MIN[1]);
const built = fileURLToPath(new URL('../dist/quipu.js', import.meta.url));

if (tooOld) {
  console.error(
    `quipu: Node ${process.versions.node} is too old. Install Node ${NODE_MIN.join('.')} or newer.`,
  );
  process.exitCode = 1;
} else if (existsSync(built)) {
  setFlagsFromString('--semi-space-growth-factor=1');
  import('../dist/quipu.js');
} else {
  console.error("quipu: the program is not built yet. Run 'npm run build' in the repository.");
  process.exitCode = 1;
}
