import { expect, test } from 'vitest'
import { runFuzz } from './fuzz.ts'

/** A piece of `npm run long -- lightFuzz`, and what it says when signatures are not verified. */

test('150 lies about headers, commits and validators: none is believed, none crashes', async () => {
  const tally = await runFuzz({ cases: 150, seed: 5 })
  expect(tally.wrong).toEqual([])
  expect(tally.crashes).toEqual([])
  expect(tally.refused).toBeGreaterThan(80)
  expect(tally.harmless).toBeGreaterThan(5)
})

test('without signatures the same lies are believed', async () => {
  const { wrong } = await runFuzz({ cases: 150, seed: 5, isVerified: false })
  expect(wrong.length).toBeGreaterThan(30)
})
