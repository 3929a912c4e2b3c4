import { keccak256 } from '../../base/crypto/crypto.ts'
import { emptyBytes } from '../../base/encoding/bytes.ts'
import { type Fork, since } from '../../chain/config/forks.ts'
import { encodeTransaction } from '../../chain/transaction/encode.ts'
import type { TransactionRequest } from '../../chain/transaction/request.ts'
import type { RecoveredTransaction, Transaction } from '../../chain/transaction/transaction.ts'

const unsigned = { signature: { yParity: 0, r: 0n, s: 0n } }
const zeroAddress = new Uint8Array(20)

/**
 * Returns the transaction that represents a request in its block. It is not signed, and its type is chosen as in geth.
 */
const toTransaction = (
  request: TransactionRequest,
  isLondon: boolean,
  chainId: bigint,
  gasLimit: bigint,
): Transaction => {
  const common = {
    nonce: request.nonce ?? 0n,
    gasLimit,
    to: request.to,
    value: request.value ?? 0n,
    data: request.data ?? emptyBytes,
    ...unsigned,
  }
  if (request.gasPrice !== undefined || !isLondon)
    return { type: 0, chainId: undefined, ...common, gasPrice: request.gasPrice ?? 0n }
  const fees = {
    chainId,
    maxFeePerGas: request.maxFeePerGas ?? 0n,
    maxPriorityFeePerGas: request.maxPriorityFeePerGas ?? 0n,
    accessList: request.accessList ?? [],
  }
  const { authorizationList, blobVersionedHashes, maxFeePerBlobGas = 0n } = request
  if (authorizationList !== undefined)
    return { type: 4, ...common, ...fees, authorizations: authorizationList }
  if (blobVersionedHashes !== undefined)
    return { type: 3, ...common, ...fees, maxFeePerBlobGas, blobVersionedHashes }
  return { type: 2, ...common, ...fees }
}

export const toSimulatedTransaction = (
  request: TransactionRequest,
  fork: Fork,
  chainId: bigint,
  gasLimit: bigint,
): RecoveredTransaction => {
  const transaction = toTransaction(request, since(fork, 'london'), chainId, gasLimit)
  const raw = encodeTransaction(transaction)
  return { transaction, raw, hash: keccak256(raw), sender: request.from ?? zeroAddress }
}
