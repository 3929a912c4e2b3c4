import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { Agreement } from './agreement.ts'
import { call, heightOf, waitForHeight } from './asking.ts'
import { describeNetwork } from './describeNetwork.ts'
import { Ledger, Wallet } from './ledger.ts'
import { Links } from './links.ts'
import {
  killNode,
  type Network,
  type NetworkNode,
  pauseNode,
  restartNode,
  resumeNode,
  startHomes,
  writeHomes,
} from './testnet.ts'

/** Blocks that a network makes while a part of it is away. */
const blocksWithout = 6
const goesOnWithinMs = 10_000

describeNetwork('four validators, perturbed while transactions come in', () => {
  let network: Network
  let links: Links
  // Each sends through a node of its own; nonces go on from test to test.
  const wallets = [1, 2, 3, 4].map((index) => new Wallet(index))

  beforeAll(async () => {
    const { folder, homes } = await writeHomes(4)
    links = await Links.between(homes)
    network = await startHomes(folder, homes)
  }, 240_000)
  afterAll(async () => {
    await network?.stop()
    links?.close()
  })

  const nodeAt = (index: number): NetworkNode => {
    const node = network.nodes[index]
    if (node === undefined) throw new Error(`there is no node ${index}`)
    return node
  }

  /** Under load through all nodes: what happens, then everybody agrees and nothing that was served is lost. */
  const underLoad = async (happens: () => Promise<void>): Promise<void> => {
    const ledger = new Ledger()
    const stop = new AbortController()
    const filling = ledger.fill(network.nodes, wallets, stop.signal)
    try {
      await waitForHeight(nodeAt(0), (await heightOf(nodeAt(0))) + 2)
      await happens()
      const height = await heightOf(nodeAt(0))
      for (const node of network.nodes) await waitForHeight(node, height + 2)
    } finally {
      stop.abort()
      await filling
    }
    expect(ledger.size).toBeGreaterThan(network.nodes.length)
    await ledger.check(network.nodes)
    await new Agreement(network.nodes).check()
  }

  /** The others make blocks while one is away. */
  const withoutOne = async (away: () => void, back: () => Promise<void> | void): Promise<void> => {
    away()
    const height = await heightOf(nodeAt(0))
    await waitForHeight(nodeAt(0), height + blocksWithout)
    await back()
    await waitForHeight(nodeAt(3), height + blocksWithout)
  }

  /** Nothing is decided while two are away; soon after they are back, something is. */
  const withoutTwo = async (away: () => void, back: () => Promise<void> | void): Promise<void> => {
    away()
    // The block under way may still be decided.
    await sleep(3000)
    const halted = await heightOf(nodeAt(0))
    await sleep(4000)
    expect(await heightOf(nodeAt(0))).toBe(halted)
    // What is there is served all the same.
    expect(await call(nodeAt(1), 'eth_getBlockByNumber', 'finalized', false)).toEqual(
      await call(nodeAt(1), 'eth_getBlockByNumber', 'latest', false),
    )
    await back()
    const since = performance.now()
    await waitForHeight(nodeAt(0), halted + 1)
    expect(performance.now() - since).toBeLessThan(goesOnWithinMs)
  }

  const timeout = 300_000

  it('one is killed, and comes back', { timeout }, () =>
    underLoad(() =>
      withoutOne(
        () => killNode(nodeAt(3)),
        () => restartNode(nodeAt(3)),
      ),
    ),
  )

  it('one is paused, and goes on', { timeout }, () =>
    underLoad(() =>
      withoutOne(
        () => pauseNode(nodeAt(3)),
        () => resumeNode(nodeAt(3)),
      ),
    ),
  )

  it('one is cut off, and connected again', { timeout }, () =>
    underLoad(() =>
      withoutOne(
        () => links.cut(3, true),
        () => links.cut(3, false),
      ),
    ),
  )

  it(
    'two of four are killed: the network halts, forks nowhere, and goes on when they are back',
    { timeout },
    () =>
      underLoad(() =>
        withoutTwo(
          () => {
            killNode(nodeAt(2))
            killNode(nodeAt(3))
          },
          async () => {
            await Promise.all([restartNode(nodeAt(2)), restartNode(nodeAt(3))])
          },
        ),
      ),
  )

  it('two of four are paused: the same', { timeout }, () =>
    underLoad(() =>
      withoutTwo(
        () => {
          pauseNode(nodeAt(2))
          pauseNode(nodeAt(3))
        },
        () => {
          resumeNode(nodeAt(2))
          resumeNode(nodeAt(3))
        },
      ),
    ),
  )

  it('two of four are cut off from everybody: the same', { timeout }, () =>
    underLoad(() =>
      withoutTwo(
        () => {
          links.cut(2, true)
          links.cut(3, true)
        },
        () => {
          links.cut(2, false)
          links.cut(3, false)
        },
      ),
    ),
  )
})
