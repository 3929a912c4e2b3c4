import { headerNotFound } from '../chain/chainError.ts'
import type { BlockRef } from '../chain/port/blockRef.ts'
import type { TransactionPlace } from '../chain/port/port.ts'
import { createEthereumFees } from '../served/ethereumFees.ts'
import type { BlockReader } from '../store/blockReader.ts'
import type { NativeQueries } from './client/nativeQueries.ts'
import { encodeMessage } from './dialect/wrap.ts'
import { GatewayExecutor } from './execute/gatewayExecutor.ts'
import { GatewayTraces } from './execute/gatewayTraces.ts'
import type { ExecutionDependencies, HeightFacts } from './execute/site.ts'
import type { ChainFacts } from './facts.ts'
import type { StoredFacts } from './follow/nativeFacts.ts'
import type { RemoteParts } from './gatewayChain.ts'
import { ModuleQueries } from './moduleQueries.ts'
import { createNativeFees } from './nativeFees.ts'
import { createOwnExecutor } from './own/ownExecutor.ts'
import type { OwnStatusWatch } from './own/ownFacts.ts'
import { createOwnState } from './own/ownState.ts'
import { createOwnTraces } from './own/ownTraces.ts'
import { GatewayState } from './state/gatewayState.ts'

export interface RemoteOptions {
  readonly gasCap: bigint
  readonly callTimeoutMs: number
  readonly traceTimeoutMs: number
  readonly traceMaxBytes: number
  readonly queryTimeoutMs: number
  /** In wei. */
  readonly minimumGasPrice: bigint
}

export interface RemoteDependencies {
  readonly queries: NativeQueries
  readonly facts: ChainFacts
  readonly blocks: BlockReader
  readonly nativeFacts: StoredFacts
  readonly headNumber: () => number
  readonly resolve: (ref: BlockRef) => number | 'pending' | undefined
  readonly locate: (transactionHash: Uint8Array) => TransactionPlace | undefined
}

/** What the nodes of a foreign chain answer. */
export const createForeignParts = (options: RemoteOptions, dependencies: RemoteDependencies): RemoteParts => {
  const { facts, blocks, nativeFacts, headNumber, resolve, locate } = dependencies
  const queries = new ModuleQueries(dependencies.queries, facts)
  const heightFacts = async (height: number): Promise<HeightFacts> => {
    const header = blocks.header(height)
    const hash = blocks.blockHashAt(height)
    const native = nativeFacts.at(height)
    if (header === undefined || hash === undefined || native === undefined) throw headerNotFound()
    const { proposer, time, fees } = native
    return { header, hash, proposer, time, maxGas: fees.maxGas }
  }
  const execution: ExecutionDependencies = { queries, facts, resolve, headNumber, heightFacts }
  const { gasCap, queryTimeoutMs, minimumGasPrice } = options
  return {
    executor: new GatewayExecutor({ gasCap, timeoutMs: options.callTimeoutMs }, execution),
    traces: new GatewayTraces(
      { gasCap, timeoutMs: options.traceTimeoutMs, maxBytes: options.traceMaxBytes },
      { ...execution, blocks, locate, encodeMessage: (raw, sender) => encodeMessage(raw, sender, facts) },
    ),
    feeRules: createNativeFees({
      queries,
      facts,
      head: () => blocks.header(headNumber()) as NonNullable<ReturnType<BlockReader['header']>>, // the head is stored
      header: (number) => (number <= headNumber() ? blocks.header(number) : undefined),
      feesOf: (number) => nativeFacts.at(number)?.fees,
      minimumGasPrice,
      timeoutMs: queryTimeoutMs,
    }),
    stateAt: (height) => new GatewayState(queries, height, queryTimeoutMs),
    keptStates: () => ({ oldestState: queries.earliestState, keptStates: undefined }),
  }
}

/** What the nodes of a chain of our own answer: all that they would over their own JSON-RPC. */
export const createOwnParts = (
  { minimumGasPrice }: RemoteOptions,
  { queries, facts, resolve, locate }: RemoteDependencies,
  status: OwnStatusWatch,
): RemoteParts => {
  // What a node does not take, it does not say to pay either.
  const leastPrice = bigger(minimumGasPrice, status.latest.minimumGasPrice)
  const stateAt = createOwnState(queries)
  return {
    executor: createOwnExecutor({ queries, resolve }),
    traces: createOwnTraces({ queries, resolve, locate }),
    feeRules: createEthereumFees(facts.config, leastPrice),
    stateAt: (block) => stateAt({ block }),
    keptStates: () => status.latest.retention,
  }
}

const bigger = (one: bigint, other: bigint): bigint => (one > other ? one : other)
