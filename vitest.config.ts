import { defineConfig } from 'vitest/config';

// `source` makes every @quipu/* import resolve to TypeScript, so tests never run stale built code.
const source = { conditions: ['source'] };
export default defineConfig({
  resolve: source,
  ssr: { resolve: { conditions: ['source'], externalConditions: ['source'] } },
  test: {
    include: ['packages/*/src/**/*.test.ts', 'tools/**/*.test.ts', 'bench/**/*.test.ts'],
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 30_000,
  },
});
