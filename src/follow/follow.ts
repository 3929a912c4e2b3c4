import { sleep } from '../base/async/sleep.ts'
import type { BlockFetcher, FollowedBlock } from './blockFetcher.ts'
import { FollowError } from './followError.ts'
import type { Output } from './output.ts'

export interface FollowOptions {
  /** The first block, if no run before has left a cursor. */
  readonly from: number | undefined
  /** The last block; undefined to go on with the chain. */
  readonly to: number | undefined
  readonly traces: boolean
  readonly pollMs: number
  readonly onProgress: (progress: FollowProgress) => void
}

export interface FollowProgress {
  /** The number of blocks that were written in this run. */
  readonly blocks: number
  readonly transactions: number
  readonly number: number
  readonly target: number
}

/** Until then what was written is not saved, at most: a kill costs no more than this to write again. */
const saveEveryMs = 1000

/** Writes every block of a node to an output, each once and in order, until the last one or the signal. */
export class Follower {
  readonly #options: FollowOptions
  readonly #fetcher: BlockFetcher
  readonly #output: Output
  readonly #signal: AbortSignal
  #next = 0
  #hash = ''
  #chainId = ''
  #blocks = 0
  #transactions = 0
  #savedAt = 0

  constructor(
    options: FollowOptions,
    dependencies: { readonly fetcher: BlockFetcher; readonly output: Output; readonly signal: AbortSignal },
  ) {
    this.#options = options
    this.#fetcher = dependencies.fetcher
    this.#output = dependencies.output
    this.#signal = dependencies.signal
  }

  async run(): Promise<{ readonly blocks: number; readonly transactions: number; readonly next: number }> {
    await this.#begin()
    const { to, pollMs } = this.#options
    this.#savedAt = performance.now()
    while (!this.#signal.aborted && (to === undefined || this.#next <= to)) {
      const head = await this.#fetcher.head()
      const target = Math.min(head, to ?? head)
      if (target < this.#next) await sleep(pollMs, this.#signal)
      else await this.#writeUpTo(target, this.#output.lastBeside?.(this.#next))
    }
    return { blocks: this.#blocks, transactions: this.#transactions, next: this.#next }
  }

  /** Goes on where the run before ended, if this is the same chain. */
  async #begin(): Promise<void> {
    const { from, traces } = this.#options
    this.#chainId = await this.#fetcher.chainId()
    const { cursor } = this.#output
    if (cursor === undefined) {
      this.#next = from ?? 0
      // What a run that is killed before its first save leaves is known to be its own.
      return await this.#save()
    }
    if (cursor.chainId !== this.#chainId)
      throw new FollowError(
        `the cursor is of chain ${Number(cursor.chainId)}, the node of ${Number(this.#chainId)}`,
      )
    if (cursor.traces !== traces)
      throw new FollowError(
        `the run before was ${cursor.traces ? 'with' : 'without'} --traces: go on so, or begin in another folder`,
      )
    if (cursor.hash !== '' && (await this.#fetcher.hashOf(cursor.next - 1)) !== cursor.hash)
      throw new FollowError(
        `block ${cursor.next - 1} of the node is not the one that was written: another chain, or one that was reverted`,
      )
    this.#next = cursor.next
    this.#hash = cursor.hash
  }

  async #writeUpTo(target: number, last = target): Promise<void> {
    const output = this.#output
    const read = this.#fetcher.read(this.#next, Math.min(target, last), () => output.createBatch())
    for await (const { blocks, batch } of read) {
      for (const block of blocks) this.#take(block)
      await output.write(batch, blocks.length)
      this.#options.onProgress({
        ...{ blocks: this.#blocks, transactions: this.#transactions },
        ...{ number: this.#next - 1, target },
      })
      if (performance.now() - this.#savedAt > saveEveryMs) await this.#save()
      if (this.#signal.aborted) break
    }
    await this.#save()
  }

  /** Counts the next block, if it is the one after the block before. */
  #take({ number, hash, parentHash, transactions }: FollowedBlock): void {
    if (this.#hash !== '' && parentHash !== this.#hash)
      throw new FollowError(
        `block ${number} does not follow block ${number - 1}: the chain was reverted meanwhile`,
      )
    this.#hash = hash
    this.#next = number + 1
    this.#blocks++
    this.#transactions += transactions
  }

  async #save(): Promise<void> {
    const { to = Number.POSITIVE_INFINITY, traces } = this.#options
    const place = { version: 1, chainId: this.#chainId, next: this.#next, hash: this.#hash, traces } as const
    await this.#output.save(place, this.#next > to)
    this.#savedAt = performance.now()
  }
}
