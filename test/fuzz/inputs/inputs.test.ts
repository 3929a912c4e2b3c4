import { describe, expect, test } from 'vitest'
import { slow } from '../../support/slow.ts'
import { keptInputs } from './kept.ts'
import { runInputs, withDefect } from './run.ts'
import type { InputTarget } from './target.ts'
import { inputTargets } from './targets.ts'

/** A piece of `npm run long -- fuzzInputs`, and what it finds when there is something. */
const counts: Readonly<Record<string, number>> = { abciServer: 150, toml: 600 }
const defaultCount = 2_000

const withTarget = async <T>(name: string, work: (target: InputTarget) => Promise<T>): Promise<T> => {
  const target = (inputTargets[name] as () => InputTarget)() // one of its names
  try {
    return await work(target)
  } finally {
    await target.close?.()
  }
}

describe.each(Object.keys(inputTargets))('%s', (name) => {
  const count = counts[name] ?? defaultCount

  test('every seed is taken', () =>
    withTarget(name, async (target) => {
      for (const seed of target.seeds) expect(await target.read(seed)).toEqual({})
    }))

  test('mutated inputs are taken or refused, and nothing else happens', slow, () =>
    withTarget(name, async (target) => {
      const { problems, refused } = await runInputs(target, { seed: 1, count })
      expect(problems).toEqual([])
      expect(refused).toBeGreaterThan(count / 100)
    }),
  )

  test('a defect far inside is found', slow, () =>
    withTarget(name, async (target) => {
      const { problems } = await runInputs(withDefect(target), { seed: 1, count })
      expect(problems[0]).toMatch(/^TypeError: planted/)
    }),
  )
})

test.each(keptInputs)('$target: $name', ({ target: name, input }) =>
  withTarget(name, async (target) => {
    expect(await target.read(input)).toHaveProperty('refused')
  }),
)
