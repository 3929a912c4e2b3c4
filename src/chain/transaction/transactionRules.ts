import { maxUint64, maxUint256 } from '../../base/encoding/bytes.ts'
import { type Fork, since } from '../config/forks.ts'
import { type ChainLimits, initCodeSize, transactionGasCap } from '../config/limits.ts'
import {
  floorGas as floorGasOf,
  type IntrinsicGasFields,
  intrinsicGas as intrinsicGasOf,
} from './intrinsicGas.ts'
import { isSignatureInRange } from './signature.ts'
import {
  type Transaction,
  TransactionError,
  type TransactionType,
  type UnsignedTransaction,
} from './transaction.ts'

/** The rules of a fork that a transaction must satisfy whatever the state. */

export const maxNonce = maxUint64
const versionedHashVersion = 1
/** EIP-7594. */
export const maxBlobsPerTransaction = 6

const firstFork: Readonly<Record<TransactionType, Fork>> = {
  0: 'frontier',
  1: 'berlin',
  2: 'london',
  3: 'cancun',
  4: 'prague',
}

export const isTypeKnown = (type: TransactionType, fork: Fork): boolean => since(fork, firstFork[type])

/** Returns the fields that determine the intrinsic gas of a decoded transaction. */
const toIntrinsicGasFields = (tx: UnsignedTransaction): IntrinsicGasFields => ({
  to: tx.to,
  data: tx.data,
  accessList: tx.type === 0 ? [] : tx.accessList,
  authorizationList: tx.type === 4 ? tx.authorizations : [],
})

/** Returns the gas that a transaction pays before its first instruction. */
export const intrinsicGas = (tx: UnsignedTransaction, fork: Fork): bigint =>
  intrinsicGasOf(fork, toIntrinsicGasFields(tx))

/** Returns the least gas that a transaction pays for its data (EIP-7623); zero before Prague. */
export const floorGas = (tx: UnsignedTransaction, fork: Fork): bigint => floorGasOf(fork, tx.data)

/** Returns the gas below which no gas limit of a transaction may be: the intrinsic gas, or the floor if that is higher. */
export const leastGas = (tx: UnsignedTransaction, fork: Fork): bigint => {
  const intrinsic = intrinsicGas(tx, fork)
  const floor = floorGas(tx, fork)
  return floor > intrinsic ? floor : intrinsic
}

/** Throws a TransactionError if no state can make the transaction valid. The signature is not recovered. */
export const checkTransaction = (tx: Transaction, fork: Fork, chainId: bigint, limits: ChainLimits): void => {
  if (!isTypeKnown(tx.type, fork))
    throw new TransactionError('type', `type ${tx.type} is not part of ${fork}`)
  checkChainId(tx, fork, chainId)
  // EIP-2681: a nonce of 2^64-1 could not be incremented.
  if (tx.nonce === maxNonce) throw new TransactionError('nonce', 'nonce is 2^64-1')
  checkFees(tx)
  checkGas(tx, fork, limits)
  if (tx.type === 3) checkBlobs(tx, fork)
  if (tx.type === 4) checkAuthorizations(tx)
  if (!isSignatureInRange(tx.signature, fork))
    throw new TransactionError('signature', 'invalid sender: invalid transaction v, r, s values')
}

const checkChainId = (tx: UnsignedTransaction, fork: Fork, chainId: bigint): void => {
  if (tx.chainId === undefined) return
  if (!since(fork, 'spuriousDragon'))
    throw new TransactionError('signature', 'v names a chain before EIP-155')
  if (tx.chainId !== chainId)
    throw new TransactionError('chainId', `signed for chain ${tx.chainId}, not ${chainId}`)
}

const checkFees = (tx: UnsignedTransaction): void => {
  const highest = tx.type === 0 || tx.type === 1 ? tx.gasPrice : tx.maxFeePerGas
  if (tx.type !== 0 && tx.type !== 1 && tx.maxPriorityFeePerGas > tx.maxFeePerGas)
    throw new TransactionError('fee', 'maxPriorityFeePerGas is over maxFeePerGas')
  if (tx.gasLimit * highest > maxUint256) throw new TransactionError('fee', 'gas × price is over 256 bits')
}

const checkGas = (tx: UnsignedTransaction, fork: Fork, limits: ChainLimits): void => {
  if (tx.to === undefined && since(fork, 'shanghai') && tx.data.length > initCodeSize(limits))
    throw new TransactionError('initCode', `init code has ${tx.data.length} bytes`)
  const least = intrinsicGas(tx, fork)
  const floor = floorGas(tx, fork)
  if (tx.gasLimit < least)
    throw new TransactionError('gas', `gas ${tx.gasLimit} is below the intrinsic ${least}`)
  if (tx.gasLimit < floor) throw new TransactionError('gas', `gas ${tx.gasLimit} is below the floor ${floor}`)
  const cap = transactionGasCap(limits, fork)
  if (cap !== undefined && tx.gasLimit > cap)
    throw new TransactionError('gas', `gas ${tx.gasLimit} is over ${cap}`)
}

const checkBlobs = (tx: Extract<UnsignedTransaction, { type: 3 }>, fork: Fork): void => {
  if (tx.to === undefined) throw new TransactionError('blobs', 'a blob transaction cannot create a contract')
  if (tx.blobVersionedHashes.length === 0) throw new TransactionError('blobs', 'no blobs')
  if (since(fork, 'osaka') && tx.blobVersionedHashes.length > maxBlobsPerTransaction)
    throw new TransactionError('blobs', `${tx.blobVersionedHashes.length} blobs`)
  if (tx.blobVersionedHashes.some((hash) => hash[0] !== versionedHashVersion))
    throw new TransactionError('blobs', 'a blob hash is not of version 1')
}

const checkAuthorizations = (tx: Extract<UnsignedTransaction, { type: 4 }>): void => {
  if (tx.to === undefined)
    throw new TransactionError('authorizations', 'a set-code transaction cannot create a contract')
  if (tx.authorizations.length === 0) throw new TransactionError('authorizations', 'no authorizations')
}
