import { expect, test } from 'vitest'
import { slow } from '../support/slow.ts'
import { runOracle } from './run.ts'

test('the index finds what a look at every receipt finds', slow, async () => {
  let found = 0
  await runOracle({
    seed: 1,
    cases: 300,
    rounds: 12,
    onProgress: (_, logs) => {
      found = logs
    },
  })
  expect(found).toBeGreaterThan(1_000)
})
