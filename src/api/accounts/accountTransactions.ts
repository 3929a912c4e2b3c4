import { keccak256 } from '../../base/crypto.ts'
import { toHex } from '../../base/encoding/hex.ts'
import { transactionJson } from '../../chain/json/transaction.ts'
import { encodeTransaction } from '../../chain/transaction/encode.ts'
import { isImpersonated } from '../../chain/transaction/impersonation.ts'
import type { SignableTransactionRequest } from '../../chain/transaction/request.ts'
import type { Transaction } from '../../chain/transaction/types.ts'
import { callFailed, requestTimedOut } from '../../rpc/errors.ts'
import type { ApiContext } from '../context.ts'
import type { SignedTransaction } from '../wire/results.ts'
import { fillTransaction } from './fillTransaction.ts'
import { type Signer, signTransaction } from './signing.ts'

/** Transactions of the node's accounts, for `eth_` and `personal_`. */

/** Checks that gas, fees and nonce are given, because geth signs only complete requests. */
const checkComplete = (request: SignableTransactionRequest): void => {
  if (request.gas === undefined) throw callFailed('gas not specified')
  const { gasPrice, maxFeePerGas, maxPriorityFeePerGas } = request
  if (gasPrice === undefined && (maxFeePerGas === undefined || maxPriorityFeePerGas === undefined))
    throw callFailed('missing gasPrice or maxFeePerGas/maxPriorityFeePerGas')
  if (request.nonce === undefined) throw callFailed('nonce not specified')
}

export type TransactionResult = ReturnType<typeof SignedTransaction.schema.parse>

export const toTransactionResult = (
  transaction: Transaction,
  hash: Uint8Array,
  sender: Uint8Array,
): TransactionResult['tx'] => JSON.parse(transactionJson({ transaction, hash, sender, inclusion: undefined }))

/** Signs a transaction without sending it. */
export const signWithAccount = async (
  { chain }: Pick<ApiContext, 'chain'>,
  request: SignableTransactionRequest,
  signer: Signer,
): Promise<TransactionResult> => {
  checkComplete(request)
  const signed = signTransaction(signer, request.from, await fillTransaction(chain, request))
  const raw = encodeTransaction(signed)
  return { raw: toHex(raw), tx: toTransactionResult(signed, keccak256(raw), request.from) }
}

/**
 * Signs and sends a transaction. Those of one account are sent one after the other, and each gets the next nonce of the
 * pool: concurrent ones get consecutive nonces, and the nonce of a rejected one is used by the next.
 */
export const sendFromAccount = (
  { chain, senderLock }: Pick<ApiContext, 'chain' | 'senderLock'>,
  request: SignableTransactionRequest,
  signer: Signer,
  signal: AbortSignal,
): Promise<Uint8Array> =>
  senderLock.run(toHex(request.from), async () => {
    // The client does not wait any more: for it the call has failed, so that the transaction must not be sent.
    if (signal.aborted) throw requestTimedOut()
    const signed = signTransaction(signer, request.from, await fillTransaction(chain, request))
    return chain.pool.submit(encodeTransaction(signed), { isImpersonated: isImpersonated(signed) })
  })
