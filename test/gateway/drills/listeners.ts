import type { SyntheticChain } from '../replay/synthetic.ts'
import type { Counts } from './counts.ts'
import { type LogPlace, nextLog } from './truth.ts'
import type { Listener } from './watcher.ts'

/** Hears of heads: each has to follow the one before. */
export const createHeadListener = (counts: Counts, first: number): Listener => {
  let next = first
  return {
    kind: 'newHeads',
    // The last one is there wherever the next one may be, and is heard twice on purpose.
    resumeFrom: () => {
      next = Math.max(first, next - 1)
      return next
    },
    hear: ({ number }) => {
      counts.notifications++
      if (Number(number) !== next) counts.gaps++
      next = Number(number) + 1
    },
  }
}

/** Hears of logs: each has to be the one that follows in the chain. */
export const createLogListener = (counts: Counts, chain: SyntheticChain, first: number): Listener => {
  let last: LogPlace = { block: first - 1, index: Number.POSITIVE_INFINITY }
  let resumedFrom = first
  return {
    kind: 'logs',
    resumeFrom: () => {
      resumedFrom = Math.max(first, last.block)
      return resumedFrom
    },
    hear: ({ blockNumber, logIndex }) => {
      const place = { block: Number(blockNumber), index: Number(logIndex) }
      // What was heard of the block before the connection ended comes again.
      const isAgain = place.block === resumedFrom && place.block === last.block && place.index <= last.index
      if (isAgain) return
      counts.notifications++
      const expected = nextLog(chain, last)
      if (expected?.block !== place.block || expected.index !== place.index) counts.gaps++
      last = place
    },
  }
}
