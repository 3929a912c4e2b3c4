import { expect, test } from 'vitest'
import { slow } from '../../support/slow.ts'
import { allChecks, noChecks } from './pipeline.ts'
import { runMutations } from './run.ts'

/** A piece of `npm run long -- gatewayMutations`, and what it says when the checks are off. */

test('100 mutated replies of one family: none crashes, none is passed on against the hashes', () => {
  const tally = runMutations({ cases: 100, seed: 11, checks: allChecks, families: ['cosmos-evm-0.7'] })
  expect(tally.crashes).toEqual([])
  expect(tally.inconsistent).toEqual([])
  expect(tally.refused).toBeGreaterThan(0)
})

test('5,000 mutated replies: none crashes, none is passed on against the hashes', slow, () => {
  const tally = runMutations({ cases: 5_000, seed: 11, checks: allChecks })
  expect(tally.crashes).toEqual([])
  expect(tally.inconsistent).toEqual([])
  // Most changes are to what a hash covers; and some are not, or nothing would be tested by accepting.
  expect(tally.refused).toBeGreaterThan(1_500)
  expect(tally.harmless).toBeGreaterThan(100)
})

test('without the checks the same replies are passed on', slow, () => {
  const { inconsistent } = runMutations({ cases: 1_000, seed: 11, checks: noChecks })
  expect(inconsistent.length).toBeGreaterThan(20)
})
