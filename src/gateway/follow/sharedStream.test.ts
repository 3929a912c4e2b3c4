import { expect, test } from 'vitest'
import type { NativeBlockWithResults } from './blockSource.ts'
import { minSharedPrefetch, streamShared } from './sharedStream.ts'

const toPair = (height: number) => ({ block: { header: { height } } }) as NativeBlockWithResults // all that is read here

/** A source whose blocks are large from a height on, which counts what it has given. */
class FakeSource {
  prefetch = 2 * minSharedPrefetch
  readonly given: number[] = []
  readonly #largeFrom: number

  constructor(largeFrom = Number.POSITIVE_INFINITY) {
    this.#largeFrom = largeFrom
  }

  async *stream(from: number, to: number): AsyncGenerator<NativeBlockWithResults> {
    for (let height = from; height <= to; height++) {
      await Promise.resolve()
      if (height >= this.#largeFrom) this.prefetch = 2
      this.given.push(height)
      yield toPair(height)
    }
  }
}

const turn = () => new Promise((resolve) => setImmediate(resolve))

test('the blocks of several sources come in their order, each once', async () => {
  const [lead, ...helpers] = [new FakeSource(), new FakeSource(), new FakeSource()]
  const heights: number[] = []
  for await (const { block } of streamShared({ lead, helpers }, 5, 700)) heights.push(block.header.height)
  expect(heights).toEqual(Array.from({ length: 696 }, (_, index) => 5 + index))
  for (const { given } of [lead, ...helpers]) expect(given.length).toBeGreaterThan(31)
})

test('blocks that become large are not fetched ahead in spans', async () => {
  const largeFrom = 101
  const sources = [new FakeSource(largeFrom), new FakeSource(largeFrom), new FakeSource(largeFrom)] as const
  const [lead, ...helpers] = sources
  const heights: number[] = []
  let most = 0
  for await (const { block } of streamShared({ lead, helpers }, 1, 700)) {
    heights.push(block.header.height)
    // Whatever can be fetched before the next one is taken is fetched.
    for (let i = 0; i < 100 && block.header.height < 150; i++) await turn()
    const large = sources.flatMap(({ given }) => given.filter((height) => height >= largeFrom))
    most = Math.max(most, large.length - Math.max(0, block.header.height - largeFrom))
  }
  expect(heights).toEqual(Array.from({ length: 700 }, (_, index) => 1 + index))
  // One of each span that was under way, after which it ends.
  expect(most).toBeLessThanOrEqual(2 * sources.length + 1)
})
