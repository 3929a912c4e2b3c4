import { describe, expect, test } from 'vitest'
import { slow, testSome } from '../support/slow.ts'
import { defects, searchDefect } from './defects.ts'
import { simulate } from './simulation.ts'

/** The short form of `npm run long -- simulation`. */
describe('networks of a model', () => {
  testSome(1, [2, 1, 3])('agree and go on, whatever happens to them (seed %i)', async (seed) => {
    const { violation, heights } = await simulate({ seed, heights: 30 })
    expect(violation?.message).toBeUndefined()
    expect(heights).toBe(30)
  })

  test.each([
    ['from the first block on', 0, 100, 1],
    ['from within the run on', 1_700_000_010, 100, 1],
    ['never', undefined, 400, 0],
  ])('agree and go on where blocks are full by use %s', async (_, fullBlocksTime, traffic, least) => {
    const forks = { cancunTime: 0, pragueTime: 0, osakaTime: 0 }
    const { violation, heights, withoutRoom } = await simulate({
      seed: 2,
      heights: 30,
      scenario: {
        forks: { ...forks, ...(fullBlocksTime !== undefined && { fullBlocksTime }) },
        // As much as such blocks hold: with more, what pays little waits for good.
        blockGas: 400_000,
        traffic,
        pause: 500,
        crashes: 0.002,
        outage: undefined,
      },
    })
    expect(violation?.message).toBeUndefined()
    expect(heights).toBe(30)
    expect(Math.sign(withoutRoom)).toBe(least)
  })

  test('do the same for the same seed', slow, async () => {
    const one = await simulate({ seed: 4, heights: 20 })
    const again = await simulate({ seed: 4, heights: 20 })
    expect(again).toEqual(one)
    expect((await simulate({ seed: 5, heights: 20 })).digest).not.toBe(one.digest)
  })
})

describe('a planted defect is found', () => {
  test.each(defects.map((defect) => [defect.name, defect] as const))('%s', slow, async (_, defect) => {
    const { violation } = await searchDefect(defect)
    expect(defect.shows).toContain(violation?.kind)
    if (defect.message !== undefined) expect(violation?.message).toMatch(defect.message)
  })
})
