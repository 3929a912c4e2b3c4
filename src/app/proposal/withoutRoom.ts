import { toHex } from '../../base/encoding/hex.ts'
import type { RejectedTransaction } from '../executeBlock.ts'

/**
 * Returns the rejected transactions with the reason of those that found no room. What comes behind one of them in the block
 * only lacks its nonce, so it has the same reason.
 */
export const markWithoutRoom = (rejected: readonly RejectedTransaction[]): readonly RejectedTransaction[] => {
  const senders = new Set<string>()
  return rejected.map((transaction) => {
    const sender = toHex(transaction.candidate.sender)
    const isBehind = transaction.reason === 'nonce too high' && senders.has(sender)
    if (!isBehind && transaction.reason !== 'gas limit reached') return transaction
    senders.add(sender)
    return { ...transaction, reason: 'no room in the block' }
  })
}
