import { isImpersonated } from '../../chain/transaction/impersonation.ts'
import { recoverAuthority } from '../../chain/transaction/signature.ts'
import type { Transaction, UnsignedTransaction } from '../../chain/transaction/transaction.ts'
import type { TransactionFields } from '../types.ts'

/**
 * Converts a decoded transaction to the fields that the EVM needs, and recovers the signer of each
 * authorization.
 */
export const toTransactionFields = (tx: UnsignedTransaction | Transaction): TransactionFields => {
  const hasPrice = tx.type === 0 || tx.type === 1
  return {
    type: tx.type,
    chainId: tx.chainId,
    nonce: tx.nonce,
    gasLimit: tx.gasLimit,
    maxFeePerGas: hasPrice ? tx.gasPrice : tx.maxFeePerGas,
    maxPriorityFeePerGas: hasPrice ? tx.gasPrice : tx.maxPriorityFeePerGas,
    to: tx.to,
    value: tx.value,
    data: tx.data,
    accessList: tx.type === 0 ? [] : tx.accessList,
    maxFeePerBlobGas: tx.type === 3 ? tx.maxFeePerBlobGas : 0n,
    blobVersionedHashes: tx.type === 3 ? tx.blobVersionedHashes : [],
    authorizationList:
      tx.type === 4
        ? tx.authorizations.map((authorization) => ({
            chainId: authorization.chainId,
            address: authorization.address,
            nonce: authorization.nonce,
            authority: recoverAuthority(authorization),
          }))
        : [],
    ...('signature' in tx && isImpersonated(tx) ? { isImpersonated: true } : {}),
  }
}
