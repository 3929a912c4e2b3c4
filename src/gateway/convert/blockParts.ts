import type { Header } from '../../chain/block/header.ts'
import { createReceipt, type Receipt } from '../../chain/block/receipt.ts'
import { UpstreamFault } from '../parse/upstreamFault.ts'
import type { EthereumEntry, NativeEntry } from './entries.ts'

/** A converted block before its transactions are put together with their receipts. */
export interface BlockParts {
  readonly header: Header
  readonly hash: Uint8Array
  readonly entries: readonly NativeEntry[]
  readonly receipts: readonly Receipt[]
}

/** Returns the Ethereum transactions of a block, in their order. */
export const ethereumEntries = (entries: readonly NativeEntry[]): EthereumEntry[] =>
  entries.flatMap(({ ethereum }) => ethereum)

const maxUint64 = (1n << 64n) - 1n

/** Returns a receipt for each transaction. Their cumulative gas counts Ethereum transactions alone. */
export const toReceipts = (entries: readonly EthereumEntry[]): Receipt[] => {
  let cumulativeGasUsed = 0n
  return entries.map(({ transaction, succeeded, gasUsed, logs }) => {
    cumulativeGasUsed += gasUsed
    if (gasUsed < 0n || cumulativeGasUsed > maxUint64)
      throw new UpstreamFault(`the gas of a transaction is ${gasUsed}`)
    return createReceipt({ type: transaction.type, outcome: succeeded, cumulativeGasUsed, logs })
  })
}
