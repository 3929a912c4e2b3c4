import { afterEach, describe, expect, test } from 'vitest'
import { toHex } from '../../../src/base/encoding/hex.ts'
import { LmdbEnvironment } from '../../../src/base/lmdb/lmdb.ts'
import { BlockStoreReader } from '../../../src/store/blockStoreReader.ts'
import { eventually } from '../../support/eventually.ts'
import { slow, testSome } from '../../support/slow.ts'
import type { Faults } from '../replay/server/injectedFaults.ts'
import type { Replay } from '../replay/server/server.ts'
import { SyntheticChain } from '../replay/synthetic.ts'
import { type Following, inspect, Opened } from './harness.ts'

const opened = new Opened()
afterEach(() => opened.closeAll())

const family = 'cosmos-evm-0.7'
const createChain = (length: number, options: object = {}): SyntheticChain =>
  new SyntheticChain({ family, length, seed: 3, content: { transactions: 2 }, ...options })

interface NewBlockTold {
  readonly data: {
    readonly value: { readonly result_finalize_block: { tx_results: { gas_used: string }[] } }
  }
}

/** Tells a base fee of 78 nines for block 12: more than a header can hold. Of events no hash says anything. */
const withHugeBaseFee: NonNullable<Faults['alter']> = (method, result, { height }) => {
  if (method !== 'block_results' || height !== '12') return result
  const { finalize_block_events: events } = result as {
    finalize_block_events: { attributes: { key: string; value: string }[] }[]
  }
  for (const attribute of events.flatMap(({ attributes }) => attributes))
    if (attribute.key === 'base_fee') attribute.value = '9'.repeat(78)
  return result
}

/** What is served of each block: receipts and all. */
const contents = async (path: string, head: number): Promise<string[]> => {
  const environment = new LmdbEnvironment({ path, readOnly: true })
  const blocks = new BlockStoreReader(environment)
  const texts: string[] = []
  for (let number = 1; number <= head; number++)
    texts.push(
      `${Buffer.from(blocks.blockJson(number, true) ?? [])}${Buffer.from(blocks.receiptsJson(number) ?? [])}`,
    )
  await environment.close()
  return texts
}

/** A follower of one node, which has the whole chain of this length. */
const followOne = async (length: number) => {
  const chain = createChain(length)
  const replay = await opened.serve({ chain })
  const path = opened.folder()
  const following = await opened.follow(chain, [replay], { path })
  await following.until(length)
  return { chain, replay, path, following }
}

/** What a follower of an honest node has. */
const honest = async (length: number): Promise<string[]> => {
  const { path, following } = await followOne(length)
  await following.close()
  return contents(path, length)
}

const expectHonest = async (path: string, length: number): Promise<void> => {
  expect(await inspect(path)).toEqual({ faults: [], first: 1, head: length })
  expect(await contents(path, length)).toEqual(await honest(length))
}

/** Heads never repeat, leave nothing out of order, and go back only where a block was corrected. */
const expectAscending = ({ heads }: Following): void => {
  for (const [index, { number, isCorrection }] of heads.entries())
    if (index > 0 && !isCorrection) expect(number).toBeGreaterThan(heads[index - 1]?.number ?? 0)
}

const twoNodes = async (
  length: number,
): Promise<{ chain: SyntheticChain; first: Replay; second: Replay }> => {
  const chain = createChain(length)
  return {
    chain,
    first: await opened.serve({ chain }),
    second: await opened.serve({ chain: createChain(length) }),
  }
}

describe('nodes that fail', () => {
  test(
    'a node that goes away is replaced by the next, without a gap and without a double',
    slow,
    async () => {
      const { chain, first, second } = await twoNodes(10)
      const path = opened.folder()
      const following = await opened.follow(chain, [first, second], { path })
      await following.until(10)
      first.grow(5)
      second.grow(5)
      await following.until(15)
      await first.setFaults({ down: true })
      second.grow(5)
      await following.until(20)
      await first.setFaults({})
      first.grow(6)
      await second.setFaults({ down: true })
      await following.until(21)
      await following.close()
      expectAscending(following)
      expect(following.quarantined).toEqual([])
      await expectHonest(path, 21)
    },
  )

  test('the only node restarts while blocks are made', slow, async () => {
    const { chain, replay, path, following } = await followOne(20)
    for (let round = 1; round <= 3; round++) {
      const restarted = replay.restart(50)
      chain.grow()
      chain.grow()
      await restarted
      replay.grow()
      await following.until(20 + 3 * round)
    }
    await following.close()
    expectAscending(following)
    expect(following.quarantined).toEqual([])
    await expectHonest(path, 29)
  })

  test.each([
    ['answers with pieces of answers', { truncated: 0.6 }],
    ['answers slower than anybody waits', { drip: { bytes: 64, every: 50 } }],
    ['answers to nothing', { hangs: ['block', 'block_results'] }],
    ['cannot be reached', { down: true }],
  ])('a node that %s is left for the next', slow, async (_, faults) => {
    const { chain, first, second } = await twoNodes(30)
    const path = opened.folder()
    await first.setFaults(faults)
    const following = await opened.follow(chain, [first, second], { path, callTimeoutMs: 1_500 })
    await following.until(30, 25_000)
    await following.close()
    await expectHonest(path, 30)
  })

  test('what one node has given up comes from another', slow, async () => {
    const { chain, first, second } = await twoNodes(30)
    await first.setFaults({ prunedBelow: 20, prunedStateBelow: 20 })
    const path = opened.folder()
    const following = await opened.follow(chain, [first, second], { path, from: 1 })
    await following.until(30)
    await following.close()
    expect(following.quarantined).toEqual([])
    await expectHonest(path, 30)
  })
})

describe('nodes that lie', () => {
  testSome(3, [
    ['tells a base fee that no header can hold', { alter: withHugeBaseFee }, 'base_fee of '],
    ['is of another chain', { chainId: 'other-1' }, 'is a node of chain other-1'],
    ['names calls that nobody made', { wrongIds: true }, 'which nobody made'],
    ['gives no JSON', { text: '<html>' }, 'not JSON'],
    ['tells a hash that is not the block’s', { wrongHashAt: 12 }, 'its hash is not that of its header'],
    ['tells the results of another block', { swappedResults: [11, 12] as const }, '1'],
  ])('a node that %s is quarantined, and said to be', async (_, faults, reason) => {
    const { chain, first, second } = await twoNodes(30)
    await first.setFaults(faults)
    const path = opened.folder()
    const following = await opened.follow(chain, [first, second], { path })
    await following.until(30)
    await following.close()
    const told = following.logs.filter((line) => line.includes('not asked for a while'))
    expect(told.length).toBe(1)
    expect(told[0]).toContain(first.url)
    expect(told[0]).toContain(reason)
    expect(told[0]).toContain('"seconds":60')
    await expectHonest(path, 30)
  })

  test(
    'a node whose height is lower after a reconnect is waited for, and not quarantined',
    slow,
    async () => {
      const { chain, replay, path, following } = await followOne(12)
      chain.head = 8
      const before = replay.asked.get('status') ?? 0
      await replay.restart(8)
      await eventually(() => (replay.asked.get('status') ?? 0) > before + 1)
      replay.grow(7)
      await following.until(15)
      await following.close()
      expect(following.quarantined).toEqual([])
      expectAscending(following)
      await expectHonest(path, 15)
    },
  )

  test('a late node is left as soon as the node whose line broke can be asked again', slow, async () => {
    const chain = createChain(30)
    const first = await opened.serve({ chain })
    const late = await opened.serve({ chain: createChain(20) })
    const path = opened.folder()
    const following = await opened.follow(chain, [first, late], { path })
    await following.until(30)
    const before = late.asked.get('block') ?? 0
    await first.restart(300)
    await eventually(() => (late.asked.get('block') ?? 0) > before)
    first.grow()
    await following.until(31)
    first.grow()
    await following.until(32)
    await following.close()
    expect(following.quarantined).toEqual([])
    await expectHonest(path, 32)
  })

  test('a node that stays at its own head is left for one that goes on', slow, async () => {
    const { chain, first, second } = await twoNodes(10)
    const path = opened.folder()
    const following = await opened.follow(chain, [first, second], { path })
    await following.until(10)
    second.grow(5)
    await following.until(15, 90_000)
    await following.close()
    expect(following.quarantined).toEqual([])
    expect(following.logs.join('\n')).toContain('it stays at 10 while another one is at 15')
    await expectHonest(path, 15)
  })

  test('a node of another chain is found out though its height is lower', async () => {
    const { chain, path, following } = await followOne(12)
    await following.close()
    const forked = await opened.serve({ chain: createChain(8, { seed: 4 }) })
    const again = await opened.follow(chain, [forked], { path })
    await eventually(() => again.quarantined.length > 0)
    await again.close()
    expect(again.quarantined.join()).toContain('is another than the one that was seen before')
  })

  test('another block at a height that was seen is not taken', async () => {
    const chain = createChain(10)
    const first = await opened.serve({ chain })
    const second = await opened.serve({ chain: createChain(12) })
    const path = opened.folder()
    const following = await opened.follow(chain, [second], { path })
    await following.until(12)
    await following.close()
    const forked = await opened.serve({ chain: createChain(14, { seed: 4 }) })
    const again = await opened.follow(chain, [forked, second], { path })
    second.grow(2)
    await again.until(14)
    await again.close()
    expect(again.logs.join('\n')).toContain('is another than the one that was seen before')
    await expectHonest(path, 14)
    expect(first.asked.size).toBe(0)
  })

  /** Of the newest block nobody but the node says what it did: its gas is made one more. */
  const lieOnce = (replay: Replay, height: number): Promise<void> =>
    replay.setFaults({
      alter: (method, result, params) => {
        if (method !== 'NewBlock' || params.height !== String(height)) return result
        const { data } = result as NewBlockTold
        for (const one of data.value.result_finalize_block.tx_results)
          one.gas_used = String(Number(one.gas_used) + 1)
        return result
      },
    })

  test('a newest block that proves wrong is rewritten, and who told it is quarantined', async () => {
    const { chain, first, second } = await twoNodes(10)
    const path = opened.folder()
    const following = await opened.follow(chain, [first, second], { path })
    await following.until(10)
    first.grow()
    second.grow()
    await following.until(11)
    await lieOnce(first, 12)
    first.grow()
    second.grow()
    await following.until(12)
    const environment = new LmdbEnvironment({ path, readOnly: true })
    opened.add(environment)
    const blocks = new BlockStoreReader(environment)
    const wrong = blocks.header(12)?.gasUsed as bigint
    expect(toHex(blocks.blockHashAt(12) as Uint8Array)).toBe(toHex(chain.built(12)?.hash as Uint8Array))
    first.grow()
    second.grow()
    await following.until(13)
    const correction = following.heads.filter(({ isCorrection }) => isCorrection)
    expect(correction.map(({ number }) => number)).toEqual([12])
    expect(following.quarantined[0]).toContain('is not what the next header says')
    expect(following.logs.some((line) => line.startsWith('error the newest block was wrong'))).toBe(true)
    environment.refresh()
    await eventually(() => blocks.header(12)?.gasUsed !== wrong)
    expect(blocks.header(12)?.gasUsed).toBe((wrong as bigint) - 2n)
    await following.close()
    await expectHonest(path, 13)
  })

  test('what a single node insists on against its own headers is not served on', async () => {
    const { replay, path, following } = await followOne(10)
    const raise = (results: { gas_used: string }[]): void => {
      for (const one of results) one.gas_used = String(Number(one.gas_used) + 1)
    }
    await replay.setFaults({
      alter: (method, result, params) => {
        if (params.height !== '12') return result
        const told = result as NewBlockTold & { txs_results: { gas_used: string }[] }
        if (method === 'NewBlock') raise(told.data.value.result_finalize_block.tx_results)
        if (method === 'block_results') raise(told.txs_results)
        return result
      },
    })
    for (const height of [11, 12]) {
      replay.grow()
      await following.until(height)
    }
    replay.grow()
    await eventually(() => following.quarantined.length > 0)
    expect(following.heads.at(-1)).toMatchObject({ number: 11, isCorrection: true })
    await following.close()
    expect(await inspect(path)).toEqual({ faults: [], first: 1, head: 11 })
  })

  test('so is one that was in the store when its teller was stopped', async () => {
    const { chain, first, second } = await twoNodes(10)
    const path = opened.folder()
    const following = await opened.follow(chain, [first], { path })
    await following.until(10)
    first.grow()
    second.grow()
    await following.until(11)
    await lieOnce(first, 12)
    first.grow()
    second.grow()
    await following.until(12)
    await following.close()
    first.grow()
    second.grow()
    const again = await opened.follow(chain, [second], { path })
    await again.until(13)
    await again.close()
    expect(again.heads.filter(({ isCorrection }) => isCorrection).length).toBe(1)
    await expectHonest(path, 13)
  })
})
