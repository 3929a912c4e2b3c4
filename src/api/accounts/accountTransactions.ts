import { keccak256 } from '../../base/crypto/crypto.ts'
import { toHex } from '../../base/encoding/hex.ts'
import { transactionJson } from '../../chain/json/transactionJson.ts'
import { encodeTransaction } from '../../chain/transaction/encode.ts'
import { isImpersonated } from '../../chain/transaction/impersonation.ts'
import type { SignableTransactionRequest, TransactionRequest } from '../../chain/transaction/request.ts'
import type { Transaction } from '../../chain/transaction/transaction.ts'
import { callFailed, requestTimedOut } from '../../rpc/errors.ts'
import type { ApiContext } from '../context.ts'
import type { SignedTransaction } from '../wire/results.ts'
import { type CallEnd, waitForSeal } from './answerInTime.ts'
import { findGasToSend } from './defaultGas.ts'
import { fillTransaction } from './fillTransaction.ts'
import { assertKnown, type Signer, signTransaction } from './signing.ts'

/** Transactions of the node's accounts, for `eth_` and `personal_`. */

/** Checks that gas, fees and nonce are given, because geth signs only complete requests. Returns the gas. */
const checkComplete = (request: SignableTransactionRequest): bigint => {
  const { gas, gasPrice, maxFeePerGas, maxPriorityFeePerGas } = request
  if (gas === undefined) throw callFailed('gas not specified')
  if (gasPrice === undefined && (maxFeePerGas === undefined || maxPriorityFeePerGas === undefined))
    throw callFailed('missing gasPrice or maxFeePerGas/maxPriorityFeePerGas')
  if (request.nonce === undefined) throw callFailed('nonce not specified')
  return gas
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
  const gas = checkComplete(request)
  const signed = signTransaction(signer, request.from, await fillTransaction(chain, request, () => gas))
  const raw = encodeTransaction(signed)
  return { raw: toHex(raw), tx: toTransactionResult(signed, keccak256(raw), request.from) }
}

/**
 * Signs and sends a transaction. Those of one account are sent one after the other, and each gets the next nonce of the
 * pool: concurrent ones get consecutive nonces, and the nonce of a rejected one is used by the next. The turn ends when the
 * pool has the transaction; whoever waits for a block holds up nobody.
 */
export const sendFromAccount = async (
  { chain, senderLock }: Pick<ApiContext, 'chain' | 'senderLock'>,
  request: SignableTransactionRequest,
  signer: Signer,
  end: CallEnd,
): Promise<Uint8Array> => {
  const { from } = request
  const { signal } = end
  // If the client does not wait any more, the call has failed for it, so that the transaction must not be sent.
  const assertAwaited = (): void => {
    if (signal.aborted) throw requestTimedOut()
  }
  const hash = await senderLock.run(toHex(from), async () => {
    assertAwaited()
    assertKnown(signer, from)
    const findGas = (filled: TransactionRequest) => findGasToSend(chain, filled, signal)
    const signed = signTransaction(signer, from, await fillTransaction(chain, request, findGas))
    assertAwaited()
    return chain.pool.submit(encodeTransaction(signed), { isImpersonated: isImpersonated(signed) })
  })
  await waitForSeal(chain.pool, hash, end)
  return hash
}
