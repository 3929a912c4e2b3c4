import type { NativeBlockInfo } from '../../families/convert/convertedBlock.ts'
import type { NativeRows } from '../../store/nativeRows.ts'
import { toNativeIndexEntries } from './nativeIndexEntries.ts'
import { isCosmosTransaction } from './syntheticTransactions.ts'

/** Returns the rows of a native block, with its information as it is encoded. */
export const toNativeRows = (
  { hash, height, transactions }: NativeBlockInfo,
  info: Uint8Array,
  bech32Prefix: string,
): NativeRows => ({
  hash,
  transactions: transactions.map((transaction) => ({
    hash: transaction.hash,
    // A reverted transaction is in the Ethereum block. The same bytes may be in an earlier one that had no room for them.
    hasFailed: transaction.code !== 0 && transaction.ethereumIndexes.length === 0,
    isCosmos: isCosmosTransaction(transaction),
  })),
  info,
  index: toNativeIndexEntries(height, transactions, bech32Prefix),
})
