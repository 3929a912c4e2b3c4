import { expect, test } from 'vitest'
import { allowedMs, runEndToEnd } from './endToEnd.ts'

test('a gateway beside nodes that lie serves the chain, and in time', async () => {
  const { problems, mutated, slowestMs, slowestHungMs } = await runEndToEnd('cosmos-evm-0.7', 60, 1)
  expect(problems).toEqual([])
  expect(mutated).toBeGreaterThan(2)
  expect(slowestMs).toBeLessThan(allowedMs)
  expect(slowestHungMs).toBeLessThan(allowedMs)
})
