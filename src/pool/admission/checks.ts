import { since } from '../../chain/config/forks.ts'
import {
  floorGas,
  intrinsicGas,
  isTypeKnown,
  maxBlobsPerTransaction,
  maxInitCodeLength,
  maxNonce,
  maxTransactionGas,
} from '../../chain/transaction/rules.ts'
import type { Transaction } from '../../chain/transaction/types.ts'
import type { BlobPolicy, PoolHead, PoolSettings, Submission } from '../types.ts'
import { type Refusal, refuse } from './refusals.ts'
import { feeCapOf, maxBlobTransactionBytes, maxTransactionBytes, tipCapOf } from './submission.ts'

/** The rules that need no state, in geth's order, so that a transaction with two faults gets geth's answer. */

/** What geth asks of a transaction that comes from a user, before its pool sees it (ethapi's SubmitTransaction). */
export const checkLocal = (tx: Transaction, settings: PoolSettings): Refusal | undefined => {
  const fee = tx.gasLimit * feeCapOf(tx)
  if (settings.feeCap > 0n && fee > settings.feeCap) return refuse('feeOverCap', fee, settings.feeCap)
  if (tx.chainId === undefined && !settings.allowUnprotected) return refuse('unprotected')
  return undefined
}

/** The rules up to the signature: what they refuse costs no recovery. */
export const checkBeforeSender = (
  { transaction: tx, size }: Submission,
  head: PoolHead,
  blobs: BlobPolicy,
): Refusal | undefined => {
  if (tx.type === 3 && !blobs.accepted) return refuse('blobsNotAccepted', blobs.refusal)
  const limit = tx.type === 3 ? maxBlobTransactionBytes : maxTransactionBytes
  if (size > limit) return refuse('oversized', size, limit)
  if (!isTypeKnown(tx.type, head.fork)) return refuse('typeNotSupported')
  if (tx.to === undefined && since(head.fork, 'shanghai') && tx.data.length > maxInitCodeLength)
    return refuse('initCodeTooLong', tx.data.length, maxInitCodeLength)
  if (since(head.fork, 'osaka') && tx.gasLimit > maxTransactionGas)
    return refuse('overTransactionGasCap', maxTransactionGas, tx.gasLimit)
  if (tx.gasLimit > head.gasLimit) return refuse('overBlockGasLimit')
  if (tipCapOf(tx) > feeCapOf(tx)) return refuse('tipAboveFeeCap')
  if (tx.chainId !== undefined) {
    if (!since(head.fork, 'spuriousDragon')) return refuse('invalidSender')
    if (tx.chainId !== head.chainId) return refuse('wrongChainId', tx.chainId, head.chainId)
  }
  return undefined
}

export const checkAfterSender = (
  submission: Submission,
  head: PoolHead,
  settings: PoolSettings,
): Refusal | undefined => {
  const tx = submission.transaction
  if (tx.nonce === maxNonce) return refuse('nonceAtMaximum')
  const least = intrinsicGas(tx, head.fork)
  if (tx.gasLimit < least) return refuse('intrinsicGasTooLow', tx.gasLimit, least)
  const floor = floorGas(tx, head.fork)
  if (tx.gasLimit < floor) return refuse('floorGasTooLow', tx.gasLimit, floor)
  const fee = feeCapOf(tx)
  if (fee < settings.minimumGasPrice)
    return refuse('belowMinimumPrice', 'gas fee cap', fee, settings.minimumGasPrice)
  if (tx.type === 3) return checkBlobs(submission, tx, head)
  if (tx.type === 4) {
    if (tx.to === undefined) return refuse('setCodeCreates')
    if (tx.authorizations.length === 0) return refuse('noAuthorizations')
  }
  return undefined
}

const checkBlobs = (
  { sidecar }: Submission,
  tx: Extract<Transaction, { type: 3 }>,
  { fork }: PoolHead,
): Refusal | undefined => {
  const hashes = tx.blobVersionedHashes
  if (tx.maxFeePerBlobGas < 1n) return refuse('belowMinimumPrice', 'blob fee cap', tx.maxFeePerBlobGas, 1n)
  if (tx.to === undefined) return refuse('invalidBlobs', 'blob transaction of type create')
  if (sidecar === undefined) return refuse('sidecarMissing')
  if (hashes.length === 0) return refuse('invalidBlobs', 'blobless blob transaction')
  if (hashes.length > maxBlobsPerTransaction)
    return refuse('tooManyBlobs', hashes.length, maxBlobsPerTransaction)
  // EIP-7594: from Osaka on a sidecar holds the proofs of its cells. geth makes them where a sender of the older form
  // leaves them out; no sidecar leaves this node, so the proof of the whole blob is enough here.
  if (sidecar.version === 1 && !since(fork, 'osaka'))
    return refuse('invalidBlobs', 'Wrong sidecar format: unexpected sidecar version, want: 0, got: 1')
  return undefined
}
