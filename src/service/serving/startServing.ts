import { dirname, join } from 'node:path'
import type { Registry } from 'prom-client'
import type { ApiContext } from '../../api/context.ts'
import type { RootLogger } from '../../base/logging/log.ts'
import { isDevProfile, servesExplorer } from '../../config/rules/profile.ts'
import type { Config } from '../../config/settings/settings.ts'
import type { RpcServer } from '../../rpc/server.ts'
import type { Pages } from '../../rpc/transport/pages.ts'
import type { AccessOptions } from '../access/servedMethods.ts'
import type { ServedChain, SharedStore } from '../chain/servedChain.ts'
import type { ServedSecrets } from './messages.ts'
import { registerServingMetrics } from './metrics.ts'
import { KeyNames } from './pipe/servedCalls.ts'
import { toAddedMethod } from './servingMethods.ts'
import { ServingPool } from './servingPool.ts'

export interface ServingParts extends ServedSecrets {
  readonly config: Config
  readonly access: AccessOptions
  readonly served: ServedChain
  readonly shared: SharedStore
  readonly server: RpcServer<ApiContext>
  readonly registry: Registry
  readonly pages: Pages
  readonly log: RootLogger
  readonly clientVersion: string
}

/** Starts the serving processes. */
export const startServing = async (
  processes: number,
  { config, access, served, shared, server, pages, registry, log, ...options }: ServingParts,
): Promise<ServingPool> => {
  const { chain } = served
  const component = log.component('serving')
  const pool = await ServingPool.start(
    {
      ...options,
      processes,
      home: config.home,
      minFreeSpace: config.minFreeSpace,
      dataFile: shared.dataFile,
      headFile: join(dirname(shared.dataFile), 'head.shared'),
      mode: chain.mode,
      isDev: isDevProfile(config),
      isDevChain: chain.dev !== undefined,
      servesExplorer: servesExplorer(config),
      pruning: shared.pruning,
      retainedBlocks: shared.retainedBlocks,
      minimumGasPrice: shared.minimumGasPrice,
      jsonRpc: config.jsonRpc,
      namespaces: access.namespaces,
      modules: Object.fromEntries(access.table.namespaces.map((namespace) => [namespace, '1.0'])),
      added: access.added.map(toAddedMethod),
      pages: pages.paths,
    },
    {
      calls: server.openForwarded(),
      pages,
      keys: new KeyNames(),
      log: component,
      events: chain.events,
      watchHead: (witness) => shared.watchHead(witness),
      clearStaleReaders: () => shared.clearStaleReaders(),
    },
  )
  registerServingMetrics(registry, () => pool.stats)
  component.info({ processes }, 'serving processes answer')
  return pool
}
