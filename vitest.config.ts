import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    reporters: ['default', './test/support/summaryReporter.ts'],
    testTimeout: 30_000,
    hookTimeout: 30_000,
    // Two cores: more workers only make timings worse.
    maxWorkers: 2,
  },
})
