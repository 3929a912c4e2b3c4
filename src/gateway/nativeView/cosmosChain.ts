import type { Chain } from '../../chain/port/chain.ts'
import { CosmosBlocks, type CosmosBlocksDependencies } from './cosmosBlocks.ts'
import { CosmosLogs } from './cosmosLogs.ts'

/** The chain with its Cosmos transactions among the others; what is below it, and what is stored, does not change. */
export const withCosmosView = (
  chain: Chain,
  dependencies: Pick<CosmosBlocksDependencies, 'native' | 'logCount'>,
): Chain => {
  const { config, pool, executor, traces, fees, network, control, events, cosmos } = chain
  const blocks = new CosmosBlocks({ ...dependencies, blocks: chain.blocks, chainId: config.chainId })
  return {
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
    logs: new CosmosLogs(chain.logs, blocks),
    head: () => chain.head(),
    retention: () => chain.retention(),
    state: (at) => chain.state(at),
  }
}
