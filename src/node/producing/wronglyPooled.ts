import type { RecoveredTransaction } from '../../app/packing.ts'
import { toHex } from '../../base/encoding/hex.ts'
import type { InvalidReason } from '../../chain/transaction/invalidReason.ts'
import type { ExcludedTransaction } from '../../engine/application.ts'

interface Produced {
  readonly included: readonly Uint8Array[]
  readonly rejected: readonly ExcludedTransaction[]
}

/** Reasons that another transaction of the same block may have given. */
const maySucceedLater: ReadonlySet<string> = new Set<InvalidReason>([
  'gas limit reached',
  'insufficient funds for gas * price + value',
  'insufficient funds for transfer',
])

/**
 * Returns the rejected transactions about which the pool was wrong. Not among them is what the block had no room for, what
 * could not be paid at its place behind others (the pool has seen the funds after the block), and what only came behind a
 * rejected one of its sender: all may be in a later block.
 */
export const findWronglyPooled = (
  transactions: readonly RecoveredTransaction[],
  { included, rejected }: Produced,
): readonly ExcludedTransaction[] => {
  if (rejected.length === 0) return []
  const senders = new Map(transactions.map(({ hash, sender }) => [toHex(hash), toHex(sender)]))
  const isFilled = included.length > 0
  const held = new Set<string | undefined>()
  return rejected.filter(({ hash, reason }) => {
    const sender = senders.get(toHex(hash))
    const isBehind = reason === 'nonce too high' && held.has(sender)
    held.add(sender)
    return !isBehind && !(isFilled && maySucceedLater.has(reason))
  })
}
