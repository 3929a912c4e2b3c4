import { fromBinary, type MessageInitShape, type MessageShape } from '@bufbuild/protobuf'
import { keccak256 } from '../../base/crypto/crypto.ts'
import { fromHex } from '../../base/encoding/hex.ts'
import { refused, unavailable, unsupported } from '../../chain/chainError.ts'
import type { BlockRef } from '../../chain/port/blockRef.ts'
import type { TransactionLocation } from '../../chain/port/location.ts'
import type { StreamedJson, TracedCall, TraceOptions, Tracing } from '../../chain/port/traces.ts'
import { toInMemoryJson } from '../../chain/trace/streamedJson.ts'
import {
  blockNotFoundError,
  genesisNotTraceableError,
  pendingNotTraceableError,
  traceTimedOut,
  transactionNotFoundError,
} from '../../chain/trace/traceErrors.ts'
import type { TraceConfigSchema } from '../../cosmos/gen/cosmos/evm/vm/v1/query_pb.ts'
import { MsgEthereumTxSchema } from '../../cosmos/gen/cosmos/evm/vm/v1/tx_pb.ts'
import { evmMethods } from '../../cosmos/queries/moduleMethods.ts'
import { assertNotPruned } from '../../served/assertNotPruned.ts'
import type { BlockStoreReader } from '../../store/blockStoreReader.ts'
import { hasJson } from '../queries/answerValues.ts'
import { addTransactionHashes } from './blockTraces.ts'
import { encodeCall } from './encodeCall.ts'
import {
  type ExecutionDependencies,
  toTraceBlock,
  traceCallRequest,
  withTimeout,
} from './executionContext.ts'
import { isParity, type TracedLocation, toFlatOptions, toParityBlock, toParityTrace } from './parityTraces.ts'

export interface GatewayTraceLimits {
  readonly gasCap: bigint
  /** The timeout of each transaction if the client names none. */
  readonly timeoutMs: number
  readonly maxBytes: number
}

export interface GatewayTraceDependencies extends ExecutionDependencies {
  readonly blocks: BlockStoreReader
  readonly locate: (transactionHash: Uint8Array) => TransactionLocation | undefined
  /** Encodes a transaction as a message of the chain's EVM module. */
  readonly encodeMessage: (raw: Uint8Array, sender: Uint8Array) => Uint8Array
}

type NativeMessage = MessageShape<typeof MsgEthereumTxSchema>

/** Extra time for an upstream to notice its timeout, and for the round trip. */
const graceMs = 1000
/** The longest time that a timer can be set to. A longer timeout counts as none: that of a query applies. */
const maxTimerMs = 2 ** 31 - 1

/**
 * Traces that upstreams make. Each request states the block's real values, because the EVM module does not check them.
 */
export class GatewayTraces implements Tracing {
  readonly #limits: GatewayTraceLimits
  readonly #dependencies: GatewayTraceDependencies

  constructor(limits: GatewayTraceLimits, dependencies: GatewayTraceDependencies) {
    this.#limits = limits
    this.#dependencies = dependencies
  }

  async transaction(hash: Uint8Array, options: TraceOptions, signal: AbortSignal): Promise<StreamedJson> {
    const location = this.#dependencies.locate(hash)
    if (location === undefined) throw transactionNotFoundError()
    const { number, index } = location
    const messages = this.#messages(number, index + 1)
    const traceConfig = this.#config(options)
    return this.#withTimeout(options, index + 1, signal, async (limited) => {
      const { queries } = this.#dependencies
      const request = {
        ...(await this.#block(number, limited)),
        msg: messages[index] as NativeMessage, // the last of the `index + 1` messages
        predecessors: messages.slice(0, index),
        traceConfig,
      }
      const { data } = await queries.evm(evmMethods.traceTx, request, parentOf(number), limited, hasJson)
      if (!isParity(options)) return this.#text(data)
      const location = this.#locationOf(number, index, hash)
      return this.#text(toParityTrace(data, options, location))
    })
  }

  async block(at: BlockRef, options: TraceOptions, signal: AbortSignal): Promise<StreamedJson> {
    const number = this.#height(at)
    const count = this.#dependencies.blocks.transactionCount(number) ?? 0
    if (count === 0) return toInMemoryJson(Buffer.from('[]'))
    const txs = this.#messages(number, count)
    const traceConfig = this.#config(options)
    return this.#withTimeout(options, count, signal, async (limited) => {
      const { queries } = this.#dependencies
      const request = { ...(await this.#block(number, limited)), txs, traceConfig }
      const { data } = await queries.evm(evmMethods.traceBlock, request, parentOf(number), limited, hasJson)
      if (isParity(options)) {
        const locations = this.#hashes(number, count).map((hash, index) =>
          this.#locationOf(number, index, hash),
        )
        return this.#text(toParityBlock(data, options, locations))
      }
      const named = addTransactionHashes(data, this.#hashes(number, count))
      if (named === undefined) throw unavailable("the chain's answer to TraceBlock cannot be read")
      return this.#text(named)
    })
  }

  async call(
    call: TracedCall,
    at: BlockRef,
    options: TraceOptions,
    signal: AbortSignal,
  ): Promise<StreamedJson> {
    const { config, queries, blockContext, resolve } = this.#dependencies
    if (resolve(at) === 'pending') throw pendingNotTraceableError()
    const number = this.#height(at)
    const has = (overrides: object | undefined) =>
      overrides !== undefined && Object.values(overrides).some((value) => value !== undefined)
    const isChanged = has(call.stateOverrides) || has(call.blockOverrides)
    if (isChanged || call.transactionIndex !== undefined || call.following !== undefined)
      throw unsupported(noChangedCalls)
    const traceConfig = this.#config(options)
    return this.#withTimeout(options, 1, signal, async (limited) => {
      const block = await blockContext(number, limited)
      const request = {
        ...traceCallRequest(block, config.chainId, this.#limits.gasCap),
        args: encodeCall(call.request),
        traceConfig,
      }
      const { data } = await queries.evm(evmMethods.traceCall, request, number, limited, hasJson)
      return this.#text(isParity(options) ? toParityTrace(data, options, noLocation) : data)
    })
  }

  async encodedBlock(): Promise<never> {
    throw unsupported('the chain behind this gateway traces blocks of its own alone')
  }

  async intermediateRoots(): Promise<never> {
    throw unsupported('the chain behind this gateway has a root after whole blocks alone')
  }

  async witness(): Promise<never> {
    throw unsupported('the state of the chain behind this gateway is in no Merkle-Patricia trie')
  }

  async blockToFiles(): Promise<never> {
    throw unsupported('traces to files are made where the chain runs, not by a gateway')
  }

  #locationOf(number: number, index: number, hash: Uint8Array): TracedLocation {
    const blockHash = this.#dependencies.blocks.blockHashAt(number)
    return { blockHash, blockNumber: number, transactionHash: hash, transactionIndex: index }
  }

  #config(given: TraceOptions): MessageInitShape<typeof TraceConfigSchema> {
    const options = isParity(given) ? toFlatOptions(given) : given
    if (options.overrides !== undefined)
      throw unsupported('the chain behind this gateway traces by its own rules alone')
    const { tracer = '', tracerConfig } = options
    return {
      tracer,
      timeout: `${options.timeoutMs ?? this.#limits.timeoutMs}ms`,
      disableStack: options.disableStack,
      disableStorage: options.disableStorage,
      enableMemory: options.enableMemory,
      enableReturnData: options.enableReturnData,
      limit: options.limit,
      tracerJsonConfig: tracerConfig === undefined ? '' : JSON.stringify(tracerConfig),
    }
  }

  async #block(number: number, signal: AbortSignal) {
    const { config, blockContext } = this.#dependencies
    const block = await blockContext(number, signal)
    return { ...toTraceBlock(block, config.chainId), blockMaxGas: block.maxGas }
  }

  /** Returns the first `count` transactions of a block as messages of the EVM module. */
  #messages(number: number, count: number): NativeMessage[] {
    const { blocks, encodeMessage } = this.#dependencies
    return Array.from({ length: count }, (_, index) => {
      const raw = blocks.rawTransaction(number, index)
      const text = blocks.transactionJson(number, index)
      if (raw === undefined || text === undefined)
        throw unavailable(`the transactions of block ${number} are not kept`)
      const { from } = JSON.parse(Buffer.from(text).toString()) as { from: string } // written by the store
      // Fields of older layouts are unknown to this schema: they are kept as they are, and sent with the rest.
      return fromBinary(MsgEthereumTxSchema, encodeMessage(raw, fromHex(from)))
    })
  }

  #hashes(number: number, count: number): readonly Uint8Array[] {
    const raw = this.#dependencies.blocks.rawTransactions(number) ?? []
    return raw.slice(0, count).map(keccak256)
  }

  #text(data: Uint8Array): StreamedJson {
    const { maxBytes } = this.#limits
    if (data.length > maxBytes)
      throw refused(`the trace is too large: more than ${maxBytes} bytes (json-rpc.trace-max-size)`)
    return toInMemoryJson(data)
  }

  #withTimeout<T>(
    options: TraceOptions,
    count: number,
    signal: AbortSignal,
    run: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    const timeoutMs = options.timeoutMs ?? this.#limits.timeoutMs
    const all = Math.min(timeoutMs * count + graceMs, maxTimerMs)
    return withTimeout(all, traceTimedOut, signal, run)
  }

  /** Resolves the height of an existing block other than the genesis. */
  #height(at: BlockRef): number {
    const height = this.#dependencies.resolve(at)
    if (height === 'pending') return this.#dependencies.headNumber()
    if (height === undefined) throw blockNotFoundError(at)
    if (height === 0) throw genesisNotTraceableError()
    assertNotPruned(this.#dependencies.blocks, height)
    return height
  }
}

const noChangedCalls =
  'the chain behind this gateway traces calls on its own state, after whole blocks: no overrides, no transaction index, one call at a time'

const noLocation: TracedLocation = {
  blockHash: undefined,
  blockNumber: undefined,
  transactionHash: undefined,
  transactionIndex: 0,
}

/**
 * Returns the height of the parent state. The first block has none: chains begin with the state of the genesis at
 * height 1.
 */
const parentOf = (number: number): number => Math.max(1, number - 1)
