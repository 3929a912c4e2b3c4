import { expect, test } from 'vitest'
import { runStateFuzz } from './stateFuzz.ts'

/** A piece of `npm run long -- lightFuzz` about states, and what it says when nothing is proven. */

test('600 lies about states: none is believed, none crashes', async () => {
  const tally = await runStateFuzz({ cases: 600, seed: 5 })
  expect(tally.wrong).toEqual([])
  expect(tally.crashes).toEqual([])
  expect(tally.refused).toBeGreaterThan(450)
  expect(tally.harmless).toBeGreaterThan(8)
})

test('without proofs the same lies are believed', async () => {
  const { wrong } = await runStateFuzz({ cases: 300, seed: 5, isVerified: false })
  expect(wrong.length).toBeGreaterThan(150)
  expect(wrong.filter((one) => one.includes('of our own')).length).toBeGreaterThan(40)
})
