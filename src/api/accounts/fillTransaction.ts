import type { MaybePromise } from '../../base/async/maybePromise.ts'
import { emptyBytes } from '../../base/encoding/bytes.ts'
import { defaultFeeCap } from '../../chain/fees/defaultFees.ts'
import type { Chain } from '../../chain/port/chain.ts'
import type { SignableTransactionRequest, TransactionRequest } from '../../chain/transaction/request.ts'
import type { TransactionType, UnsignedTransaction } from '../../chain/transaction/transaction.ts'
import { callFailed } from '../../rpc/errors.ts'
import { type FeeSuggestion, legacyGasPrice, suggestFees } from './fees.ts'

const hasFees = ({ maxFeePerGas, maxPriorityFeePerGas }: SignableTransactionRequest): boolean =>
  maxFeePerGas !== undefined || maxPriorityFeePerGas !== undefined

/** Throws geth's error for a request with contradictory members. */
const checkRequest = (request: SignableTransactionRequest, chainId: bigint): void => {
  const { gasPrice, maxFeePerGas, maxPriorityFeePerGas, blobs, blobVersionedHashes } = request
  if (gasPrice !== undefined && hasFees(request))
    throw callFailed('both gasPrice and (maxFeePerGas or maxPriorityFeePerGas) specified')
  if (maxFeePerGas !== undefined && maxPriorityFeePerGas !== undefined && maxFeePerGas < maxPriorityFeePerGas)
    throw callFailed(`maxFeePerGas (${maxFeePerGas}) < maxPriorityFeePerGas (${maxPriorityFeePerGas})`)
  if (request.chainId !== undefined && request.chainId !== chainId)
    throw callFailed(`chainId does not match node's (have=${request.chainId}, want=${chainId})`)
  if (request.to === undefined && (request.data ?? emptyBytes).length === 0)
    throw callFailed('contract creation without any data provided')
  if (blobs !== undefined || blobVersionedHashes !== undefined || request.type === 3n)
    throw callFailed('signing blob transactions not supported')
}

/** Returns the transaction type that the members require. */
const impliedType = (request: SignableTransactionRequest, isLondon: boolean): TransactionType => {
  if (request.authorizationList !== undefined) return 4
  if (hasFees(request) || (request.gasPrice === undefined && isLondon)) return 2
  return request.accessList === undefined ? 0 : 1
}

const typeOf = (request: SignableTransactionRequest, isLondon: boolean): Exclude<TransactionType, 3> => {
  const implied = impliedType(request, isLondon)
  const asked = request.type === undefined ? implied : Number(request.type)
  if (asked !== 0 && asked !== 1 && asked !== 2 && asked !== 4)
    throw callFailed('transaction type not supported')
  const isContradiction =
    (request.gasPrice !== undefined && asked > 1) ||
    (request.accessList !== undefined && asked === 0) ||
    (hasFees(request) && asked < 2) ||
    (implied === 4) !== (asked === 4)
  if (isContradiction) throw callFailed(`a transaction of type ${asked} does not have these members`)
  return asked
}

const dynamicFees = (
  { maxFeePerGas, maxPriorityFeePerGas }: SignableTransactionRequest,
  { tip, baseFee = 0n }: FeeSuggestion,
) => {
  const wanted = maxPriorityFeePerGas ?? tip
  const highest = maxFeePerGas ?? defaultFeeCap(wanted, baseFee)
  return { maxFeePerGas: highest, maxPriorityFeePerGas: wanted < highest ? wanted : highest }
}

/** Returns the gas of a request that has all other members. */
type GasEstimator = (request: TransactionRequest) => MaybePromise<bigint>

/**
 * Returns the transaction of a request. Missing members come from the chain, the pool and the current fees; `findGas` is
 * asked for the gas of one that states none.
 */
export const fillTransaction = async (
  chain: Chain,
  request: SignableTransactionRequest,
  findGas: GasEstimator,
): Promise<UnsignedTransaction> => {
  const { chainId } = chain.config
  checkRequest(request, chainId)
  const fees = await suggestFees(chain)
  const type = typeOf(request, fees.baseFee !== undefined)
  const prices =
    type === 0 || type === 1
      ? { gasPrice: request.gasPrice ?? legacyGasPrice(fees) }
      : dynamicFees(request, fees)
  const common = {
    chainId,
    nonce: request.nonce ?? (await chain.pool.nextNonce(request.from)),
    gasLimit: request.gas ?? (await findGas({ ...request, ...prices })),
    to: request.to,
    value: request.value ?? 0n,
    data: request.data ?? emptyBytes,
  }
  const accessList = request.accessList ?? []
  if ('gasPrice' in prices)
    return type === 0 ? { type, ...common, ...prices } : { type: 1, ...common, ...prices, accessList }
  if (type === 4)
    return { type, ...common, ...prices, accessList, authorizations: request.authorizationList ?? [] }
  return { type: 2, ...common, ...prices, accessList }
}
