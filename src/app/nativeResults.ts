import { LogSpace } from '../cosmos/results/events.ts'
import {
  type NativeResult,
  proposerResult,
  type ResultBlock,
  toIncludedResult,
  toRejectedResult,
  toRejection,
} from '../cosmos/results/results.ts'
import type { BlockOutcome } from './executeBlock.ts'
import type { DecodedEntry } from './proposal/nativeBlock.ts'

/** Returns a result for each entry of a block, in the order of the entries. */
export const toBlockResults = (
  natives: readonly Uint8Array[],
  entries: readonly DecodedEntry[],
  block: ResultBlock,
  { transactions, rejected }: Pick<BlockOutcome, 'transactions' | 'rejected'>,
): NativeResult[] => {
  const reasons = new Map(rejected.map(({ candidate, reason }) => [candidate, reason]))
  const logSpace = new LogSpace()
  let txIndex = 0
  return entries.map((entry, at) => {
    if (entry.kind === 'proposer') return proposerResult
    if (entry.kind === 'rejected') return toRejectedResult(entry.rejection)
    const reason = reasons.get(entry.candidate)
    if (reason !== undefined) return toRejectedResult(toRejection(reason))
    // Candidates are executed in order, and each is included or rejected, so this one is the next transaction of the
    // block.
    const included = transactions[txIndex]
    const native = natives[at]
    if (included === undefined || native === undefined) throw new Error(`entry ${at} has no result`)
    return toIncludedResult(included, native, block, txIndex++, logSpace)
  })
}
