import { signalOf, type Waiter } from '../../base/async/waiter.ts'
import { emptyBytes } from '../../base/encoding/bytes.ts'
import { ChainError, unsupported } from '../../chain/chainError.ts'
import type { BlockRef } from '../../chain/port/blockRef.ts'
import type {
  AccessListOutcome,
  CallOutcome,
  CallRequest,
  EstimateOutcome,
  Executor,
} from '../../chain/port/executor.ts'
import { chainIdMismatch } from '../../chain/state/callErrors.ts'
import type { AccountOverride } from '../../chain/state/overrides.ts'
import { evmMethods } from '../../cosmos/queries/moduleMethods.ts'
import { createAccessList } from './accessList.ts'
import { encodeCall, encodeOverrides } from './encodeCall.ts'
import {
  type ChargedOutcome,
  type ExecutionDependencies,
  resolveHeight,
  withCallTimeout,
} from './executionContext.ts'

export interface ExecutorLimits {
  readonly gasCap: bigint
  readonly timeoutMs: number
}

const revertError = 'execution reverted'

/** Executes calls on the upstreams, each on the state after one block. */
export class GatewayExecutor implements Executor {
  readonly #limits: ExecutorLimits
  readonly #dependencies: ExecutionDependencies

  constructor(limits: ExecutorLimits, dependencies: ExecutionDependencies) {
    this.#limits = limits
    this.#dependencies = dependencies
  }

  call(callRequest: CallRequest, at: BlockRef, waiter: Waiter): Promise<CallOutcome> {
    return this.#run(signalOf(waiter), (limited) => this.#call(callRequest, at, limited))
  }

  estimateGas(callRequest: CallRequest, at: BlockRef, waiter: Waiter): Promise<EstimateOutcome> {
    return this.#run(signalOf(waiter), (limited) => this.#estimate(callRequest, at, limited))
  }

  createAccessList(callRequest: CallRequest, at: BlockRef, signal: AbortSignal): Promise<AccessListOutcome> {
    return this.#run(signal, async (limited) => {
      if (!this.#dependencies.capabilities.callTraces)
        throw unsupported('the chain behind this gateway cannot trace a call, which the list is made by')
      if (callRequest.stateOverrides?.length)
        throw unsupported('the chain behind this gateway cannot trace a call on changed state')
      // All rounds use one height.
      const height = resolveHeight(this.#dependencies, at)
      const call = (request: CallRequest['request']) => this.#call({ request }, atNumber(height), limited)
      return createAccessList(
        callRequest.request,
        height,
        this.#limits.gasCap,
        { ...this.#dependencies, call },
        limited,
      )
    })
  }

  callMany(): never {
    throw unsupported(noSequences)
  }

  simulate(): never {
    throw unsupported(noSequences)
  }

  witness(): never {
    throw unsupported('the chain behind this gateway has its state in no Merkle-Patricia trie')
  }

  stateBefore(): never {
    throw unsupported('the chain behind this gateway has states after whole blocks alone')
  }

  async #call(callRequest: CallRequest, at: BlockRef, signal: AbortSignal): Promise<ChargedOutcome> {
    const { queries, capabilities } = this.#dependencies
    const { request, height } = await this.#request(callRequest, at, signal)
    const answer = await queries.evm(evmMethods.call, request, height, signal)
    const { vmError, ret, gasUsed, maxUsedGas } = answer
    return {
      isSuccess: vmError === '',
      error: vmError === '' ? undefined : vmError,
      isRevert: vmError === revertError,
      output: ret,
      // The charged gas is at least a share of the limit (min_gas_multiplier), so it says nothing about the call.
      gasUsed: capabilities.maxUsedGas && maxUsedGas > 0n ? maxUsedGas : gasUsed,
      chargedGas: gasUsed,
    }
  }

  async #estimate(callRequest: CallRequest, at: BlockRef, signal: AbortSignal): Promise<EstimateOutcome> {
    const height = resolveHeight(this.#dependencies, at)
    const { request } = await this.#request(callRequest, atNumber(height), signal)
    try {
      const { queries } = this.#dependencies
      const { gas, ret, vmError } = await queries.evm(evmMethods.estimateGas, request, height, signal)
      return vmError === ''
        ? { gas, failure: undefined }
        : { gas: undefined, failure: toFailure(vmError, ret) }
    } catch (error) {
      if (!(error instanceof ChainError) || error.kind !== 'refused' || !error.message.includes(revertError))
        throw error
      // Ethermint reports that a call reverted, but not its output.
      const outcome = await this.#call(callRequest, atNumber(height), signal)
      return { gas: undefined, failure: outcome.isSuccess ? toFailure(revertError, emptyBytes) : outcome }
    }
  }

  async #request(
    { request, stateOverrides, blockOverrides }: CallRequest,
    at: BlockRef,
    signal: AbortSignal,
  ) {
    const { config, blockContext } = this.#dependencies
    if (blockOverrides !== undefined && Object.values(blockOverrides).some((value) => value !== undefined))
      throw unsupported(
        'the chain behind this gateway runs calls in existing blocks only: no block overrides',
      )
    const overrides = this.#overrides(stateOverrides ?? [])
    const { chainId } = config
    if (request.chainId !== undefined && request.chainId !== chainId)
      throw chainIdMismatch(request.chainId, chainId)
    const height = resolveHeight(this.#dependencies, at)
    const { proposer } = await blockContext(height, signal)
    return {
      height,
      request: {
        args: encodeCall(request),
        gasCap: this.#limits.gasCap,
        proposerAddress: proposer,
        chainId,
        overrides,
      },
    }
  }

  #overrides(overrides: readonly AccountOverride[]): Uint8Array {
    if (overrides.length === 0) return emptyBytes
    if (!this.#dependencies.capabilities.stateOverrides)
      throw unsupported('the chain behind this gateway takes no state overrides')
    return encodeOverrides(overrides)
  }

  #run<T>(signal: AbortSignal, run: (signal: AbortSignal) => Promise<T>): Promise<T> {
    return withCallTimeout(this.#limits.timeoutMs, signal, run)
  }
}

const noSequences =
  'the chain behind this gateway runs one call at a time and forgets what it changed: use eth_call for each'

const toFailure = (error: string, output: Uint8Array): CallOutcome => ({
  isSuccess: false,
  error,
  isRevert: error === revertError,
  output,
  gasUsed: 0n,
})

const atNumber = (height: number): BlockRef => ({ kind: 'number', number: BigInt(height) })
