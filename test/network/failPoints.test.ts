import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { slow, testSome } from '../support/slow.ts'
import { describeNetwork, isWholeRun } from './describeNetwork.ts'
import {
  callHome,
  createHomes,
  HomeProcess,
  type Homes,
  headOf,
  reach,
  toNumber,
  until,
} from './homeProcess.ts'
import { receiptOf, TransferLoad } from './transfers.ts'

/**
 * Both processes of a node die at every step of a block: CometBFT at its own ten points (FAIL_TEST_INDEX), this program
 * at points of ours (failPoints.mjs), one after the other. `npm run test:all` runs a few pairs, NETWORK_TESTS=all every point
 * once, FAIL_POINTS=all every pair.
 */

const preload = fileURLToPath(new URL('./failPoints.mjs', import.meta.url))
const enginePoints = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]
const ownPoints = [
  'finalize:before',
  'finalize:after',
  'send:finalizeBlock',
  'sent:finalizeBlock',
  'commit:before',
  'commit:inside',
  'commit:written',
  'commit:done',
  'send:commit',
  'sent:commit',
  'send:info',
  'sent:info',
]
type Pair = readonly [engine: number, own: string]

/** Every point of both sides once. */
const diagonal: readonly Pair[] = ownPoints.map((own, index) => [index % enginePoints.length, own])
const selection: readonly Pair[] = [
  [0, 'commit:inside'],
  [5, 'finalize:after'],
  [7, 'commit:written'],
  [9, 'send:commit'],
]
const isEvery = process.env.FAIL_POINTS === 'all'
const pairs: readonly Pair[] = isEvery
  ? enginePoints.flatMap((engine) => ownPoints.map((own): Pair => [engine, own]))
  : isWholeRun
    ? diagonal
    : selection
const firstPoints = ['send:info', 'sent:info', 'send:initChain', 'sent:initChain', 'commit:inside']

/** Of every block that was served, what it was. */
class Journal {
  readonly #hashes = new Map<number, string>()
  readonly #receipts = new Map<string, unknown>()

  get top(): number {
    return Math.max(0, ...this.#hashes.keys())
  }

  async note(node: HomeProcess): Promise<void> {
    const height = await headOf(node)
    for (let number = this.top + 1; number <= height; number++) {
      const block = await callHome<{ hash: string }>(node, 'eth_getBlockByNumber', toNumber(number), false)
      this.#hashes.set(number, block.hash)
    }
  }

  async noteReceipt(node: HomeProcess, hash: string): Promise<void> {
    this.#receipts.set(hash, await receiptOf(node, hash))
  }

  /** Notes whatever is served until the node is gone. */
  async watch(node: HomeProcess): Promise<void> {
    let isGone = false
    void node.ended.then(() => {
      isGone = true
    })
    while (!isGone) {
      if (node.http !== '') await this.note(node).catch(() => undefined)
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  }

  /** The last blocks, and every receipt, are what they were. */
  async check(node: HomeProcess): Promise<void> {
    expect(await headOf(node)).toBeGreaterThanOrEqual(this.top)
    for (let number = Math.max(1, this.top - 30); number <= this.top; number++) {
      const block = await callHome<{ hash: string }>(node, 'eth_getBlockByNumber', toNumber(number), false)
      expect(block.hash, `block ${number}`).toBe(this.#hashes.get(number))
    }
    for (const [hash, receipt] of this.#receipts)
      expect(await callHome(node, 'eth_getTransactionReceipt', hash)).toEqual(receipt)
  }
}

/** Runs a home until it dies by itself. */
const die = async (home: string, env: Readonly<Record<string, string>>, journal: Journal) => {
  const node = new HomeProcess(home, { nodeArgs: ['--import', preload], env })
  await Promise.race([
    journal.watch(node),
    new Promise((_, reject) =>
      setTimeout(() => reject(new Error(`${JSON.stringify(env)} did not end the node`)), 90_000).unref(),
    ),
  ])
  return node.gone()
}

describeNetwork('one validator that dies at every step', () => {
  let homes: Homes
  let home: string
  const journal = new Journal()
  const transfers = new TransferLoad()

  beforeAll(async () => {
    homes = createHomes(1, 50)
    home = homes.homes[0] as string // one was asked for
  })
  afterAll(async () => homes?.remove())

  testSome(0, isEvery || isWholeRun ? firstPoints : firstPoints.slice(-2))(
    'begins although it died at %s before its first block',
    async (own) => {
      const fresh = createHomes(1, 50)
      const [only = ''] = fresh.homes
      const first = new Journal()
      expect((await die(only, { FAIL_POINT: own }, first)).signal).toBe('SIGKILL')
      const node = await new HomeProcess(only).ready()
      await reach(node, 3)
      await first.check(node)
      await node.stop()
      await fresh.remove()
    },
    { timeout: 240_000 },
  )

  it.each(pairs)('CometBFT at %i, then at %s', { ...slow, timeout: 240_000 }, async (engine, own) => {
    const before = journal.top
    const ended = await die(home, { FAIL_TEST_INDEX: `${engine}` }, journal)
    expect(ended.signal).not.toBe('SIGKILL')
    const killed = await die(home, { FAIL_POINT: own }, journal)
    expect(killed.signal).toBe('SIGKILL')
    const node = await new HomeProcess(home).ready()
    await journal.noteReceipt(node, await transfers.send(node))
    await reach(node, before + 1)
    await journal.check(node)
    await journal.note(node)
    await node.stop()
  })
})

describeNetwork('one of four validators that dies at every step', slow, () => {
  let homes: Homes
  let nodes: HomeProcess[]
  const transfers = new TransferLoad()
  const chosen: readonly Pair[] = isEvery ? diagonal : isWholeRun ? selection : selection.slice(0, 1)

  beforeAll(async () => {
    homes = createHomes(4, 300)
    nodes = await Promise.all(homes.homes.map((home) => new HomeProcess(home).ready()))
  }, 240_000)
  afterAll(async () => homes?.remove())

  it.each(chosen)(
    'CometBFT at %i, then at %s: it agrees with the others',
    { timeout: 300_000 },
    async (engine, own) => {
      const [first] = nodes as [HomeProcess, ...HomeProcess[]]
      const victim = nodes.pop() as HomeProcess // the fourth
      const journal = new Journal()
      await journal.note(victim)
      await victim.stop()
      const hash = await transfers.send(first)
      await die(victim.home, { FAIL_TEST_INDEX: `${engine}` }, journal)
      await die(victim.home, { FAIL_POINT: own }, journal)
      await receiptOf(first, hash)
      const back = await new HomeProcess(victim.home).ready()
      nodes.push(back)
      const height = await headOf(first)
      await until('it has caught up', async () => (await headOf(back)) >= height)
      await journal.check(back)
      for (let number = Math.max(0, height - 20); number <= height; number++) {
        const ask = (node: HomeProcess) => callHome(node, 'eth_getBlockByNumber', toNumber(number), true)
        expect(await ask(back)).toEqual(await ask(first))
      }
      expect(await receiptOf(back, hash)).toEqual(await receiptOf(first, hash))
    },
  )
})
