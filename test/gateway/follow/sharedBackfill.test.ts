import { afterEach, expect, test } from 'vitest'
import { slow } from '../../support/slow.ts'
import type { Replay } from '../replay/server/server.ts'
import { SyntheticChain } from '../replay/synthetic.ts'
import { inspect, Opened } from './harness.ts'

const opened = new Opened()
afterEach(() => opened.closeAll())

const length = 700
const family = 'cosmos-evm-0.7'
const createChain = (fork?: { at: number; isSigned: boolean }): SyntheticChain =>
  new SyntheticChain({ family, length, content: 'empty', ...(fork ? { fork } : {}) })

const timeout = 300_000

const trustOf = (path: string) => ({
  path: `${path}.trust`,
  root: undefined,
  trustingPeriodMs: undefined,
  maxClockDriftMs: 1e4,
})

const backfill = async (chain: SyntheticChain, nodes: readonly Replay[], isProven = true) => {
  const path = opened.folder()
  const trust = isProven ? trustOf(path) : undefined
  const following = await opened.follow(chain, nodes, { path, trust })
  await following.until(length, timeout)
  await following.close()
  expect(await inspect(path)).toEqual({ faults: [], first: 1, head: length })
  return following
}

const askedBlocks = ({ asked }: Replay): number => asked.get('block') ?? 0

test('a long range of blocks is fetched from several nodes at once', { timeout }, async () => {
  const chain = createChain()
  const nodes = [await opened.serve({ chain }), await opened.serve({ chain }), await opened.serve({ chain })]
  const { quarantined, heads } = await backfill(chain, nodes)
  expect(quarantined).toEqual([])
  for (const node of nodes) expect(askedBlocks(node)).toBeGreaterThan(31)
  expect(heads.map(({ number }) => number)).toEqual(
    heads.map(({ number }) => number).toSorted((a, b) => a - b),
  )
})

test('nobody is asked beside the first where nothing is proven', { ...slow, timeout }, async () => {
  const chain = createChain()
  const nodes = [await opened.serve({ chain }), await opened.serve({ chain })] as const
  await backfill(chain, nodes, false)
  expect(askedBlocks(nodes[1])).toBe(0)
})

test('a node that helps and lies costs the others nothing, and none of its blocks is taken', {
  timeout,
}, async () => {
  const chain = createChain()
  const forked = createChain({ at: 33, isSigned: false })
  const nodes = [await opened.serve({ chain }), await opened.serve({ chain: forked })] as const
  // Both agree on the newest block, with which trust begins.
  await nodes[1].setFaults({ alter: (method, result, params) => liesBelow(chain, method, result, params) })
  const following = await backfill(chain, nodes)
  expect(following.quarantined).toEqual([])
  expect(following.logs.join('\n')).toContain('blocks of several nodes do not fit')
})

/** What the honest chain says of its newest block, in the words of the liar. */
const liesBelow = (
  chain: SyntheticChain,
  method: string,
  result: unknown,
  { height }: Readonly<Record<string, unknown>>,
): unknown => {
  if (Number(height) !== length) return result
  if (method === 'block') return JSON.parse(chain.block(length) ?? '')
  if (method === 'commit') return JSON.parse(chain.commit(length) ?? '')
  return result
}

/** The newest block that is asked of several nodes. */
const lastShared = length - 64

test.each([false, true])(
  'what a node that helps says the last shared block did is not held against the one that is followed, held back: %s',
  { ...slow, timeout },
  async (holdNewest) => {
    const chain = createChain()
    const nodes = await Promise.all(Array.from({ length: 4 }, () => opened.serve({ chain })))
    const [lead, ...helpers] = nodes
    // So the others have given their last blocks when it has, and get the next ones.
    await lead?.setFaults({ delay: 4 })
    const appHash = Buffer.alloc(32, 7).toString('base64')
    for (const helper of helpers)
      await helper.setFaults({
        alter: (method, result, { height }) =>
          method === 'block_results' && Number(height) === lastShared
            ? { ...(result as object), app_hash: appHash }
            : result,
      })
    const path = opened.folder()
    const following = await opened.follow(chain, nodes, { path, trust: trustOf(path), holdNewest })
    await following.until(holdNewest ? length - 1 : length, timeout)
    await following.close()
    expect(following.quarantined).toEqual([])
    expect(following.lies).toEqual([])
    expect((await inspect(path)).faults).toEqual([])
  },
)

test('a node that helps and fails is done without', { ...slow, timeout }, async () => {
  const chain = createChain()
  const nodes = [await opened.serve({ chain }), await opened.serve({ chain })] as const
  const path = opened.folder()
  await nodes[1].setFaults({ hangs: ['block_results'] })
  const following = await opened.follow(chain, nodes, { path, trust: trustOf(path) })
  await following.until(length, timeout)
  expect(following.quarantined).toEqual([])
})
