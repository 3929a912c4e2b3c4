import { toChecksumAddress } from '../../chain/address.ts'
import { type Fork, since } from '../../chain/config/forks.ts'
import type { ChainLimits } from '../../chain/config/limits.ts'
import { gasPerBlob } from '../../chain/fees/blobGas.ts'
import { chargedGas, floorGas } from '../../chain/transaction/intrinsicGas.ts'
import type { TransactionRequest } from '../../chain/transaction/request.ts'
import { maxNonce } from '../../chain/transaction/transactionRules.ts'
import { blockBlobBaseFee } from '../../evm/transaction/blobFee.ts'
import type { BlockContext, CallMessage, CallResult, Execution } from '../../evm/types.ts'
import { toMessageError } from '../call/callEnvironment.ts'
import { checkMessage, MessageError, prepareMessage } from '../call/callMessage.ts'
import { SimulationError } from './simulationError.ts'

/** The gas that all calls of one simulation may still use. */
export interface GasPool {
  left: bigint
}

/** The block and the execution that a call runs in. */
export interface SimulatedCallContext {
  readonly execution: Execution
  readonly fork: Fork
  readonly block: BlockContext
  readonly chainId: bigint
  readonly limits: ChainLimits
  readonly isValidated: boolean
}

/** A call whose missing fields are filled in. */
export interface FilledCall {
  /** The request with its nonce. */
  readonly request: TransactionRequest
  readonly gasLimit: bigint
  /** Whether the gas limit is less than the call requested, because the gas pool has no more. */
  readonly isCapped: boolean
}

export interface SimulatedCallResult {
  readonly result: CallResult
  /** The gas used as a receipt would have it. */
  readonly gasUsed: bigint
  /** The most gas in use at any time, before refunds. */
  readonly peakGas: bigint
}

const zeroAddress = new Uint8Array(20)

const nonceOf = ({ evmState: state }: Execution, address: Uint8Array): bigint =>
  state.account(address)?.nonce ?? 0n

/**
 * Fills in nonce and gas limit. `remaining` is the gas that the block has left; a call without a gas limit gets all of
 * it.
 */
export const fillCall = (
  context: SimulatedCallContext,
  request: TransactionRequest,
  remaining: bigint,
  gasPool: GasPool,
): FilledCall => {
  const nonce = request.nonce ?? nonceOf(context.execution, request.from ?? zeroAddress)
  const wanted = request.gas ?? remaining
  if (wanted > remaining)
    throw new SimulationError(
      'block gas limit',
      `block gas limit reached: remaining: ${remaining}, required: ${wanted}`,
    )
  const gasLimit = wanted < gasPool.left ? wanted : gasPool.left
  return { request: { ...request, nonce }, gasLimit, isCapped: gasLimit < wanted }
}

const checkNonce = ({ execution }: SimulatedCallContext, from: Uint8Array, nonce: bigint): void => {
  const expected = nonceOf(execution, from)
  const address = toChecksumAddress(from)
  if (nonce > expected)
    throw new MessageError(
      `nonce too high: address ${address}, tx: ${nonce} state: ${expected}`,
      'nonce too high',
    )
  if (nonce < expected)
    throw new MessageError(
      `nonce too low: address ${address}, tx: ${nonce} state: ${expected}`,
      'nonce too low',
    )
  // No nonce follows the largest one (EIP-2681).
  if (expected === maxNonce)
    throw new MessageError(`nonce has max value: address ${address}, nonce: ${expected}`, 'other')
}

/** Executes a call; throws `SimulationError` if it cannot be part of the block. */
export const runCall = (
  context: SimulatedCallContext,
  { request, gasLimit }: FilledCall,
): SimulatedCallResult => {
  const { execution, fork, block, chainId, isValidated } = context
  const prepared = prepareMessage(request, chainId, fork, block.baseFee)
  const { message, maxFeePerGas, maxPriorityFeePerGas } = prepared
  const hasPrice = maxFeePerGas > 0n || maxPriorityFeePerGas > 0n
  const blobFee = BigInt(message.blobVersionedHashes.length) * gasPerBlob * blockBlobBaseFee(block)
  const balance = execution.evmState.account(message.from)?.balance ?? 0n
  // Blobs that offer no fee are paid for all the same, as in geth, by who can.
  const isAffordable = prepared.maxFeePerBlobGas > 0n || balance >= message.value + blobFee
  const isPaid = isValidated || hasPrice || (blobFee > 0n && isAffordable)
  const call: CallMessage = { ...message, gasLimit, isPaid }
  try {
    if (isValidated) checkNonce(context, message.from, request.nonce ?? 0n)
    const prices = {
      fork,
      baseFee: block.baseFee,
      blobBaseFee: blockBlobBaseFee(block),
      isFeeRequired: isValidated,
    }
    checkMessage(prepared, prices, balance, gasLimit)
    const result = execution.call(call)
    if (!result.valid) throw toMessageError(result.reason, call, context)
    const floor = floorGas(fork, message.data)
    return {
      result,
      gasUsed: chargedGas(fork, result.gasUsed, result.refund, floor),
      peakGas: since(fork, 'prague') && result.gasUsed < floor ? floor : result.gasUsed,
    }
  } catch (error) {
    if (!(error instanceof MessageError)) throw error
    throw new SimulationError(error.kind, `err: ${error.message} (supplied gas ${gasLimit})`)
  }
}
