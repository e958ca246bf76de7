/**
 * `npm run prove`: prints the evidence of the four runs; exit code 1 when one is not as it must be.
 */
import { execFileSync } from 'node:child_process';
import { parseOptions, USAGE } from './options.ts';
import { type Evidence, prove } from './prove.ts';

const MESSAGE_LINES_MAX = 12;

const options = parseOptions(process.argv.slice(2));
if (typeof options === 'string') {
  console.error(`${options}\n\n${USAGE}`);
  process.exitCode = 2;
} else {
  const top = execFileSync('git', ['rev-parse', '--show-toplevel'], { encoding: 'utf8' }).trim();
  const evidence = await prove(top, options, tell);
  const wrong = evidence.filter(({ fault }) => fault !== undefined);
  const runs = wrong.map(({ run }) => run).join(', ');
  console.log(wrong.length === 0 ? 'PROVED: all four runs' : `NOT PROVED: run ${runs}`);
  process.exitCode = wrong.length === 0 ? 0 : 1;
}

function tell({ run, claim, fault, result }: Evidence): void {
  console.log(`[${run}] ${claim}: ${fault === undefined ? 'yes' : `NO, ${fault}`}`);
  console.log(`    $ ${result.command}`);
  console.log(
    `    ${result.ended}: ${result.passed.length} passed, ${result.failed.length} failed`,
  );
  for (const { name, reason, message } of result.failed) {
    console.log(`    failed (${reason}): ${name}`);
    const lines = message.split('\n').slice(0, MESSAGE_LINES_MAX);
    console.log(lines.map((line) => `      ${line}`).join('\n'));
  }
  if (result.noReport !== undefined) console.log(result.noReport);
}
