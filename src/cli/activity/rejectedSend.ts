import { keccak256 } from '../../base/crypto/crypto.ts'
import { toHex } from '../../base/encoding/hex.ts'
import type { Fork } from '../../chain/config/forks.ts'
import { encodeTransaction } from '../../chain/transaction/encode.ts'
import { senderOfIncluded } from '../../chain/transaction/impersonation.ts'
import { decodePooledTransaction } from '../../chain/transaction/pooled.ts'

/** What is shown of a transaction that was rejected; hashes and addresses as DATA. */
interface SentTransaction {
  readonly hash: string
  /** Undefined if the signature is invalid. */
  readonly from: string | undefined
  readonly to: string | null
  readonly input: string
  readonly nonce: bigint
}

/** Larger bytes are not read: the pool did not read them either. */
const maxBytes = 1024 * 1024

/** Reads a transaction that was sent; undefined if the bytes are not one. */
export const readRejected = (raw: Uint8Array, fork: Fork): SentTransaction | undefined => {
  if (raw.length > maxBytes) return undefined
  try {
    const { transaction } = decodePooledTransaction(raw)
    const from = senderOfIncluded(transaction, fork)
    return {
      hash: toHex(keccak256(encodeTransaction(transaction))),
      from: from && toHex(from),
      to: transaction.to === undefined ? null : toHex(transaction.to),
      input: toHex(transaction.data),
      nonce: transaction.nonce,
    }
  } catch {
    return undefined
  }
}
