import { fileURLToPath } from 'node:url'
import { configDefaults, defineConfig } from 'vitest/config'

/** What takes minutes on a machine of its own: `npm run test:network` has them too. */
const longNetworkTests = ['test/network/perturbations.test.ts', 'test/network/clients.test.ts']

export default defineConfig({
  // Examples import the package by its name, as their readers will.
  resolve: { alias: { perihelion: fileURLToPath(new URL('./src/index.ts', import.meta.url)) } },
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts', 'examples/**/*.test.ts'],
    exclude: [...configDefaults.exclude, ...(process.env.NETWORK_TESTS === 'all' ? [] : longNetworkTests)],
    reporters: ['default', './test/support/summaryReporter.ts'],
    testTimeout: 30_000,
    hookTimeout: 30_000,
    // Two cores: more workers only make timings worse.
    maxWorkers: 2,
  },
})
