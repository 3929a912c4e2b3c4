import { call } from '../../rpc/client.ts'
import type { Block, Receipt, Transaction } from '../../rpc/types.ts'

export interface LoadedTransaction {
  readonly transaction: Transaction
  readonly receipt: Receipt | null
  readonly block: Block | null
}

export const loadTransaction = async (hash: string): Promise<LoadedTransaction | null> => {
  const [transaction, receipt] = await Promise.all([
    call<Transaction | null>('eth_getTransactionByHash', hash),
    call<Receipt | null>('eth_getTransactionReceipt', hash),
  ])
  if (transaction === null) return null
  const { blockHash } = transaction
  const block = blockHash === null ? null : await call<Block | null>('eth_getBlockByHash', blockHash, false)
  return { transaction, receipt, block }
}
