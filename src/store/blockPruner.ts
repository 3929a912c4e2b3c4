import { sleep } from '../base/async/sleep.ts'
import type { Logger } from '../base/logging/log.ts'

/** What one step removes at most, so that whoever writes next does not wait long: blocks, and transactions in them. */
export const pruneStep = { blocks: 64, transactions: 500 } as const

/** The most blocks that wait until they are pruned together, as every step is synced to the disk. */
const largestBatch = 64
/** The pause between two steps, and how much longer it is than the step before: blocks take most of the writer's time. */
const pauseMs = 5
const pauseFactor = 2
/** With fewer blocks than these a head that is reverted might be the oldest block. */
const fewestBlocks = 2

export interface BlockPrunerOptions {
  /** How many of the newest blocks are kept, at least. */
  readonly retainedBlocks: number
}

export interface BlockPrunerDependencies {
  readonly head: () => number
  /** Returns the oldest block that is kept. */
  readonly oldest: () => number
  /** Prunes some of the blocks below a height, in one transaction, and returns the oldest block that is kept now. */
  readonly prune: (height: number) => Promise<number>
  readonly log: Logger
}

/**
 * Prunes the blocks behind the head, a step at a time, as soon as a few of them are to be pruned. Each step moves the oldest
 * block in the transaction that removes the ones before it, so that it can end at any moment.
 */
export class BlockPruner {
  readonly #dependencies: BlockPrunerDependencies
  readonly #retained: number
  readonly #batch: number
  readonly #stopping = new AbortController()
  #running: Promise<void> | undefined

  constructor({ retainedBlocks }: BlockPrunerOptions, dependencies: BlockPrunerDependencies) {
    this.#retained = Math.max(retainedBlocks, fewestBlocks)
    this.#batch = Math.min(largestBatch, Math.ceil(this.#retained / 8))
    this.#dependencies = dependencies
  }

  /** Looks whether there is something to prune, after the head moved. */
  wake(): void {
    if (this.#running !== undefined || this.#stopping.signal.aborted) return
    if (this.#target() - this.#dependencies.oldest() < this.#batch) return
    this.#running = this.#run().finally(() => {
      this.#running = undefined
    })
  }

  /** Resolves when the step that is under way has ended; there is no other one after it. */
  async stop(): Promise<void> {
    this.#stopping.abort()
    await this.#running
  }

  async #run(): Promise<void> {
    const { oldest, prune, log } = this.#dependencies
    const { signal } = this.#stopping
    try {
      for (let kept = oldest(); kept < this.#target() && !signal.aborted; ) {
        const startedAt = performance.now()
        const next = await prune(this.#target())
        if (next <= kept) return
        kept = next
        await sleep(Math.max(pauseMs, pauseFactor * (performance.now() - startedAt)), signal)
      }
    } catch (error) {
      // The next head tries again.
      if (!signal.aborted) log.warn({ err: error }, 'blocks could not be pruned')
    }
  }

  /** Returns the oldest block that must be kept. */
  #target(): number {
    return this.#dependencies.head() - this.#retained + 1
  }
}
