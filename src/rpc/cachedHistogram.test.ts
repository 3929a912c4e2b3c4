import fc from 'fast-check'
import { Histogram, Registry } from 'prom-client'
import { expect, test } from 'vitest'
import { CachedHistogram } from './cachedHistogram.ts'

test('the text is the one that prom-client writes for the same values', async () => {
  const values = fc.array(fc.tuple(fc.constantFrom('a', 'b'), fc.double({ min: 0, max: 20, noNaN: true })))
  await fc.assert(
    fc.asyncProperty(values, async (observations) => {
      const configuration = { name: 'n', help: 'h', labelNames: ['method'] as const, buckets: [0.5, 1, 10] }
      const [ours, theirs] = [new Registry(), new Registry()]
      const histogram = new CachedHistogram({ ...configuration, registers: [ours] })
      const reference = new Histogram({ ...configuration, registers: [theirs] })
      const methods = [...new Set(observations.map(([method]) => method))]
      const tallies = new Map(methods.map((method) => [method, histogram.createSeries({ method })]))
      for (const [method, value] of observations) {
        tallies.get(method)?.observe(value)
        reference.observe({ method }, value)
      }
      expect(await ours.metrics()).toBe(await theirs.metrics())
    }),
    { numRuns: 50 },
  )
})
