import { expect, test } from 'vitest'
import { slow } from '../../support/slow.ts'
import { allowedMs, runEndToEnd } from './endToEnd.ts'

test('a gateway beside nodes that lie serves the chain, and in time', slow, async () => {
  const { problems, mutated, slowestMs, slowestHungMs } = await runEndToEnd('cosmos-evm-0.7', 60, 1)
  expect(problems).toEqual([])
  expect(mutated).toBeGreaterThan(2)
  // The long form holds it to a tenth more than the limit of a question, which a busy machine cannot keep.
  expect(Math.max(slowestMs, slowestHungMs)).toBeLessThan(5 * allowedMs)
})
