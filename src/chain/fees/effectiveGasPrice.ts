import type { UnsignedTransaction } from '../transaction/transaction.ts'

/** Returns the price of a unit of gas in a block with this base fee (EIP-1559). */
export const effectiveGasPrice = (tx: UnsignedTransaction, baseFee: bigint | undefined): bigint => {
  if (tx.type === 0 || tx.type === 1) return tx.gasPrice
  const wanted = (baseFee ?? 0n) + tx.maxPriorityFeePerGas
  return wanted < tx.maxFeePerGas ? wanted : tx.maxFeePerGas
}
