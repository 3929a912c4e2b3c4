import { LRUCache } from 'lru-cache'
import type { MaybePromise } from '../../base/async/maybePromise.ts'
import { equalBytes } from '../../base/encoding/bytes.ts'
import { TimeSlice } from '../../base/threads/timeSlice.ts'
import type { BlockReader } from '../../chain/port/blocks.ts'
import { requestTimedOut, unavailable } from '../../rpc/errors.ts'

type Headers = Pick<BlockReader, 'header' | 'hash'>

/** The difficulty of all blocks up to one together. */
interface Sum {
  readonly hash: Uint8Array
  readonly total: bigint
}

/** How many sums are kept of a chain, and of how many blocks there is one among them. */
const maxSums = 4096
const sumInterval = 1024

/** The sums that are known of each chain, by the numbers of their blocks. */
const sumsOfChains = new WeakMap<Headers, LRUCache<number, Sum>>()

const sumsOf = (blocks: Headers): LRUCache<number, Sum> => {
  const known = sumsOfChains.get(blocks)
  if (known !== undefined) return known
  const added = new LRUCache<number, Sum>({ max: maxSums })
  sumsOfChains.set(blocks, added)
  return added
}

/** Adds up difficulties from the nearest block below whose sum is known. */
class Addition {
  readonly #blocks: Headers
  readonly #sums: LRUCache<number, Sum>
  readonly #number: number
  readonly #hash: Uint8Array | undefined
  #height = 0
  total: bigint

  constructor(blocks: Headers, number: number) {
    this.#blocks = blocks
    this.#sums = sumsOf(blocks)
    this.#number = number
    this.#hash = blocks.hash(number)
    this.total = blocks.header(0)?.difficulty ?? 0n
    this.#startAtKnown()
  }

  /** Adds until the slice is over. Returns false if there is more. */
  run(slice: TimeSlice): boolean {
    while (this.#height < this.#number) {
      const { difficulty } = this.#blocks.header(this.#height + 1) ?? { difficulty: 0n }
      if (difficulty === 0n) break
      this.#height++
      this.total += difficulty
      if (this.#height % sumInterval === 0) this.#keep()
      if (slice.isOver) return false
    }
    this.#keep()
    return true
  }

  /** Throws if the block is not the one for which this was begun. */
  check(): void {
    if (this.#hash !== undefined && !this.#isAt(this.#number, this.#hash))
      throw unavailable('blocks were reverted while they were read; try again')
  }

  #startAtKnown(): void {
    for (;;) {
      let nearest = 0
      for (const height of this.#sums.keys()) if (height > nearest && height <= this.#number) nearest = height
      const known = this.#sums.get(nearest)
      if (known === undefined) return
      if (this.#isAt(nearest, known.hash)) {
        this.#height = nearest
        this.total = known.total
        return
      }
      // Of a block that was reverted.
      this.#sums.delete(nearest)
    }
  }

  #isAt(number: number, hash: Uint8Array): boolean {
    const now = this.#blocks.hash(number)
    return now !== undefined && equalBytes(now, hash)
  }

  #keep(): void {
    const hash = this.#height > 0 ? this.#blocks.hash(this.#height) : undefined
    if (hash !== undefined) this.#sums.set(this.#height, { hash, total: this.total })
  }
}

/**
 * Returns the difficulty of all blocks up to a height together. Blocks of an engine have none: those of proof of work, which
 * come first, are added up, between other work where they are many.
 */
export const totalDifficulty = (
  blocks: Headers,
  number: number,
  signal: AbortSignal,
): MaybePromise<bigint> => {
  const addition = new Addition(blocks, number)
  const slice = TimeSlice.inTurn()
  return addition.run(slice) ? addition.total : addInSlices(addition, slice, signal)
}

const addInSlices = async (addition: Addition, slice: TimeSlice, signal: AbortSignal): Promise<bigint> => {
  do {
    await slice.next()
    if (signal.aborted) throw requestTimedOut()
    addition.check()
  } while (!addition.run(slice))
  return addition.total
}
