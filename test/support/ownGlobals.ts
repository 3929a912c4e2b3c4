import { afterAll, vi } from 'vitest'

/** Files share a process: one whose test failed half way leaves no clock, spy, variable or global to the next. */
afterAll(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
  vi.unstubAllGlobals()
  vi.unstubAllEnvs()
})
