import { maxUint64, maxUint256 } from '../../base/encoding/bytes.ts'
import { type Fork, since } from '../../chain/config/forks.ts'
import { type ChainLimits, initCodeSize, transactionGasCap } from '../../chain/config/limits.ts'
import { gasPerBlob } from '../../chain/fees/blobGas.ts'
import type { InvalidReason } from '../../chain/transaction/invalidReason.ts'
import { maxBlobsPerTransaction } from '../../chain/transaction/transactionRules.ts'
import type { BlockContext, TransactionFields, TransactionOptions } from '../types.ts'

/** The sender's account in the state. */
export interface SenderState {
  readonly nonce: bigint
  readonly balance: bigint
  /** Whether it has code other than a delegation (EIP-3607, EIP-7702). */
  readonly hasContractCode: boolean
}

export interface GasPrices {
  readonly baseFee: bigint
  readonly blobBaseFee: bigint
}

const typeSince: readonly Fork[] = ['frontier', 'berlin', 'london', 'cancun', 'prague']

const checkKind = (tx: TransactionFields, fork: Fork, chainId: bigint): InvalidReason | undefined => {
  if (!since(fork, typeSince[tx.type] as Fork)) return 'type not supported'
  if (tx.chainId !== undefined && tx.chainId !== chainId) return 'invalid chain id'
  return undefined
}

const checkNonce = (tx: TransactionFields, nonce: bigint): InvalidReason | undefined => {
  if (tx.nonce > nonce) return 'nonce too high'
  if (tx.nonce < nonce) return 'nonce too low'
  return nonce >= maxUint64 ? 'nonce has max value' : undefined
}

const checkFees = (tx: TransactionFields, fork: Fork, prices: GasPrices): InvalidReason | undefined => {
  if (!since(fork, 'london')) return undefined
  if (tx.maxFeePerGas > maxUint256) return 'fee cap very high'
  if (tx.maxPriorityFeePerGas > maxUint256) return 'tip very high'
  if (tx.maxFeePerGas < tx.maxPriorityFeePerGas) return 'tip above fee cap'
  return tx.maxFeePerGas < prices.baseFee ? 'fee cap less than block base fee' : undefined
}

const checkBlobs = (
  tx: TransactionFields,
  fork: Fork,
  prices: GasPrices,
  available: bigint,
): InvalidReason | undefined => {
  if (tx.type !== 3) return undefined
  const count = tx.blobVersionedHashes.length
  if (tx.to === undefined) return 'blob transaction of create type'
  if (count === 0) return 'missing blob hashes'
  if (since(fork, 'osaka') && count > maxBlobsPerTransaction) return 'too many blobs'
  if (BigInt(count) * gasPerBlob > available) return 'too many blobs'
  if (tx.blobVersionedHashes.some((hash) => hash[0] !== 1)) return 'invalid blob hash version'
  return tx.maxFeePerBlobGas < prices.blobBaseFee ? 'blob fee cap less than block blob base fee' : undefined
}

const checkAuthorizations = (tx: TransactionFields): InvalidReason | undefined => {
  if (tx.type !== 4) return undefined
  if (tx.to === undefined) return 'set code transaction of create type'
  return tx.authorizationList.length === 0 ? 'empty authorization list' : undefined
}

const checkGasCap = ({ gasLimit }: TransactionFields, cap: bigint | undefined): InvalidReason | undefined =>
  cap !== undefined && gasLimit > cap ? 'gas limit too high' : undefined

const checkFunds = (tx: TransactionFields, balance: bigint): InvalidReason | undefined => {
  const blobs = BigInt(tx.blobVersionedHashes.length) * gasPerBlob * tx.maxFeePerBlobGas
  const needed = tx.gasLimit * tx.maxFeePerGas + tx.value + blobs
  return needed > maxUint256 || needed > balance ? 'insufficient funds for gas * price + value' : undefined
}

/**
 * Returns the reason why a transaction cannot be in a block, in the order of geth's checks; undefined if it
 * is valid.
 */
export const checkTransaction = (
  tx: TransactionFields,
  sender: SenderState,
  fork: Fork,
  chainId: bigint,
  block: BlockContext,
  prices: GasPrices,
  options: TransactionOptions,
  limits: ChainLimits,
): InvalidReason | undefined => {
  const blobGasAvailable = options.blobGasAvailable ?? BigInt(block.blobParameters?.max ?? 0) * gasPerBlob
  return (
    checkKind(tx, fork, chainId) ??
    checkNonce(tx, sender.nonce) ??
    checkGasCap(tx, transactionGasCap(limits, fork)) ??
    (sender.hasContractCode && tx.isImpersonated !== true ? 'sender not an eoa' : undefined) ??
    checkFees(tx, fork, prices) ??
    checkBlobs(tx, fork, prices, blobGasAvailable) ??
    checkAuthorizations(tx) ??
    checkFunds(tx, sender.balance) ??
    (tx.gasLimit > (options.gasAvailable ?? block.gasLimit) ? 'gas limit reached' : undefined)
  )
}

/** Checks the rules that depend on the data alone; they come last. */
export const checkData = (
  tx: Pick<TransactionFields, 'to' | 'data' | 'gasLimit'>,
  fork: Fork,
  intrinsic: bigint,
  floor: bigint,
  limits: ChainLimits,
): InvalidReason | undefined => {
  if (tx.gasLimit > maxUint64) return 'gas overflow'
  if (tx.gasLimit < intrinsic) return 'intrinsic gas too low'
  if (tx.gasLimit < floor) return 'floor data gas too low'
  if (tx.to === undefined && since(fork, 'shanghai') && tx.data.length > initCodeSize(limits)) {
    return 'max initcode size exceeded'
  }
  return undefined
}
