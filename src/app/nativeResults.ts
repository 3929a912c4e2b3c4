import {
  entryResult,
  faultResult,
  includedResult,
  type NativeResult,
  type ResultBlock,
  rejectedFault,
} from '../cosmos/results/results.ts'
import type { BlockOutcome } from './executeBlock.ts'
import type { DecodedEntry } from './proposal/nativeBlock.ts'

/** A result for each entry of a block, in the order of the entries. */
export const blockResults = (
  natives: readonly Uint8Array[],
  entries: readonly DecodedEntry[],
  block: ResultBlock,
  { transactions, rejected }: Pick<BlockOutcome, 'transactions' | 'rejected'>,
): NativeResult[] => {
  const reasons = new Map(rejected.map(({ candidate, reason }) => [candidate, reason]))
  let txIndex = 0
  let firstLog = 0
  return entries.map((entry, at) => {
    if (entry.kind === 'proposer') return entryResult
    if (entry.kind === 'fault') return faultResult(entry.fault)
    const reason = reasons.get(entry.candidate)
    if (reason !== undefined) return faultResult(rejectedFault(reason))
    // Candidates are executed in order, and each is in the block or rejected: the next one of the block is this one.
    const included = transactions[txIndex]
    const native = natives[at]
    if (included === undefined || native === undefined) throw new Error(`entry ${at} has no result`)
    const result = includedResult(included, native, block, { txIndex, firstLog })
    txIndex++
    firstLog += included.result.logs.length
    return result
  })
}
