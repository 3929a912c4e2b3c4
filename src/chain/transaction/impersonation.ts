import { concatBytes, fromBigInt } from '../../base/encoding/bytes.ts'
import type { Signature } from '../../base/platform/signing.ts'
import type { Fork } from '../config/forks.ts'
import { recoverSender } from './signature.ts'
import type { Transaction } from './transaction.ts'

/**
 * A transaction that a dev chain takes from an impersonated account, whose key nobody has. In the place of the signature it
 * has the sender: r is the address and s is zero, which no signature has. So it can be stored, hashed and executed again as
 * any other, its sender is in its bytes, and every chain and pool that asks for a signature rejects it.
 */

const addressBits = 160n

/** Returns what states the sender in the place of a signature. */
export const stateSender = (sender: Uint8Array): Signature => ({
  compact: concatBytes(new Uint8Array(12), sender, new Uint8Array(32)),
  recovery: 0,
})

/** Returns whether a transaction states its sender instead of having a signature. */
export const isImpersonated = ({ signature: { yParity, r, s } }: Pick<Transaction, 'signature'>): boolean =>
  s === 0n && yParity === 0 && r >> addressBits === 0n

/** Returns the sender that a transaction states; undefined if it does not. */
export const impersonatedSender = (transaction: Pick<Transaction, 'signature'>): Uint8Array | undefined =>
  isImpersonated(transaction) ? fromBigInt(transaction.signature.r, 20) : undefined

/** Returns the sender of a transaction of this chain, which has been checked when it was included. */
export const senderOfIncluded = (transaction: Transaction, fork: Fork): Uint8Array | undefined =>
  impersonatedSender(transaction) ?? recoverSender(transaction, fork)
