import { evidenceAge } from './genesisDoc.ts'

export interface RetainOptions {
  /** The number of blocks that the operator wants to retain, or else of the states that are retained; infinite if all. */
  readonly retained: number
}

export interface RetainDependencies {
  readonly head: () => { readonly number: number; readonly time: bigint }
  /**
   * Returns the time of a block in seconds; undefined if its header was pruned, so that it is older than all others.
   */
  readonly timeAt: (height: number) => bigint | undefined
  /** Returns the height of the oldest snapshot. A node that restores it needs the blocks after it. */
  readonly oldestSnapshot: () => number | undefined
}

/**
 * Returns a function that computes the height below which the engine may prune its blocks; zero if it keeps all. Blocks
 * are pruned if they are older than what is retained, every offered snapshot, and the evidence age. Evidence is
 * valid while it is younger than either the engine's number of blocks or its duration, so both limits must have passed.
 */
export const createRetainHeight = (
  { retained }: RetainOptions,
  { head, timeAt, oldestSnapshot }: RetainDependencies,
): (() => number) => {
  /** The last result. Time never goes back, so results never decrease. */
  let last = 0
  return () => {
    if (retained === Number.POSITIVE_INFINITY) return 0
    const { number, time } = head()
    const limit = Math.min(
      number - retained + 1,
      number - evidenceAge.blocks,
      oldestSnapshot() ?? Number.POSITIVE_INFINITY,
    )
    const isOld = (height: number): boolean => {
      const at = timeAt(height)
      return at === undefined || time - at > BigInt(evidenceAge.seconds)
    }
    // Everything below `low` is old enough; `high` is not.
    let low = last
    let high = limit
    while (low < high) {
      const middle = Math.ceil((low + high) / 2)
      if (isOld(middle - 1)) low = middle
      else high = middle - 1
    }
    last = Math.max(last, low)
    return last <= 1 ? 0 : Math.min(last, Math.max(limit, 0))
  }
}
