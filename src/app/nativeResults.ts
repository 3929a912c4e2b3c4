import type { Log } from '../chain/block/receiptLog.ts'
import {
  addLogs,
  proposerResult,
  type ResultBlock,
  toIncludedResult,
  toRejectedResult,
  toRejection,
} from '../cosmos/results/buildResults.ts'
import { encodedSize, type NativeResult } from '../cosmos/results/nativeResult.ts'
import { ResponseSpace } from '../cosmos/results/responseSpace.ts'
import type { BlockOutcome } from './executeBlock.ts'
import type { DecodedEntry } from './proposal/nativeBlock.ts'

/** Returns a result for each entry of a block, in the order of the entries. */
export const toBlockResults = (
  natives: readonly Uint8Array[],
  entries: readonly DecodedEntry[],
  block: ResultBlock,
  { transactions, rejected }: Pick<BlockOutcome, 'transactions' | 'rejected'>,
  space = new ResponseSpace(),
): NativeResult[] => {
  const reasons = new Map(rejected.map(({ candidate, reason }) => [candidate, reason]))
  const logsOf = new Map<number, readonly Log[]>()
  let txIndex = 0
  const results = entries.map((entry, at) => {
    if (entry.kind === 'proposer') return proposerResult
    if (entry.kind === 'rejected') return toRejectedResult(entry.rejection)
    const reason = reasons.get(entry.candidate)
    if (reason !== undefined) return toRejectedResult(toRejection(reason))
    // Candidates are executed in order, and each is included or rejected, so this one is the next transaction of the
    // block.
    const included = transactions[txIndex]
    const native = natives[at]
    if (included === undefined || native === undefined) throw new Error(`entry ${at} has no result`)
    logsOf.set(at, included.result.logs)
    return toIncludedResult(included, native, block, txIndex++, space)
  })
  for (const result of results) space.takeResult(encodedSize(result))
  return results.map((result, at) => addLogs(result, logsOf.get(at) ?? [], space))
}
