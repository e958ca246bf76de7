/**
 * How tests are found and run.
 *
 * Decides: `unit` is what runs in seconds; `slow` (`*.slow.test.ts`: processes, browser) runs
 * in `npm test` alone. `source` makes every @quipu/* import resolve to TypeScript, so tests never
 * run stale built code.
 */
import { configDefaults, defineConfig } from 'vitest/config';

const TESTS = ['packages/*/src', 'tools', 'bench', 'plugins'];
const named = (suffix: string): string[] =>
  TESTS.map((folder) => `${folder}/**/*.${suffix}.{ts,tsx}`);

const shared = {
  resolve: { conditions: ['source'] },
  ssr: { resolve: { conditions: ['source'], externalConditions: ['source'] } },
};

/**
 * Packages that ship TypeScript under the same condition go through the transformer, as ours do.
 */
const inline = [/@modelcontextprotocol/, /eventsource/];

export default defineConfig({
  test: {
    pool: 'forks',
    maxWorkers: 2,
    coverage: { provider: 'v8', include: ['packages/*/src/**', 'tools/**'] },
    projects: [
      {
        ...shared,
        test: {
          name: 'unit',
          include: named('test'),
          exclude: [...configDefaults.exclude, ...named('slow.test')],
          testTimeout: 30_000,
        },
      },
      {
        ...shared,
        test: {
          name: 'slow',
          server: { deps: { inline } },
          include: named('slow.test'),
          testTimeout: 180_000,
          hookTimeout: 180_000,
        },
      },
    ],
  },
});
