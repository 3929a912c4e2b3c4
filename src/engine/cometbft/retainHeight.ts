import { evidenceAge } from './process/genesisDoc.ts'

export interface RetainOptions {
  /** How many states the application keeps; infinite: all. */
  readonly retainedStates: number
}

export interface RetainDependencies {
  readonly head: () => { readonly number: number; readonly time: bigint }
  /** Seconds; undefined where no header is kept, which is older than all that are. */
  readonly timeAt: (height: number) => bigint | undefined
  /** The blocks after the oldest snapshot bring whoever restores it up to the head. */
  readonly oldestSnapshot: () => number | undefined
}

/**
 * The height below which the engine may forget its blocks; zero: it keeps all. That is what is older than every state
 * that is kept, than every snapshot that is offered, and than evidence may be: a misdeed is punished as long as it is
 * younger than the engine's number of blocks or than its time, so that both have to be past.
 */
export const createRetainHeight = (
  { retainedStates }: RetainOptions,
  { head, timeAt, oldestSnapshot }: RetainDependencies,
): (() => number) => {
  /** Time does not go back, so that the answer does not either. */
  let last = 0
  return () => {
    if (retainedStates === Number.POSITIVE_INFINITY) return 0
    const { number, time } = head()
    const limit = Math.min(
      number - retainedStates + 1,
      number - evidenceAge.blocks,
      oldestSnapshot() ?? Number.POSITIVE_INFINITY,
    )
    const isOld = (height: number): boolean => {
      const at = timeAt(height)
      return at === undefined || time - at > BigInt(evidenceAge.seconds)
    }
    // Everything below `low` is old enough; at `high` nothing more is to be found.
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
