import type { PoolTransaction } from '../types.ts'

/** Returns the index of the first transaction whose nonce is not lower, in a list of one sender by nonce. */
export const positionOf = (own: readonly PoolTransaction[], nonce: bigint): number => {
  let low = 0
  let high = own.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((own[middle] as PoolTransaction).transaction.nonce < nonce) low = middle + 1
    else high = middle
  }
  return low
}
