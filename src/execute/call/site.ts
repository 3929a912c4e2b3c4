import type { Header } from '../../chain/block/header.ts'
import type { ChainConfig } from '../../chain/config/chainConfig.ts'
import { type Fork, since } from '../../chain/config/forks.ts'
import type { CallOutcome } from '../../chain/port/executor.ts'
import type { AccountOverride, BlockOverride } from '../../chain/state/overrides.ts'
import type { WorldChanges, WorldReader } from '../../chain/state/world.ts'
import { chargedGas, floorGas, intrinsicGas } from '../../chain/transaction/intrinsicGas.ts'
import type { TransactionRequest } from '../../chain/transaction/request.ts'
import type { Machine } from '../../evm/machine.ts'
import { blockBlobBaseFee } from '../../evm/transaction/blobFee.ts'
import { maxInitCodeSize } from '../../evm/transaction/validity.ts'
import type { BlockContext, CallMessage, CallResult, PrecompileSet, Tracer } from '../../evm/types.ts'
import { contextOfHeader } from './blockContext.ts'
import { checkMessage, MessageError, type PreparedMessage, prepareMessage } from './message.ts'
import type { Meter } from './meter.ts'
import { overrideBlock, overridePrecompiles, overrideState } from './overrides.ts'

/** A block and the state that calls begin with. */
export interface CallPlace {
  readonly header: Header
  readonly world: WorldReader
  readonly blockHash: (number: bigint) => Uint8Array
}

export interface SiteOverrides {
  readonly stateOverrides?: readonly AccountOverride[] | undefined
  readonly blockOverrides?: BlockOverride | undefined
}

/** How one execution ended. */
export interface Run {
  readonly result: CallResult
  /** As a receipt would say. */
  readonly gasUsed: bigint
  /** At its highest, before refunds: what a gas limit has to cover at least. */
  readonly peakGas: bigint
}

export interface RunOptions {
  readonly accessList?: CallMessage['accessList']
  readonly tracer?: Tracer
}

/** The gas limit does not even pay for the message itself. */
export class GasTooLowError extends MessageError {
  override readonly name = 'MessageError'
}

const unknownHash = new Uint8Array(32)

/** A place with its overrides, where messages run. Nothing of them stays, unless it is kept on purpose. */
export class CallSite {
  readonly fork: Fork
  readonly block: BlockContext
  readonly precompiles: PrecompileSet | undefined
  readonly #machine: Machine
  readonly #config: ChainConfig
  #world: WorldReader

  constructor(machine: Machine, config: ChainConfig, place: CallPlace, overrides: SiteOverrides) {
    // A block that code runs in does not know its own hash, and none after it, whatever its number is said to be.
    const blockHash = (number: bigint): Uint8Array =>
      number < place.header.number ? place.blockHash(number) : unknownHash
    const { fork, block } = contextOfHeader(config, place.header, blockHash)
    this.fork = fork
    this.block = overrideBlock(block, overrides.blockOverrides)
    this.precompiles = overridePrecompiles(fork, overrides.stateOverrides)
    this.#machine = machine
    this.#config = config
    this.#world = overrideState(place.world, overrides.stateOverrides)
  }

  get world(): WorldReader {
    return this.#world
  }

  /** Goes on from another state. */
  set world(world: WorldReader) {
    this.#world = world
  }

  prepare(request: TransactionRequest): PreparedMessage {
    return prepareMessage(request, this.#config.chainId, this.fork, this.block.baseFee)
  }

  /** Throws `MessageError` where it cannot begin. */
  run(prepared: PreparedMessage, gasLimit: bigint, meter: Meter, options: RunOptions = {}): Run {
    return this.#execute(prepared, gasLimit, meter, options).run
  }

  /** The same, with what it changed. */
  runAndTake(
    prepared: PreparedMessage,
    gasLimit: bigint,
    meter: Meter,
  ): { readonly run: Run; readonly changes: WorldChanges } {
    const { run, takeChanges } = this.#execute(prepared, gasLimit, meter, {})
    return { run, changes: takeChanges() }
  }

  #execute(prepared: PreparedMessage, gasLimit: bigint, meter: Meter, options: RunOptions) {
    const { fork } = this
    const { gasPrice, from } = prepared.message
    const block = this.#blockFor(prepared)
    const prices = { fork, baseFee: block.baseFee, blobBaseFee: blockBlobBaseFee(block) }
    checkMessage(prepared, prices, this.#world.account(from)?.balance ?? 0n, gasLimit)
    const message: CallMessage = {
      ...prepared.message,
      accessList: options.accessList ?? prepared.message.accessList,
      gasLimit,
      isPaid: gasPrice > 0n || prepared.maxFeePerBlobGas > 0n,
    }
    const execution = this.#machine.begin({
      fork,
      chainId: this.#config.chainId,
      world: this.#world,
      block,
      limits: meter.limits(),
      ...(this.precompiles === undefined ? {} : { precompiles: this.precompiles }),
      ...(options.tracer === undefined ? {} : { tracer: options.tracer }),
    })
    const result = execution.call(message)
    if (!result.valid) throw explainInvalid(result.reason, message, fork)
    meter.spend(result.gasUsed)
    const floor = floorGas(fork, message.data)
    const run: Run = {
      result,
      gasUsed: chargedGas(fork, result.gasUsed, result.refund, floor),
      peakGas: result.gasUsed < floor ? floor : result.gasUsed,
    }
    return { run, takeChanges: () => execution.takeChanges() }
  }

  /** A message that names no price pays none, so that the base fee cannot stand in its way; blobs likewise. */
  #blockFor({ message, hasBlobs, maxFeePerBlobGas }: PreparedMessage): BlockContext {
    const isFree = message.gasPrice === 0n
    const hasFreeBlobs = hasBlobs && maxFeePerBlobGas === 0n
    if (!isFree && !hasFreeBlobs) return this.block
    return {
      ...this.block,
      ...(isFree ? { baseFee: 0n } : {}),
      ...(hasFreeBlobs ? { blobBaseFee: 0n } : {}),
    }
  }
}

/** The machine's reasons in geth's words. */
export const explainInvalid = (reason: string, message: CallMessage, fork: Fork): MessageError => {
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
      )
    case 'max initcode size exceeded':
      return new MessageError(
        `${reason}: code size ${data.length} limit ${maxInitCodeSize}`,
        'init code size',
      )
    case 'insufficient funds for transfer':
    case 'insufficient funds for gas * price + value':
      return new MessageError(reason, 'insufficient funds')
    default:
      return new MessageError(reason)
  }
}

export const toOutcome = ({ result, gasUsed }: Run): CallOutcome => ({
  isSuccess: result.success,
  isRevert: result.error === 'execution reverted',
  error: result.error,
  output: result.output,
  gasUsed,
})

/** EIP-7825: the most gas of one transaction. */
const maxTransactionGas = 16_777_216n

/** Undefined: the block's limit alone counts. */
export const transactionGasCap = (fork: Fork): bigint | undefined =>
  since(fork, 'osaka') ? maxTransactionGas : undefined
