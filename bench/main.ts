/**
 * `npm run bench [NAME] [-- --json]`: figures, printed and not judged. Names: locomo, search,
 * import, embed, daemon.
 */
const NAMES = ['locomo', 'search', 'import', 'embed', 'daemon'] as const;

type Bench = { readonly run: (options: { readonly json: boolean }) => Promise<object> };

async function load(name: (typeof NAMES)[number]): Promise<Bench> {
  switch (name) {
    case 'locomo':
      return import('./locomo.ts');
    case 'search':
      return import('./search.ts');
    case 'import':
      return import('./import.ts');
    case 'embed':
      return import('./embed.ts');
    case 'daemon':
      return import('./daemon.ts');
  }
}

const words = process.argv.slice(2).filter((word) => !word.startsWith('-'));
const json = process.argv.includes('--json');
const unknown = words.find((word) => !NAMES.some((name) => name === word));
if (unknown !== undefined) {
  process.stderr.write(`No bench is called '${unknown}'. Known: ${NAMES.join(', ')}.\n`);
  process.exit(2);
}
for (const name of NAMES) {
  if (words.length > 0 && !words.includes(name)) continue;
  if (!json) process.stdout.write(`\n== ${name}\n`);
  const bench = await load(name);
  const result = await bench.run({ json });
  if (json) process.stdout.write(`${JSON.stringify(result)}\n`);
}
