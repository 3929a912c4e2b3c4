import { afterEach, describe, expect, test } from 'vitest'
import { toHex } from '../../../src/base/encoding/hex.ts'
import { LmdbEnvironment } from '../../../src/base/lmdb/lmdb.ts'
import { NativeBlockInfoReader } from '../../../src/families/convert/nativeBlockInfo.ts'
import { BlockStoreReader } from '../../../src/store/blockStoreReader.ts'
import { describeSome, slow } from '../../support/slow.ts'
import { families } from '../replay/families.ts'
import { SyntheticChain } from '../replay/synthetic.ts'
import { follow, inspect, Opened } from './harness.ts'

const opened = new Opened()
afterEach(() => opened.closeAll())

describeSome(2, families.toReversed())('a chain of the family %s', (family) => {
  test('is taken from its first block on, followed, and kept with its native side', slow, async () => {
    const chain = new SyntheticChain({ family, length: 40, seed: 7 })
    const replay = await opened.serve({ chain })
    const path = opened.folder()
    const following = await opened.follow(chain, [replay], { path })
    await following.until(40)
    for (let height = 41; height <= 50; height++) {
      replay.grow()
      await following.until(height)
    }
    await following.close()
    const first = family === 'perihelion' ? 0 : 1
    expect(await inspect(path)).toEqual({ faults: [], first, head: 50 })
    expect(following.heads.slice(-10).map(({ number }) => number)).toEqual([
      41, 42, 43, 44, 45, 46, 47, 48, 49, 50,
    ])
    const environment = new LmdbEnvironment({ path, readOnly: true })
    opened.add(environment)
    const blocks = new BlockStoreReader(environment)
    const facts = new NativeBlockInfoReader(environment)
    let transactions = 0
    for (let height = 1; height <= 50; height++) {
      const built = chain.built(height)
      const kept = facts.at(height)
      expect(kept?.height).toBe(height)
      expect(kept?.transactions.length).toBe(built?.natives.length)
      for (const [index, { hash, ethereumIndexes }] of (kept?.transactions ?? []).entries()) {
        expect(facts.locate(hash)).toEqual({ number: height, index })
        transactions += ethereumIndexes.length
      }
      expect(kept?.transactions.flatMap(({ ethereumIndexes }) => ethereumIndexes).length).toBe(
        blocks.transactionCount(height),
      )
      expect(facts.numberOf(kept?.hash as Uint8Array)).toBe(height)
      if (family !== 'perihelion')
        expect(toHex(blocks.header(height)?.beneficiary as Uint8Array)).toBe(
          toHex(built?.miner as Uint8Array),
        )
    }
    expect(transactions).toBeGreaterThan(50)
  })
})

describe('following', () => {
  test('a block at the head needs no query where its event carries everything', async () => {
    const chain = new SyntheticChain({ family: 'cosmos-evm-0.7', length: 5 })
    const replay = await opened.serve({ chain })
    const following = await opened.follow(chain, [replay], { path: opened.folder() })
    await following.until(5)
    replay.grow(3)
    await following.until(8)
    const before = new Map(replay.asked)
    for (let height = 9; height <= 20; height++) {
      replay.grow()
      await following.until(height)
    }
    expect(replay.asked.get('block')).toBe(before.get('block'))
    expect(replay.asked.get('block_results')).toBe(before.get('block_results'))
  })

  test('begins where it is told to, and refuses what no node has', async () => {
    const chain = new SyntheticChain({ family: 'cosmos-evm-0.5', length: 30 })
    const replay = await opened.serve({ chain })
    const path = opened.folder()
    const following = await opened.follow(chain, [replay], { path, from: 12 })
    await following.until(30)
    await following.close()
    expect(await inspect(path)).toEqual({ faults: [], first: 12, head: 30 })
    await replay.setFaults({ prunedBelow: 20 })
    const late = await opened.follow(chain, [replay], { path: opened.folder(), from: 12 })
    await expect(late.until(30)).rejects.toThrow('no node has block 12: the earliest that one has is 20')
    const own = await opened.follow(chain, [replay], { path: opened.folder() })
    await own.until(30)
    expect(own.heads[0]?.number).toBeGreaterThanOrEqual(20)
  })

  test('waits for the next block as its first, and not for one that is far away', async () => {
    const chain = new SyntheticChain({ family: 'cosmos-evm-0.5', length: 30, content: 'empty' })
    const replay = await opened.serve({ chain })
    const early = await opened.follow(chain, [replay], { path: opened.folder(), from: 32 })
    await expect(early.until(32)).rejects.toThrow('no node has block 32 yet (gateway.from)')
    const next = await opened.follow(chain, [replay], { path: opened.folder(), from: 31 })
    replay.grow(2)
    await next.until(32)
    expect(next.heads[0]?.number).toBe(31)
  })

  test('goes on with a node that keeps nothing below the next block', async () => {
    const chain = new SyntheticChain({ family: 'cosmos-evm-0.5', length: 20, content: 'empty' })
    const replay = await opened.serve({ chain })
    const path = opened.folder()
    const first = await opened.follow(chain, [replay], { path })
    await first.until(20)
    await first.close()
    replay.grow(10)
    await replay.setFaults({ prunedBelow: 21 })
    const second = await opened.follow(chain, [replay], { path })
    await second.until(30)
    await second.close()
    expect(await inspect(path)).toEqual({ faults: [], first: 1, head: 30 })
  })

  test('goes on where it was, and refuses the store of another chain', slow, async () => {
    const chain = new SyntheticChain({ family: 'cosmos-evm-0.5', length: 30 })
    const replay = await opened.serve({ chain })
    const path = opened.folder()
    const first = await opened.follow(chain, [replay], { path })
    await first.until(30)
    await first.close()
    replay.grow(20)
    const asked = replay.asked.get('block') ?? 0
    const second = await opened.follow(chain, [replay], { path })
    expect(second.service.head()?.number).toBe(30)
    await second.until(50)
    await second.close()
    expect((replay.asked.get('block') ?? 0) - asked).toBeLessThanOrEqual(22)
    expect(await inspect(path)).toEqual({ faults: [], first: 1, head: 50 })
    const other = new SyntheticChain({ family: 'cosmos-evm-0.5', length: 3, nativeChainId: 'other-1' })
    await expect(follow(other, [await opened.serve({ chain: other })], { path })).rejects.toThrow(
      /has blocks of chain .*: name nodes of the first, or choose another --home/,
    )
  })
})
