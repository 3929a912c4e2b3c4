import { describe, expect, test } from 'vitest'
import type { Block, Hex } from '../rpc/types.ts'
import { type BlockSummary, maxKept, RecentBlocks } from './blocks.ts'

/** A chain whose blocks can be replaced. */
const createChain = (length: number) => {
  let hashes = Array.from({ length }, (_, number) => `${number}a`)
  let asked = 0
  let askedNewest = 0
  const held: { newest?: Promise<void>; blocks?: Promise<void> } = {}
  return {
    /** Keeps answers of a kind on their way, until the function that is returned is called; the next ones come at once. */
    hold: (kind: keyof typeof held) => {
      let release = (): void => {}
      held[kind] = new Promise((resolve) => {
        release = resolve
      })
      return () => release()
    },
    get askedNewest() {
      return askedNewest
    },
    get asked() {
      return asked
    },
    head: () => hashes.length - 1,
    hashOf: (number: number) => hashes[number],
    grow: (count: number, mark = 'a') => {
      for (let added = 0; added < count; added++) hashes.push(`${hashes.length}${mark}`)
    },
    cut: (from: number) => {
      hashes = hashes.slice(0, from)
    },
    source: {
      newest: async () => {
        askedNewest++
        const newest = { number: hashes.length - 1, hash: hashes.at(-1) ?? '' }
        const gate = held.newest
        delete held.newest
        await gate
        return newest
      },
      blocks: async (numbers: readonly Hex[]): Promise<readonly (Block | null)[]> => {
        asked++
        const found = numbers.map((hex) => {
          const number = Number(hex)
          const hash = hashes[number]
          if (hash === undefined) return null
          const block = {
            number: hex,
            hash,
            parentHash: hashes[number - 1] ?? 'none',
            timestamp: '0x1',
            transactions: [],
          }
          return block as unknown as Block
        })
        const gate = held.blocks
        delete held.blocks
        await gate
        return found
      },
    },
  }
}

const follow = (chain: ReturnType<typeof createChain>) => {
  let shown: readonly BlockSummary[] = []
  let replaced = 0
  const blocks = new RecentBlocks(
    chain.source,
    (list) => {
      shown = list
    },
    () => replaced++,
  )
  return { blocks, shown: () => shown, replaced: () => replaced }
}

const expectWhole = (shown: readonly BlockSummary[], chain: ReturnType<typeof createChain>): void => {
  expect(shown.at(-1)?.number).toBe(chain.head())
  for (const [index, block] of shown.entries()) {
    expect(block.hash).toBe(chain.hashOf(block.number))
    if (index > 0) expect(block.number).toBe((shown[index - 1] as BlockSummary).number + 1)
  }
}

describe('the newest blocks', () => {
  test('what was missed is fetched before newer blocks are shown', async () => {
    const chain = createChain(10)
    const { blocks, shown } = follow(chain)
    await blocks.announce(9, '9a')
    expectWhole(shown(), chain)
    chain.grow(300)
    await blocks.announce(309, '309a')
    expectWhole(shown(), chain)
    expect(shown().length).toBe(310)
  })

  test('after a long absence it starts over, with no more than is kept', async () => {
    const chain = createChain(10)
    const { blocks, shown } = follow(chain)
    await blocks.catchUp()
    chain.grow(5 * maxKept)
    await blocks.catchUp()
    expectWhole(shown(), chain)
    expect(shown().length).toBe(maxKept)
  })

  test('blocks that others replaced are dropped', async () => {
    const chain = createChain(30)
    const { blocks, shown } = follow(chain)
    await blocks.catchUp()
    chain.cut(20)
    chain.grow(15, 'b')
    await blocks.announce(34, '34b')
    expectWhole(shown(), chain)
    chain.cut(10)
    chain.grow(1, 'c')
    await blocks.announce(10, '10c')
    expectWhole(shown(), chain)
  })

  test('a chain that went back is followed back', async () => {
    const chain = createChain(30)
    const { blocks, shown } = follow(chain)
    await blocks.catchUp()
    chain.cut(12)
    await blocks.catchUp()
    expectWhole(shown(), chain)
  })

  test.each([
    ['higher', 60],
    ['as high', 30],
    ['lower', 12],
  ])('another chain that is %s takes the place of the one before', async (_, length) => {
    const chain = createChain(30)
    const { blocks, shown, replaced } = follow(chain)
    await blocks.catchUp()
    expect(replaced()).toBe(0)
    chain.cut(0)
    chain.grow(length, 'z')
    await blocks.catchUp()
    expectWhole(shown(), chain)
    expect(replaced()).toBe(1)
  })

  test('a head that comes late changes nothing', async () => {
    const chain = createChain(30)
    const { blocks, shown, replaced } = follow(chain)
    await blocks.catchUp()
    await blocks.announce(27, '27a')
    expectWhole(shown(), chain)
    expect(replaced()).toBe(0)
  })

  test.each([
    ['that is shown', 12],
    // Of a long chain the newest fifty are shown at first.
    ['that is not shown any more', 60],
  ])('a head %s, which the chain went back to, is followed back', async (_, height) => {
    const chain = createChain(200)
    const { blocks, shown, replaced } = follow(chain)
    await blocks.catchUp()
    if (height === 12) while (await blocks.extend(0));
    chain.cut(height + 1)
    await blocks.announce(height, `${height}a`)
    expectWhole(shown(), chain)
    expect(replaced()).toBe(1)
  })

  test('a head that the chain went back to while newer ones were fetched is followed back', async () => {
    const chain = createChain(30)
    const { blocks, shown } = follow(chain)
    const release = chain.hold('blocks')
    const following = blocks.announce(29, '29a')
    chain.cut(13)
    const back = blocks.announce(12, '12a')
    await new Promise((resolve) => setTimeout(resolve))
    release()
    await Promise.all([following, back])
    expectWhole(shown(), chain)
  })

  test('many heads that come late are two requests at most, and none is needed for the next block', async () => {
    const chain = createChain(30)
    const { blocks, shown, replaced } = follow(chain)
    await blocks.catchUp()
    const before = chain.askedNewest
    const late = Array.from({ length: 20 }, (_, index) => blocks.announce(5 + index, `${5 + index}a`))
    await Promise.all(late)
    expect(chain.askedNewest - before).toBeLessThanOrEqual(2)
    const after = chain.askedNewest
    chain.grow(1)
    await blocks.announce(30, '30a')
    expectWhole(shown(), chain)
    expect([replaced(), chain.askedNewest - after]).toEqual([0, 0])
  })

  test('a late head of a chain that was left does not hide newer blocks', async () => {
    const chain = createChain(30)
    const { blocks, shown } = follow(chain)
    await blocks.catchUp()
    chain.cut(20)
    chain.grow(5, 'b')
    await blocks.catchUp()
    await blocks.announce(21, '21a')
    expectWhole(shown(), chain)
  })

  test('a response that is older than what was announced since does not revert the chain', async () => {
    const chain = createChain(30)
    const { blocks, shown, replaced } = follow(chain)
    await blocks.catchUp()
    const release = chain.hold('newest')
    const answer = blocks.catchUp()
    chain.grow(2)
    await blocks.announce(31, '31a')
    const before = chain.asked
    release()
    await answer
    expectWhole(shown(), chain)
    expect([replaced(), chain.asked - before]).toEqual([0, 0])
  })

  test('a response that a later request overtook does not revert the chain', async () => {
    const chain = createChain(30)
    const { blocks, shown, replaced } = follow(chain)
    await blocks.catchUp()
    const release = chain.hold('newest')
    const first = blocks.catchUp()
    chain.grow(2)
    await blocks.catchUp()
    release()
    await first
    expectWhole(shown(), chain)
    expect(replaced()).toBe(0)
  })

  test('a head that comes late while newer ones are fetched does not stop them', async () => {
    const chain = createChain(10)
    const { blocks, shown } = follow(chain)
    await blocks.catchUp()
    chain.grow(200)
    await Promise.all([blocks.announce(209, '209a'), blocks.announce(20, '20a')])
    expectWhole(shown(), chain)
  })

  test('blocks that were on their way when the chain went back are not shown', async () => {
    const chain = createChain(30)
    const { blocks, shown, replaced } = follow(chain)
    const release = chain.hold('blocks')
    const following = blocks.announce(29, '29a')
    chain.cut(12)
    const answer = blocks.catchUp()
    await new Promise((resolve) => setTimeout(resolve))
    release()
    await Promise.all([following, answer])
    expectWhole(shown(), chain)
    expect(replaced()).toBe(1)
  })

  test.each([
    ['blocks that follow nothing', (number: number) => ({ number, parentHash: 'none' })],
    ['one block for all', () => ({ number: 3, parentHash: '3' })],
    ['no numbers', () => ({ number: 'x', parentHash: 'x' })],
  ])('a node that gives %s is not asked forever', async (_, lie) => {
    let asked = 0
    const source = {
      newest: async () => ({ number: 5000, hash: 'x' }),
      blocks: async (numbers: readonly Hex[]) => {
        asked++
        return numbers.map((hex) => {
          const { number, parentHash } = lie(Number(hex))
          return { number, hash: `${number}`, parentHash, timestamp: '0x1', transactions: [] } as never
        })
      },
    }
    const blocks = new RecentBlocks(source, () => {})
    await blocks.catchUp()
    for (const number of [5001, Number.NaN, -1, 1e300]) await blocks.announce(number, 'x')
    expect(asked).toBeLessThan(100)
  })

  test('heads that come while others are fetched cost no request of their own', async () => {
    const chain = createChain(100)
    const { blocks, shown } = follow(chain)
    await blocks.catchUp()
    chain.grow(40)
    const before = chain.asked
    await Promise.all(
      Array.from({ length: 40 }, (_, index) => blocks.announce(100 + index, `${100 + index}a`)),
    )
    expectWhole(shown(), chain)
    expect(chain.asked - before).toBeLessThan(5)
  })

  test('older ones are added for as long as they are young enough', async () => {
    const chain = createChain(120)
    const { blocks, shown } = follow(chain)
    await blocks.catchUp()
    expect(await blocks.extend(0)).toBe(true)
    expectWhole(shown(), chain)
    expect(await blocks.extend(2)).toBe(false)
    while (await blocks.extend(0));
    expect(shown().length).toBe(120)
    expectWhole(shown(), chain)
  })
})
