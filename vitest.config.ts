import { fileURLToPath } from 'node:url'
import { configDefaults, defineConfig } from 'vitest/config'

/** Long suites are named `*.long.test.ts`; the tasks of scripts/tasks.ts have them run, `npm test` does not. */
const longTests = process.env.LONG_TESTS === undefined ? ['**/*.long.test.ts'] : []

/** What a test may take before it counts as stuck. It says nothing about speed: busy machines are slow. */
const stuckAfterMs = 180_000

/** Settings of every project. */
const shared = {
  // Examples import the package by its name, as their readers will.
  resolve: { alias: { perihelion: fileURLToPath(new URL('./src/index.ts', import.meta.url)) } },
  test: {
    exclude: [...configDefaults.exclude, ...longTests],
    testTimeout: stuckAfterMs,
    hookTimeout: stuckAfterMs,
  },
}

export default defineConfig({
  test: {
    reporters: ['default', './test/support/summaryReporter.ts'],
    // Two cores: more workers only make timings worse.
    maxWorkers: 2,
    tags: [{ name: 'slow', description: '`npm test` leaves it out, `npm run test:all` has it.' }],
    projects: [
      {
        ...shared,
        // Files beside the source share their modules, which take longer to load than most of the tests. None may mock one.
        test: { ...shared.test, name: 'unit', include: ['src/**/*.test.ts'], isolate: false },
      },
      {
        ...shared,
        test: { ...shared.test, name: 'suites', include: ['test/**/*.test.ts', 'examples/**/*.test.ts'] },
      },
    ],
  },
})
