import { afterEach, expect, test } from 'vitest'
import { eventually } from '../../support/eventually.ts'
import { SyntheticChain } from '../replay/synthetic.ts'
import { claiming, Opened } from './harness.ts'

const opened = new Opened()
afterEach(() => opened.closeAll())

const claimed = Number.MAX_SAFE_INTEGER
const createChain = (length: number): SyntheticChain =>
  new SyntheticChain({ family: 'cosmos-evm-0.7', length, content: 'empty' })

test('a height is forgotten when its teller is quarantined, though there is no other node', async () => {
  const chain = createChain(20)
  const liar = await opened.serve({ chain, faults: { alter: claiming(claimed), wrongHashAt: 12 } })
  const following = await opened.follow(chain, [liar], { path: opened.folder() })
  await eventually(() => following.quarantined.length > 0)
  expect(following.targets).toContain(claimed)
  await eventually(() => (following.targets.at(-1) ?? claimed) < 12)
})

test('a height that no other node has counts for nothing before blocks bear it out', async () => {
  const chain = createChain(20)
  const liar = await opened.serve({ chain, faults: { alter: claiming(claimed) } })
  const honest = await opened.serve({ chain: createChain(20) })
  const following = await opened.follow(chain, [liar, honest], { path: opened.folder() })
  await following.until(20)
  await eventually(() => following.targets.at(-1) === 20)
  expect(Math.max(...following.targets)).toBe(20)
  expect(following.quarantined).toEqual([])
})

test('the height of a node that is away is remembered where there is no other', async () => {
  const chain = createChain(20)
  const replay = await opened.serve({ chain })
  const following = await opened.follow(chain, [replay], { path: opened.folder() })
  await following.until(20)
  await replay.setFaults({ down: true })
  await eventually(() => following.logs.some((line) => line.includes('the node does not answer')))
  expect(following.targets.at(-1)).toBe(20)
})
