import { noBytes } from '../../base/bytes.ts'
import type { MaybePromise } from '../../base/maybePromise.ts'
import type { Chain } from '../../chain/port/chain.ts'
import type { OwnTransactionRequest, TransactionRequest } from '../../chain/transaction/request.ts'
import type { TransactionType, UnsignedTransaction } from '../../chain/transaction/types.ts'
import { failed } from '../../rpc/errors.ts'
import { type FeeSuggestion, highestFee, singlePrice, suggestFees } from '../fees.ts'

/** What the specification says of a transaction that names no gas. */
const defaultGas = 90_000n

const hasFees = ({ maxFeePerGas, maxPriorityFeePerGas }: OwnTransactionRequest): boolean =>
  maxFeePerGas !== undefined || maxPriorityFeePerGas !== undefined

/** Requests that contradict themselves are refused in geth's words. */
const checkRequest = (request: OwnTransactionRequest, chainId: bigint): void => {
  const { gasPrice, maxFeePerGas, maxPriorityFeePerGas, blobs, blobVersionedHashes } = request
  if (gasPrice !== undefined && hasFees(request))
    throw failed('both gasPrice and (maxFeePerGas or maxPriorityFeePerGas) specified')
  if (maxFeePerGas !== undefined && maxPriorityFeePerGas !== undefined && maxFeePerGas < maxPriorityFeePerGas)
    throw failed(`maxFeePerGas (${maxFeePerGas}) < maxPriorityFeePerGas (${maxPriorityFeePerGas})`)
  if (request.chainId !== undefined && request.chainId !== chainId)
    throw failed(`chainId does not match node's (have=${request.chainId}, want=${chainId})`)
  if (request.to === undefined && (request.data ?? noBytes).length === 0)
    throw failed('contract creation without any data provided')
  if (blobs !== undefined || blobVersionedHashes !== undefined || request.type === 3n)
    throw failed('signing blob transactions not supported')
}

/** The type that the members ask for. */
const impliedType = (request: OwnTransactionRequest, isLondon: boolean): TransactionType => {
  if (request.authorizationList !== undefined) return 4
  if (hasFees(request) || (request.gasPrice === undefined && isLondon)) return 2
  return request.accessList === undefined ? 0 : 1
}

const typeOf = (request: OwnTransactionRequest, isLondon: boolean): Exclude<TransactionType, 3> => {
  const implied = impliedType(request, isLondon)
  const asked = request.type === undefined ? implied : Number(request.type)
  if (asked !== 0 && asked !== 1 && asked !== 2 && asked !== 4) throw failed('transaction type not supported')
  const isContradiction =
    (request.gasPrice !== undefined && asked > 1) ||
    (request.accessList !== undefined && asked === 0) ||
    (hasFees(request) && asked < 2) ||
    (implied === 4) !== (asked === 4)
  if (isContradiction) throw failed(`a transaction of type ${asked} does not have these members`)
  return asked
}

const dynamicFees = (
  { maxFeePerGas, maxPriorityFeePerGas }: OwnTransactionRequest,
  { tip, baseFee = 0n }: FeeSuggestion,
) => {
  const wanted = maxPriorityFeePerGas ?? tip
  const highest = maxFeePerGas ?? highestFee(wanted, baseFee)
  return { maxFeePerGas: highest, maxPriorityFeePerGas: wanted < highest ? wanted : highest }
}

/** Finds the gas of a request that has everything else. */
type GasFinder = (request: TransactionRequest) => MaybePromise<bigint>

/** The transaction that a request describes; what it leaves open comes from the chain, the pool and the fees usual now. */
export const fillTransaction = async (
  chain: Chain,
  request: OwnTransactionRequest,
  findGas: GasFinder = () => defaultGas,
): Promise<UnsignedTransaction> => {
  const { chainId } = chain.config
  checkRequest(request, chainId)
  const fees = await suggestFees(chain)
  const type = typeOf(request, fees.baseFee !== undefined)
  const prices =
    type === 0 || type === 1
      ? { gasPrice: request.gasPrice ?? singlePrice(fees) }
      : dynamicFees(request, fees)
  const common = {
    chainId,
    nonce: request.nonce ?? (await chain.pool.nextNonce(request.from)),
    gasLimit: request.gas ?? (await findGas({ ...request, ...prices })),
    to: request.to,
    value: request.value ?? 0n,
    data: request.data ?? noBytes,
  }
  const accessList = request.accessList ?? []
  if ('gasPrice' in prices)
    return type === 0 ? { type, ...common, ...prices } : { type: 1, ...common, ...prices, accessList }
  if (type === 4)
    return { type, ...common, ...prices, accessList, authorizations: request.authorizationList ?? [] }
  return { type: 2, ...common, ...prices, accessList }
}
