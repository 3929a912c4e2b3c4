import { since } from '../../chain/config/forks.ts'
import { type ChainLimits, initCodeSize, transactionGasCap } from '../../chain/config/limits.ts'
import { isImpersonated } from '../../chain/transaction/impersonation.ts'
import { isSignatureInRange } from '../../chain/transaction/signature.ts'
import type { Transaction } from '../../chain/transaction/transaction.ts'
import {
  floorGas,
  intrinsicGas,
  isTypeKnown,
  maxBlobsPerTransaction,
  maxNonce,
} from '../../chain/transaction/transactionRules.ts'
import type { BlobPolicy, PoolHead, PoolSettings, Submission } from '../types.ts'
import { type Rejection, reject } from './rejections.ts'
import { gasFeeCap, gasTipCap, maxBlobTransactionBytes, maxTransactionBytes } from './submission.ts'

/**
 * The rules that need no state, in geth's order, so that a transaction that breaks two of them gets geth's
 * error. All of them are checked before a signature is recovered, because a rejection should cost its sender more
 * than this node: only a signature that is in range and that no key can have made is reported later than in geth.
 */

/** Checks what geth checks for a local transaction before its pool does (ethapi's SubmitTransaction). */
export const checkLocal = (tx: Transaction, settings: PoolSettings): Rejection | undefined => {
  const fee = tx.gasLimit * gasFeeCap(tx)
  if (settings.feeCap > 0n && fee > settings.feeCap) return reject('feeOverCap', fee, settings.feeCap)
  if (tx.chainId === undefined && !settings.allowUnprotected) return reject('unprotected')
  return undefined
}

/** Returns the bytes that a transaction may have: enough for the longest init code, where that is longer than Ethereum's. */
const transactionBytes = (limits: ChainLimits): number =>
  Math.max(maxTransactionBytes, initCodeSize(limits) + maxTransactionBytes / 4)

/** Checks the rules that depend on the limits of the head, which geth checks before the signature. */
export const checkLimits = (
  { transaction: tx, size }: Submission,
  head: PoolHead,
  blobs: BlobPolicy,
): Rejection | undefined => {
  if (tx.type === 3 && !blobs.accepted) return reject('blobsNotAccepted', blobs.rejection)
  const limit = tx.type === 3 ? maxBlobTransactionBytes : transactionBytes(head.limits)
  if (size > limit) return reject('oversized', size, limit)
  if (!isTypeKnown(tx.type, head.fork)) return reject('typeNotSupported')
  const blobCount = tx.type === 3 ? tx.blobVersionedHashes.length : 0
  const blobLimit = Math.min(maxBlobsPerTransaction, head.maxBlobs)
  if (blobCount > blobLimit) return reject('tooManyBlobs', blobCount, blobLimit)
  if (tx.to === undefined && since(head.fork, 'shanghai') && tx.data.length > initCodeSize(head.limits))
    return reject('initCodeTooLong', tx.data.length, initCodeSize(head.limits))
  const gasCap = transactionGasCap(head.limits, head.fork)
  if (gasCap !== undefined && tx.gasLimit > gasCap)
    return reject('overTransactionGasCap', gasCap, tx.gasLimit)
  if (tx.gasLimit > head.gasLimit) return reject('overBlockGasLimit')
  if (gasTipCap(tx) > gasFeeCap(tx)) return reject('tipAboveFeeCap')
  if (tx.chainId !== undefined) {
    if (!since(head.fork, 'spuriousDragon')) return reject('invalidSender')
    if (tx.chainId !== head.chainId) return reject('wrongChainId', tx.chainId, head.chainId)
  }
  return undefined
}

/** Checks the other rules, which only a new fork changes. */
export const checkContent = (
  submission: Submission,
  head: PoolHead,
  settings: PoolSettings,
): Rejection | undefined => {
  const tx = submission.transaction
  // Only a new fork can make the signature of a recovered transaction invalid.
  if (!isImpersonated(tx) && !isSignatureInRange(tx.signature, head.fork)) return reject('invalidSender')
  if (tx.nonce === maxNonce) return reject('nonceAtMaximum')
  const least = intrinsicGas(tx, head.fork)
  if (tx.gasLimit < least) return reject('intrinsicGasTooLow', tx.gasLimit, least)
  const floor = floorGas(tx, head.fork)
  if (tx.gasLimit < floor) return reject('floorGasTooLow', tx.gasLimit, floor)
  const fee = gasFeeCap(tx)
  if (fee < settings.minimumGasPrice)
    return reject('belowMinimumPrice', 'gas fee cap', fee, settings.minimumGasPrice)
  if (tx.type === 3) return checkBlobs(submission, tx, head)
  if (tx.type === 4) {
    if (tx.to === undefined) return reject('setCodeCreates')
    if (tx.authorizations.length === 0) return reject('noAuthorizations')
  }
  return undefined
}

const checkBlobs = (
  { sidecar }: Submission,
  tx: Extract<Transaction, { type: 3 }>,
  { fork }: PoolHead,
): Rejection | undefined => {
  const hashes = tx.blobVersionedHashes
  if (tx.maxFeePerBlobGas < 1n) return reject('belowMinimumPrice', 'blob fee cap', tx.maxFeePerBlobGas, 1n)
  if (tx.to === undefined) return reject('invalidBlobs', 'blob transaction of type create')
  if (sidecar === undefined) return reject('sidecarMissing')
  if (hashes.length === 0) return reject('invalidBlobs', 'blobless blob transaction')
  // EIP-7594: from Osaka on a sidecar holds the proofs of its cells. geth computes them for a sidecar of the
  // older form; no sidecar leaves this node, so the proof of the whole blob is enough here.
  if (sidecar.version === 1 && !since(fork, 'osaka'))
    return reject('invalidBlobs', 'Wrong sidecar format: unexpected sidecar version, want: 0, got: 1')
  return undefined
}
