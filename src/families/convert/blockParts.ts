import { maxUint64 } from '../../base/encoding/bytes.ts'
import type { Header } from '../../chain/block/header.ts'
import { createReceipt, type Receipt } from '../../chain/block/receipt.ts'
import { UpstreamError } from '../../comet/data/upstreamError.ts'
import type { ExecutedEthereumTransaction, ExecutedNativeTransaction } from './executedTransactions.ts'

/** A converted block before its transactions are combined with their receipts. */
export interface BlockParts {
  readonly header: Header
  readonly hash: Uint8Array
  readonly entries: readonly ExecutedNativeTransaction[]
  readonly receipts: readonly Receipt[]
}

/** Returns the Ethereum transactions of a block, in their order. */
export const ethereumEntries = (
  entries: readonly ExecutedNativeTransaction[],
): ExecutedEthereumTransaction[] => entries.flatMap(({ ethereum }) => ethereum)

/** Returns a receipt for each transaction. The cumulative gas counts only Ethereum transactions. */
export const toReceipts = (entries: readonly ExecutedEthereumTransaction[]): Receipt[] => {
  let cumulativeGasUsed = 0n
  return entries.map(({ transaction, succeeded, gasUsed, logs }) => {
    cumulativeGasUsed += gasUsed
    if (gasUsed < 0n || cumulativeGasUsed > maxUint64)
      throw new UpstreamError(`the gas of a transaction is ${gasUsed}`)
    return createReceipt({ type: transaction.type, outcome: succeeded, cumulativeGasUsed, logs })
  })
}
