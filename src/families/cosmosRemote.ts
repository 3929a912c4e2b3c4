import { headerNotFound } from '../chain/chainError.ts'
import { decodeTransaction } from '../chain/transaction/decode.ts'
import { encodeMessage } from '../cosmos/transaction/wrap.ts'
import type { BlockStoreReader } from '../store/blockStoreReader.ts'
import { searchEarliestState } from './detect/heights.ts'
import type { ExecutionDependencies, NativeBlockContext } from './execute/executionContext.ts'
import { GatewayExecutor } from './execute/gatewayExecutor.ts'
import { GatewayTraces } from './execute/gatewayTraces.ts'
import { toDialect } from './family.ts'
import { ModuleQueryClient } from './queries/moduleQueryClient.ts'
import type { Remote, RemoteBackend, RemoteDependencies, RemoteOptions } from './remote.ts'
import { CosmosStateView } from './state/cosmosStateView.ts'
import { createNativeFeeRules } from './state/nativeFees.ts'

/** Creates the backend for a Cosmos chain, which executes and reads by queries of the EVM module. */
const createCosmosBackend = (options: RemoteOptions, dependencies: RemoteDependencies): RemoteBackend => {
  const { chainInfo, family, blocks, nativeBlockInfo, headNumber, resolve, locate } = dependencies
  const queries = new ModuleQueryClient(dependencies.queries, chainInfo, (from, signal) => {
    const path = `/${chainInfo.evmPackage}.Query/Params`
    // A cache would answer for states that the upstreams had at the last search.
    return searchEarliestState({ queries: dependencies.uncachedQueries, signal }, path, from, headNumber())
  })
  const blockContext = async (height: number): Promise<NativeBlockContext> => {
    const header = blocks.header(height)
    const hash = blocks.blockHashAt(height)
    const native = nativeBlockInfo.summaryAt(height)
    if (header === undefined || hash === undefined || native === undefined) throw headerNotFound()
    const { proposer, time, fees } = native
    return { header, hash, proposer, time, maxGas: fees.maxGas }
  }
  const execution: ExecutionDependencies = {
    queries,
    config: chainInfo.config,
    capabilities: family.capabilities,
    resolve,
    headNumber,
    blockContext,
  }
  const { gasCap, queryTimeout, minimumGasPrice } = options
  return {
    executor: new GatewayExecutor({ gasCap, timeoutMs: options.evmTimeout }, execution),
    traces: new GatewayTraces(
      { gasCap, timeoutMs: options.traceTimeout, maxBytes: options.traceMaxSize },
      {
        ...execution,
        blocks,
        locate,
        encodeMessage: (raw, from) =>
          encodeMessage({ transaction: decodeTransaction(raw), raw, from }, toDialect(family, chainInfo)),
      },
    ),
    feeRules: createNativeFeeRules({
      queries,
      decimals: chainInfo.decimals,
      baseFeeScale: family.baseFeeScale,
      hasGlobalMinGasPrice: family.capabilities.globalMinGasPrice,
      head: () => blocks.header(headNumber()) as NonNullable<ReturnType<BlockStoreReader['header']>>, // the head is stored
      header: (number) => (number <= headNumber() ? blocks.header(number) : undefined),
      blockFees: (number) => nativeBlockInfo.summaryAt(number)?.fees,
      minimumGasPrice,
      timeoutMs: queryTimeout,
    }),
    stateAt: (height) => new CosmosStateView(queries, height, queryTimeout),
    stateRetention: () => ({ oldestState: queries.earliestState, retainedStates: undefined }),
  }
}

/**
 * Opens the remote of a Cosmos chain. It keeps nothing between queries, because CometBFT and the modules answer
 * everything.
 */
export const openCosmosRemote = async (): Promise<Remote> => ({
  createBackend: createCosmosBackend,
  extendNetwork: (network) => network,
  onHead: () => {},
})
