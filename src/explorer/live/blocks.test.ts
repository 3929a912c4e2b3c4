import { describe, expect, test } from 'vitest'
import type { Block, Hex } from '../rpc/types.ts'
import { type BlockSummary, maxKept, RecentBlocks } from './blocks.ts'

/** A chain whose blocks can be replaced. */
const createChain = (length: number) => {
  let hashes = Array.from({ length }, (_, number) => `${number}a`)
  let asked = 0
  return {
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
      blocks: async (numbers: readonly Hex[]): Promise<readonly (Block | null)[]> => {
        asked++
        await Promise.resolve()
        return numbers.map((hex) => {
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
      },
    },
  }
}

const follow = (chain: ReturnType<typeof createChain>) => {
  let shown: readonly BlockSummary[] = []
  const blocks = new RecentBlocks(chain.source, (list) => {
    shown = list
  })
  return { blocks, shown: () => shown }
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
    await blocks.advance(9, '9a')
    expectWhole(shown(), chain)
    chain.grow(300)
    await blocks.advance(309, '309a')
    expectWhole(shown(), chain)
    expect(shown().length).toBe(310)
  })

  test('after a long absence it begins anew, with no more than is kept', async () => {
    const chain = createChain(10)
    const { blocks, shown } = follow(chain)
    await blocks.advance(9)
    chain.grow(5 * maxKept)
    await blocks.advance(chain.head())
    expectWhole(shown(), chain)
    expect(shown().length).toBe(maxKept)
  })

  test('blocks that others replaced are dropped', async () => {
    const chain = createChain(30)
    const { blocks, shown } = follow(chain)
    await blocks.advance(29)
    chain.cut(20)
    chain.grow(15, 'b')
    await blocks.advance(34, '34b')
    expectWhole(shown(), chain)
    chain.cut(10)
    chain.grow(1, 'c')
    await blocks.advance(10, '10c')
    expectWhole(shown(), chain)
  })

  test('a chain that went back is followed back', async () => {
    const chain = createChain(30)
    const { blocks, shown } = follow(chain)
    await blocks.advance(29)
    chain.cut(12)
    await blocks.advance(11)
    expectWhole(shown(), chain)
  })

  test('heads that come while others are fetched cost no request of their own', async () => {
    const chain = createChain(200)
    const { blocks, shown } = follow(chain)
    await blocks.advance(99)
    const before = chain.asked
    await Promise.all(
      Array.from({ length: 40 }, (_, index) => blocks.advance(100 + index, `${100 + index}a`)),
    )
    chain.cut(140)
    expectWhole(shown(), chain)
    expect(chain.asked - before).toBeLessThan(5)
  })

  test('older ones are added for as long as they are young enough', async () => {
    const chain = createChain(120)
    const { blocks, shown } = follow(chain)
    await blocks.advance(119)
    expect(await blocks.extend(0)).toBe(true)
    expectWhole(shown(), chain)
    expect(await blocks.extend(2)).toBe(false)
    while (await blocks.extend(0));
    expect(shown().length).toBe(120)
    expectWhole(shown(), chain)
  })
})
