import type { Header } from '../../chain/block/header.ts'
import type { ChainConfig } from '../../chain/config/chainConfig.ts'
import type { Fork } from '../../chain/config/forks.ts'
import { type ChainLimits, initCodeSize } from '../../chain/config/limits.ts'
import type { CallOutcome } from '../../chain/port/executor.ts'
import type { EvmStateReader, StateChanges } from '../../chain/state/evmState.ts'
import type { AccountOverride, BlockOverride } from '../../chain/state/overrides.ts'
import { chargedGas, floorGas, intrinsicGas } from '../../chain/transaction/intrinsicGas.ts'
import type { TransactionRequest } from '../../chain/transaction/request.ts'
import type { Evm } from '../../evm/evm.ts'
import { blockBlobBaseFee } from '../../evm/transaction/blobFee.ts'
import {
  type AttemptResult,
  type BlockContext,
  type CallMessage,
  type ExecutionContext,
  type HaltReason,
  InterruptedError,
  type InvalidTransaction,
  type KeptExecution,
  type PrecompileSet,
  type Tracer,
} from '../../evm/types.ts'
import { applyBlockOverride, applyPrecompileOverrides, applyStateOverrides } from './applyOverrides.ts'
import { toBlockContext } from './blockContext.ts'
import type { ExecutionBudget } from './budget.ts'
import { checkMessage, MessageError, type PreparedMessage, prepareMessage } from './callMessage.ts'

/** The block that calls start from, and the state after it. */
export interface StateAndHeader {
  readonly header: Header
  readonly state: EvmStateReader
  readonly blockHash: (number: bigint) => Uint8Array
}

export interface CallOverrides {
  readonly stateOverrides?: readonly AccountOverride[] | undefined
  readonly blockOverrides?: BlockOverride | undefined
}

/** The result of one call with the gas that it used. */
export interface ExecutedCall {
  readonly result: AttemptResult
  /** The gas used as a receipt would have it. */
  readonly gasUsed: bigint
  /** The most gas in use at any time, before refunds. A gas limit must cover at least this. */
  readonly peakGas: bigint
}

export interface RunOptions {
  readonly accessList?: CallMessage['accessList']
  readonly tracer?: Tracer
}

/** Thrown if the gas limit does not cover the intrinsic gas of the message. */
export class GasTooLowError extends MessageError {
  override readonly name = 'GasTooLowError'
}

const unknownHash = new Uint8Array(32)

/** The failures that geth describes by the instruction, the stack or the input, which only a tracer sees. */
const detailed: ReadonlySet<HaltReason> = new Set([
  'invalid opcode',
  'stack underflow',
  'stack overflow',
  'out of gas',
  'max code size exceeded',
  'precompile failed',
])

/** The part of the time left that is spent on the details of a failure. */
const detailShare = 1 / 4

/**
 * A block, a state and overrides, in which messages are executed. Their changes are dropped unless the caller asks for
 * them.
 */
export class CallEnvironment {
  readonly fork: Fork
  readonly limits: ChainLimits
  readonly block: BlockContext
  readonly precompiles: PrecompileSet | undefined
  readonly #evm: Evm
  readonly #config: ChainConfig
  #state: EvmStateReader
  #freeBlock: BlockContext | undefined
  /** Runs messages that name no price, and has what earlier ones have read; undefined if nothing is kept. */
  #kept: KeptExecution | undefined

  constructor(evm: Evm, config: ChainConfig, base: StateAndHeader, overrides: CallOverrides) {
    // BLOCKHASH knows neither the block that the code runs in nor later ones, whatever number the overrides give the
    // block.
    const blockHash = (number: bigint): Uint8Array =>
      number < base.header.number ? base.blockHash(number) : unknownHash
    const { fork, block } = toBlockContext(config, base.header, blockHash)
    this.fork = fork
    this.limits = config.limits
    this.block = applyBlockOverride(block, overrides.blockOverrides)
    this.precompiles = applyPrecompileOverrides(fork, overrides.stateOverrides)
    this.#evm = evm
    this.#config = config
    this.#state = applyStateOverrides(base.state, overrides.stateOverrides)
  }

  get state(): EvmStateReader {
    return this.#state
  }

  /** Replaces the state for the following calls. */
  set state(state: EvmStateReader) {
    this.#state = state
  }

  /** The context of messages that name no price, and are traced by nobody. */
  get freeContext(): ExecutionContext {
    return this.#contextOf(this.#withoutFee())
  }

  /** Lets an execution in the free context run the messages that it can. */
  keep(execution: KeptExecution): void {
    this.#kept = execution
  }

  prepare(request: TransactionRequest): PreparedMessage {
    return prepareMessage(request, this.#config.chainId, this.fork, this.block.baseFee)
  }

  /** Executes a message; throws `MessageError` if it is not valid. */
  run(
    prepared: PreparedMessage,
    gasLimit: bigint,
    budget: ExecutionBudget,
    options: RunOptions = {},
  ): ExecutedCall {
    const { message, hasBlobs } = prepared
    const kept = this.#kept
    if (kept === undefined || options.tracer !== undefined || message.gasPrice > 0n || hasBlobs)
      return this.#execute(prepared, gasLimit, budget, options).run
    this.#check(prepared, 0n, 0n, gasLimit)
    const attempted = toCallMessage(prepared, gasLimit, options.accessList)
    return this.#finish(kept.attempt(attempted, budget.limits()), attempted, budget)
  }

  /** Returns the outcome of a message that was executed. A failure has geth's words. */
  describe(
    executed: ExecutedCall,
    prepared: PreparedMessage,
    gasLimit: bigint,
    budget: ExecutionBudget,
  ): CallOutcome {
    const outcome = toCallOutcome(executed)
    const { error } = executed.result
    if (error === undefined || !detailed.has(error)) return outcome
    let described: string = error
    const tracer: Tracer = {
      exit: ({ depth, message }) => {
        if (depth === 0 && message !== undefined) described = message
      },
    }
    // The second run is for the words alone.
    const left = budget.isFinal ? budget.part(detailShare) : budget
    try {
      this.run(prepared, gasLimit, left, { tracer })
    } catch (error) {
      // That it failed is known without the details, for which no time is left. What is not final is run again elsewhere.
      if (!(error instanceof InterruptedError) || !budget.isFinal) throw error
    }
    return { ...outcome, error: described }
  }

  /** Executes a message like `run` and returns its state changes too. */
  runWithChanges(
    prepared: PreparedMessage,
    gasLimit: bigint,
    budget: ExecutionBudget,
    options: RunOptions = {},
  ): { readonly run: ExecutedCall; readonly changes: StateChanges } {
    const { run, takeChanges: drainChanges } = this.#execute(prepared, gasLimit, budget, options)
    return { run, changes: drainChanges() }
  }

  #execute(prepared: PreparedMessage, gasLimit: bigint, budget: ExecutionBudget, options: RunOptions) {
    const block = this.#blockFor(prepared)
    this.#check(prepared, block.baseFee, blockBlobBaseFee(block), gasLimit)
    const message = toCallMessage(prepared, gasLimit, options.accessList)
    const execution = this.#evm.createExecution({
      ...this.#contextOf(block),
      limits: budget.limits(),
      ...(options.tracer === undefined ? {} : { tracer: options.tracer }),
    })
    const run = this.#finish(execution.call(message), message, budget)
    return { run, takeChanges: () => execution.drainChanges() }
  }

  #check(prepared: PreparedMessage, baseFee: bigint, blobBaseFee: bigint, gasLimit: bigint): void {
    const { message, maxFeePerGas } = prepared
    // Most messages pay for nothing, whoever they are from.
    const isFree = maxFeePerGas === 0n && message.value === 0n && !prepared.hasBlobs
    const balance = isFree ? 0n : (this.#state.account(message.from)?.balance ?? 0n)
    checkMessage(prepared, { fork: this.fork, baseFee, blobBaseFee }, balance, gasLimit)
  }

  #finish(
    result: AttemptResult | InvalidTransaction,
    message: CallMessage,
    budget: ExecutionBudget,
  ): ExecutedCall {
    if (!result.valid) throw toMessageError(result.reason, message, this)
    budget.spend(result.gasUsed)
    const floor = floorGas(this.fork, message.data)
    return {
      result,
      gasUsed: chargedGas(this.fork, result.gasUsed, result.refund, floor),
      peakGas: result.gasUsed < floor ? floor : result.gasUsed,
    }
  }

  #contextOf(block: BlockContext): ExecutionContext {
    return {
      fork: this.fork,
      chainId: this.#config.chainId,
      chainLimits: this.#config.limits,
      evmState: this.#state,
      block,
      ...(this.precompiles === undefined ? {} : { precompiles: this.precompiles }),
    }
  }

  /**
   * Returns the block with a base fee of zero if the message names no gas price, so that it is not rejected; the blob
   * base fee likewise.
   */
  #blockFor({ message, hasBlobs, maxFeePerBlobGas }: PreparedMessage): BlockContext {
    const block = message.gasPrice === 0n ? this.#withoutFee() : this.block
    return hasBlobs && maxFeePerBlobGas === 0n ? { ...block, blobBaseFee: 0n } : block
  }

  #withoutFee(): BlockContext {
    this.#freeBlock ??= { ...this.block, baseFee: 0n }
    return this.#freeBlock
  }
}

const toCallMessage = (
  { message, maxFeePerBlobGas }: PreparedMessage,
  gasLimit: bigint,
  accessList: CallMessage['accessList'] = message.accessList,
): CallMessage => ({
  from: message.from,
  to: message.to,
  value: message.value,
  data: message.data,
  gasLimit,
  gasPrice: message.gasPrice,
  isPaid: message.gasPrice > 0n || maxFeePerBlobGas > 0n,
  accessList,
  blobVersionedHashes: message.blobVersionedHashes,
  authorizationList: message.authorizationList,
})

/** The rules that an error's text names. */
export interface MessageRules {
  readonly fork: Fork
  readonly limits: ChainLimits
}

/** Converts a reason of the EVM to geth's error message. */
export const toMessageError = (
  reason: string,
  message: CallMessage,
  { fork, limits }: MessageRules,
): MessageError => {
  const { gasLimit, data } = message
  switch (reason) {
    case 'intrinsic gas too low':
      return new GasTooLowError(
        `${reason}: have ${gasLimit}, want ${intrinsicGas(fork, message)}`,
        'intrinsic gas too low',
      )
    case 'floor data gas too low':
      return new GasTooLowError(
        `insufficient gas for floor data gas cost: have ${gasLimit}, want ${floorGas(fork, data)}`,
        'intrinsic gas too low',
      )
    case 'max initcode size exceeded':
      return new MessageError(
        `${reason}: code size ${data.length} limit ${initCodeSize(limits)}`,
        'init code size',
      )
    case 'insufficient funds for transfer':
    case 'insufficient funds for gas * price + value':
      return new MessageError(reason, 'insufficient funds')
    default:
      return new MessageError(reason)
  }
}

export const toCallOutcome = ({ result, gasUsed }: ExecutedCall): CallOutcome => ({
  isSuccess: result.success,
  isRevert: result.error === 'execution reverted',
  error: result.error,
  output: result.output,
  gasUsed,
})
