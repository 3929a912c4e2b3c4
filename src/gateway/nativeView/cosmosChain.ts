import type { Chain } from '../../chain/port/chain.ts'
import type { NativeIndexReader } from '../../store/index/nativeIndex.ts'
import { CosmosBlockReader, type CosmosBlocksDependencies } from './cosmosBlockReader.ts'
import { CosmosLogReader } from './cosmosLogReader.ts'

/**
 * Returns the chain with its Cosmos transactions among the Ethereum ones. The given chain and the store do not change.
 */
export const withCosmosView = (
  chain: Chain,
  dependencies: Pick<CosmosBlocksDependencies, 'native' | 'logCount'> & { readonly index: NativeIndexReader },
): Chain => {
  const { mode, config, pool, executor, traces, fees, network, control, events, cosmos, trust } = chain
  const blocks = new CosmosBlockReader({ ...dependencies, blocks: chain.blocks, chainId: config.chainId })
  events.onHead((change) => {
    if (change.kind === 'reverted') blocks.onRevert()
  })
  return {
    mode,
    config,
    pool,
    executor,
    traces,
    fees,
    network,
    control,
    events,
    cosmos,
    blocks,
    logs: new CosmosLogReader(chain.logs, blocks, dependencies.index),
    head: () => chain.head(),
    ...(trust && { trust: () => trust.call(chain) }),
    retention: () => chain.retention(),
    state: (at) => chain.state(at),
  }
}
