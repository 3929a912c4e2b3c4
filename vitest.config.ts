import { fileURLToPath } from 'node:url'
import { configDefaults, defineConfig } from 'vitest/config'

/** Long suites are named `*.long.test.ts`; the tasks of scripts/tasks.ts have them run, `npm test` does not. */
const longTests = process.env.LONG_TESTS === undefined ? ['**/*.long.test.ts'] : []

/** What a test may take before it counts as stuck. It says nothing about speed: busy machines are slow. */
const stuckAfterMs = 600_000
/** The same for one condition that a test waits for, so that the reason is shown. */
const patienceMs = 120_000

/** Settings of every project. */
const shared = {
  // Examples import the package by its name, as their readers will.
  resolve: { alias: { perihelion: fileURLToPath(new URL('./src/index.ts', import.meta.url)) } },
  test: {
    exclude: [...configDefaults.exclude, ...longTests],
    setupFiles: ['test/support/byteEquality.ts', 'test/support/ownGlobals.ts'],
    testTimeout: stuckAfterMs,
    hookTimeout: stuckAfterMs,
    expect: { poll: { timeout: patienceMs, interval: 20 } },
  },
}

/** Files share their modules, which take longer to load than most of the tests. None may mock one, or leave a global changed. */
const sharedModules = { isolate: false }

/** Tests that look at the whole process, where others would be in the way. */
const alone = ['test/api/operator/*.test.ts']

export default defineConfig({
  test: {
    reporters: ['default', './test/support/summaryReporter.ts'],
    // Two cores: more workers only make timings worse.
    maxWorkers: 2,
    tags: [{ name: 'slow', description: '`npm test` leaves it out, `npm run test:all` has it.' }],
    projects: [
      {
        ...shared,
        test: {
          ...shared.test,
          ...sharedModules,
          name: 'unit',
          include: ['src/**/*.test.ts', 'explorer/**/*.test.ts'],
        },
      },
      {
        ...shared,
        test: {
          ...shared.test,
          ...sharedModules,
          name: 'suites',
          globalSetup: 'test/support/engineSetup.ts',
          include: ['test/**/*.test.ts', 'examples/**/*.test.ts'],
          exclude: [...shared.test.exclude, ...alone],
        },
      },
      { ...shared, test: { ...shared.test, name: 'alone', include: alone } },
    ],
  },
})
