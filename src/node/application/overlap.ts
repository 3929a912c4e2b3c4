import { heightsLimit } from '../../state/history/prune.ts'

/** What a block takes apart from its transactions and its sync, in milliseconds, about. */
const blockMs = 5
/**
 * After so many blocks one is waited for: the time of a sync is known only if nothing is executed meanwhile, and states are
 * pruned only by a block that does not begin on one under way, for those before it too. One more than these is less than
 * what such a block prunes, so that a store whose mode was changed gets there.
 */
const maxInARow = heightsLimit - 2

/** How long the execution of the next block may take, in times of a sync. */
const maxDelay = 2

export interface ExecutedBlockMeasures {
  /** How long the execution of the block took, and how many transactions it has. */
  readonly executeMs: number
  readonly transactions: number
  /** How many others wait for the next one. */
  readonly waiting: number
}

/**
 * Decides whether the next block is begun while one is on its way to the disk. The alternative is one block for all: those
 * who wait, and those of this one who send again when they are answered. That costs one sync and the overhead of one block
 * less; to begin at once hides the sync behind the execution. So a sync has to be longer than that overhead, and not so
 * long that the execution of all of them takes less. Whoever waits for this block is answered after the next one is
 * executed, by the same thread: that may not take much longer than the sync.
 */
export class OverlapChoice {
  #syncMs = 0
  #inARow = 0

  /** Records how long a commit waited for the disk while nothing was executed. */
  onSync(milliseconds: number): void {
    this.#syncMs = milliseconds
    this.#inARow = 0
  }

  isWorthwhile({ executeMs, transactions, waiting }: ExecutedBlockMeasures): boolean {
    if (transactions === 0 || 2 * waiting < transactions) return false
    const executeAllMs = executeMs * (1 + waiting / transactions)
    if (this.#syncMs <= blockMs || this.#syncMs >= executeAllMs) return false
    if (executeAllMs - executeMs > maxDelay * this.#syncMs) return false
    return ++this.#inARow <= maxInARow
  }
}
