import { equalBytes } from '../../../base/bytes.ts'
import { keccak256 } from '../../../base/crypto.ts'
import { codes, type NativeFault } from '../../../cosmos/codes.ts'
import { perihelionDialect } from '../../../cosmos/transaction/dialect.ts'
import { unwrapTransaction } from '../../../cosmos/transaction/unwrap.ts'
import type { NativeTransaction } from '../../../cosmos/transaction/wrap.ts'
import type { PoolIntake } from '../../../pool/admission/intake.ts'
import type { RefusalKind } from '../../../pool/admission/refusals.ts'
import { effectiveTip, readSubmission } from '../../../pool/admission/submission.ts'
import type { TransactionPool } from '../../../pool/pool.ts'
import type { Admission, PoolTransaction } from '../../../pool/types.ts'

/** What the engine's mempool is told of a transaction (ABCI's CheckTx). */
export type CheckResult =
  | {
      readonly code: typeof codes.success
      readonly log: ''
      readonly hash: Uint8Array
      readonly gasWanted: bigint
      readonly sender: Uint8Array
      /** Wei a gas that the proposer would earn in the next block. */
      readonly priority: bigint
    }
  | { readonly code: NativeFault['code']; readonly log: string }

interface CheckDependencies {
  readonly pool: Pick<TransactionPool, 'get' | 'add' | 'head'>
  readonly intake: Pick<PoolIntake, 'submit'>
}

/**
 * Takes a transaction from the engine into the pool, or says why not, in geth's words. `again`: the engine holds it
 * since an earlier check, which recovered its sender; it is not recovered a second time.
 */
export const checkTx = async (
  bytes: Uint8Array,
  again: boolean,
  { pool, intake }: CheckDependencies,
): Promise<CheckResult> => {
  const { native, fault } = unwrapTransaction(bytes, perihelionDialect)
  if (fault !== undefined) return { code: fault.code, log: fault.message }
  // What this node's own users sent is in the pool before it goes to the engine, and travels only if it passes here.
  const known = pool.get(keccak256(native.raw))
  const { transaction, refusal } = known ? { transaction: known } : await admit(native, again, pool, intake)
  if (refusal !== undefined) return { code: codeOfRefusal[refusal.kind], log: refusal.message }
  if (!equalBytes(transaction.sender, native.from))
    return { code: codes.wrongSigner, log: 'invalid sender: the wrapper names another' }
  return accepted(transaction, pool.head.baseFee)
}

/** Authorities are known only from signatures, so set-code transactions go the whole way each time. */
const admit = async (
  { transaction, raw, from }: NativeTransaction,
  again: boolean,
  pool: CheckDependencies['pool'],
  intake: CheckDependencies['intake'],
): Promise<Admission> => {
  if (!again || transaction.type === 4) return intake.submit(raw, false)
  const read = readSubmission(raw)
  return read.submission
    ? pool.add(read.submission, { sender: from, authorities: [] }, false)
    : { refusal: read.refusal }
}

const accepted = (transaction: PoolTransaction, baseFee: bigint): CheckResult => ({
  code: codes.success,
  log: '',
  hash: transaction.hash,
  gasWanted: transaction.transaction.gasLimit,
  sender: transaction.sender,
  priority: effectiveTip(transaction, baseFee),
})

const codeOfRefusal: Readonly<Record<RefusalKind, NativeFault['code']>> = {
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
  busy: codes.poolFull,
}
