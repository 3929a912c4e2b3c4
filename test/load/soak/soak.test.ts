import { expect, test } from 'vitest'
import { slow } from '../../support/slow.ts'
import { runSoak } from './soak.ts'

/** A piece of `npm run long -- soak`, too short for the slope of memory. */
const short = { seed: 3, seconds: 2, load: 0.7, minActions: 150 }

test('clients that come and go leave nothing behind', slow, async () => {
  const { problems, actions, failures } = await runSoak({ ...short, returnSeconds: 60 })
  expect(problems).toEqual([])
  expect(failures).toEqual([])
  expect(actions).toBeGreaterThanOrEqual(150)
})

test('and what they leave is seen', slow, async () => {
  const { problems } = await runSoak({ ...short, returnSeconds: 4, isLeaking: true })
  for (const what of ['descriptors', 'filterBytes', 'subscriptions', 'connections'])
    expect(problems.join('\n')).toContain(what)
})
