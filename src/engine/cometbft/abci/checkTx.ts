import type { MaybePromise } from '../../../base/async/maybePromise.ts'
import { keccak256 } from '../../../base/crypto/crypto.ts'
import { equalBytes } from '../../../base/encoding/bytes.ts'
import { toHex } from '../../../base/encoding/hex.ts'
import { codes, type NativeRejection } from '../../../cosmos/codes.ts'
import { perihelionDialect } from '../../../cosmos/transaction/dialect.ts'
import { findMessage, maxNativeBytes, unwrapTransaction } from '../../../cosmos/transaction/unwrap.ts'
import { messageUrl, type NativeTransaction, wrapTransaction } from '../../../cosmos/transaction/wrap.ts'
import type { RejectionKind } from '../../../pool/admission/rejections.ts'
import { decodeSubmission } from '../../../pool/admission/submission.ts'
import type { TransactionSubmitter } from '../../../pool/admission/transactionSubmitter.ts'
import { effectiveTip } from '../../../pool/order/prices.ts'
import type { TransactionPool } from '../../../pool/pool.ts'
import type { AddResult, PoolTransaction } from '../../../pool/types.ts'

/** The response to CheckTx for the engine's mempool. */
export type CheckResult =
  | {
      readonly code: typeof codes.success
      readonly log: ''
      readonly hash: Uint8Array
      readonly gasWanted: bigint
      readonly sender: Uint8Array
      /** The tip in wei per gas that the proposer would earn in the next block. */
      readonly priority: bigint
    }
  | {
      readonly code: NativeRejection['code']
      readonly log: string
      /** A transaction that the pool holds and the engine does not need yet. */
      readonly held?: PoolTransaction
    }

interface CheckDependencies {
  readonly pool: Pick<TransactionPool, 'get' | 'add' | 'head' | 'isIncludable'>
  readonly intake: Pick<TransactionSubmitter, 'submit'>
  /** Returns whether the pool dropped a transaction that the engine held. */
  readonly takeDropped: (id: string) => boolean
}

/**
 * Submits a transaction from the engine to the pool, or returns geth's reason for the rejection. `isRecheck` means that the
 * engine checks a transaction that it already holds; its sender is not recovered a second time. The engine gets only what
 * the next block could include: the rest would fill the mempools of all nodes, and each would check it after every block.
 */
export const checkTx = (
  bytes: Uint8Array,
  isRecheck: boolean,
  dependencies: CheckDependencies,
): MaybePromise<CheckResult> => {
  const { pool } = dependencies
  const found = look(bytes, pool)
  // A local one is in the pool before it goes to the engine, and each is when it is checked again.
  if (found.known !== undefined && isWrapperOf(bytes, found.known))
    return conclude(found.known, isRecheck, pool)
  return checkUnknown(bytes, found, isRecheck, dependencies)
}

interface Found {
  /** The hash of the transaction where a wrapper has it; undefined if there is none, or the bytes are too many. */
  readonly hash: Uint8Array | undefined
  /** The transaction of the pool with that hash. */
  readonly known: PoolTransaction | undefined
}

const nothing: Found = { hash: undefined, known: undefined }

/** Looks for what these bytes wrap, if it is not rejected by its length alone: a hash costs more the longer it is. */
const look = (bytes: Uint8Array, pool: CheckDependencies['pool']): Found => {
  if (bytes.length > maxNativeBytes) return nothing
  const message = findMessage(bytes, ethereumTxUrl)
  if (message === undefined) return nothing
  const hash = keccak256(message.raw)
  return { hash, known: pool.get(hash) }
}

const isWrapperOf = (bytes: Uint8Array, { transaction, raw, sender }: PoolTransaction): boolean =>
  equalBytes(wrapTransaction({ transaction, raw, from: sender }, perihelionDialect), bytes)

const ethereumTxUrl = messageUrl(perihelionDialect)

const checkUnknown = async (
  bytes: Uint8Array,
  { hash, known }: Found,
  isRecheck: boolean,
  { pool, intake, takeDropped }: CheckDependencies,
): Promise<CheckResult> => {
  // What it accepts is exactly what a wrapper has there, so that the hash is that of its transaction.
  const { native, rejection: malformed } = unwrapTransaction(bytes, perihelionDialect)
  if (malformed !== undefined) return { code: malformed.code, log: malformed.message }
  if (known === undefined && isRecheck && hash !== undefined && takeDropped(toHex(hash)))
    return { code: codes.invalidRequest, log: 'the pool dropped it' }
  const { transaction, rejection } = known
    ? { transaction: known }
    : await admit(native, isRecheck, pool, intake)
  if (rejection !== undefined) return { code: codeByRejection[rejection.kind], log: rejection.message }
  if (!equalBytes(transaction.sender, native.from))
    return { code: codes.wrongSigner, log: 'invalid sender: the wrapper names another' }
  return conclude(transaction, isRecheck, pool)
}

/** Returns what the engine gets of a transaction of the pool; it relays only what passes. */
const conclude = (
  transaction: PoolTransaction,
  isRecheck: boolean,
  pool: CheckDependencies['pool'],
): CheckResult => {
  const { baseFee } = pool.head
  // What the engine holds stays there while the fee may soon have fallen, so that it does not come and go.
  if (!pool.isIncludable(transaction, { baseFee: isRecheck ? baseFee / 2n : baseFee }))
    return { code: codes.alreadyKnown, log: heldBack, held: transaction }
  return accepted(transaction, baseFee)
}

/** For senders through the engine: the pool has the transaction, though the engine's mempool does not. */
const heldBack = 'it is in the pool, and is relayed when a block can include it'

/**
 * Adds a transaction to the pool. Authorities are known only from signatures, so set-code transactions are recovered
 * each time.
 */
const admit = async (
  { transaction, raw, from }: NativeTransaction,
  again: boolean,
  pool: CheckDependencies['pool'],
  intake: CheckDependencies['intake'],
): Promise<AddResult> => {
  if (!again || transaction.type === 4) return intake.submit(raw, false)
  const read = decodeSubmission(raw)
  return read.submission
    ? pool.add(read.submission, { sender: from, authorities: [] }, false)
    : { rejection: read.rejection }
}

const accepted = (transaction: PoolTransaction, baseFee: bigint): CheckResult => ({
  code: codes.success,
  log: '',
  hash: transaction.hash,
  gasWanted: transaction.transaction.gasLimit,
  sender: transaction.sender,
  priority: effectiveTip(transaction, baseFee),
})

const codeByRejection: Readonly<Record<RejectionKind, NativeRejection['code']>> = {
  malformed: codes.malformed,
  invalidSignature: codes.wrongSigner,
  typeNotSupported: codes.invalidType,
  blobsNotAccepted: codes.notSupported,
  feeOverCap: codes.invalidRequest,
  unprotected: codes.invalidRequest,
  alreadyKnown: codes.alreadyKnown,
  oversized: codes.tooLarge,
  initCodeTooLong: codes.tooLarge,
  overTransactionGasCap: codes.invalidGasLimit,
  overBlockGasLimit: codes.outOfGas,
  tipAboveFeeCap: codes.insufficientFee,
  invalidSender: codes.wrongSigner,
  wrongChainId: codes.invalidChainId,
  nonceAtMaximum: codes.wrongSequence,
  intrinsicGasTooLow: codes.outOfGas,
  floorGasTooLow: codes.outOfGas,
  belowMinimumPrice: codes.insufficientFee,
  belowBaseFee: codes.insufficientFee,
  sidecarMissing: codes.notSupported,
  tooManyBlobs: codes.notSupported,
  invalidBlobs: codes.notSupported,
  noAuthorizations: codes.invalidRequest,
  setCodeCreates: codes.invalidRequest,
  senderIsContract: codes.invalidRequest,
  nonceTooLow: codes.wrongSequence,
  nonceTooHigh: codes.wrongSequence,
  insufficientFunds: codes.insufficientFunds,
  insufficientFundsForAll: codes.insufficientFunds,
  insufficientFundsForBump: codes.insufficientFunds,
  gappedFromDelegated: codes.wrongSequence,
  delegatedInFlight: codes.wrongSequence,
  authorityReserved: codes.wrongSequence,
  replacementUnderpriced: codes.insufficientFee,
  underpriced: codes.insufficientFee,
  accountLimit: codes.poolFull,
  poolFull: codes.poolFull,
  notJournaled: codes.poolFull,
  busy: codes.poolFull,
}
