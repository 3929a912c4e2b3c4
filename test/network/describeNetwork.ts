import { describe, inject, type SuiteOptions, type TestOptions, test } from 'vitest'
import { findProgram } from '../support/programs/findProgram.ts'

/** Why there is no CometBFT, as test/support/engineSetup.ts found it before the tests. */
const missing = inject('missingEngine')

const hasGo = findProgram('go') !== undefined

/** Whether everything is asked for (`npm run long -- network`), not only what each test run does. */
export const isWholeRun = process.env.NETWORK_TESTS === 'all'

const fail = (): never => {
  throw new Error(`Go is installed, so this has to run: ${missing}`)
}

/**
 * Tests of a real network. Without CometBFT and without Go to build it they are skipped, and say so; where Go is there,
 * a network that cannot run is a failure.
 */
export const describeNetwork = (
  name: string,
  ...rest: [body: () => void] | [options: SuiteOptions, body: () => void]
): void => {
  const [options, body] = rest.length === 2 ? rest : [{}, rest[0]]
  if (missing === '') describe(name, options, body)
  else if (hasGo) test(name, options, fail)
  else describe.skip(`${name} (skipped: ${missing})`, options, body)
}

/** The same for a single test. */
export const testNetwork = (name: string, options: TestOptions, body: () => Promise<void>): void => {
  if (missing === '') test(name, options, body)
  else if (hasGo) test(name, options, fail)
  else test.skip(`${name} (skipped: ${missing})`, options, body)
}
