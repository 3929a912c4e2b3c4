import type { RecoveredTransaction } from '../../../app/packing.ts'
import { keccak256 } from '../../../base/crypto/crypto.ts'
import { refused } from '../../../chain/chainError.ts'
import type { Fork } from '../../../chain/config/forks.ts'
import type { DevTransaction } from '../../../chain/port/dev.ts'
import { decodeTransaction } from '../../../chain/transaction/decode.ts'
import { impersonatedSender } from '../../../chain/transaction/impersonation.ts'
import { recoverSender } from '../../../chain/transaction/signature.ts'
import { TransactionError } from '../../../chain/transaction/transaction.ts'

/** Returns a transaction with its sender; throws a `ChainError` if it has none. */
export const readCandidate = ({ raw, isImpersonated }: DevTransaction, fork: Fork): RecoveredTransaction => {
  const transaction = decode(raw)
  const sender = isImpersonated ? impersonatedSender(transaction) : recoverSender(transaction, fork)
  if (sender === undefined) throw refused('invalid sender')
  return { raw, hash: keccak256(raw), sender }
}

const decode = (raw: Uint8Array) => {
  try {
    return decodeTransaction(raw)
  } catch (error) {
    throw error instanceof TransactionError ? refused(error.message) : error
  }
}
