import { fileURLToPath } from 'node:url'
import { configDefaults, defineConfig } from 'vitest/config'

/** Long suites are named `*.long.test.ts`; the tasks of scripts/tasks.ts have them run, `npm test` does not. */
const longTests = process.env.LONG_TESTS === undefined ? ['**/*.long.test.ts'] : []

/** What a test may take before it counts as stuck. It says nothing about speed: busy machines are slow. */
const stuckAfterMs = 180_000

export default defineConfig({
  // Examples import the package by its name, as their readers will.
  resolve: { alias: { perihelion: fileURLToPath(new URL('./src/index.ts', import.meta.url)) } },
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts', 'examples/**/*.test.ts'],
    exclude: [...configDefaults.exclude, ...longTests],
    reporters: ['default', './test/support/summaryReporter.ts'],
    testTimeout: stuckAfterMs,
    hookTimeout: stuckAfterMs,
    // Two cores: more workers only make timings worse.
    maxWorkers: 2,
  },
})
