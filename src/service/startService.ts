import type { ApiContext } from '../api/context.ts'
import { lockHome } from '../base/homeLock.ts'
import type { RootLogger } from '../base/log.ts'
import { ResourceStack } from '../base/resources.ts'
import type { LoadedConfig } from '../config/load.ts'
import type { Config } from '../config/settings.ts'
import type { Method } from '../rpc/method.ts'
import { type Cleanup, ensureHome } from './home.ts'
import type { Connect } from './provider.ts'
import { createRpcService, prepareAccess } from './rpcService.ts'
import type { ServedChain } from './servedChain.ts'

export interface ServiceOptions {
  readonly config: Config
  /** Opens the chain that is served. */
  readonly open: OpenChain
  /** Which sockets are opened: all that the configuration names, those for clients on the network alone, or none. */
  readonly listen: 'all' | 'network' | 'none'
  /** Methods beside those of the table; their namespaces are on. */
  readonly methods: readonly Method<ApiContext>[]
  /** Is done at the very end, when nothing uses the home any more. */
  readonly cleanup?: Cleanup | undefined
}

/** What is handed to the opening of a chain. */
export interface ChainHost {
  readonly log: RootLogger
  /** Which settings somebody chose, and where: a home that holds something else is refused. */
  readonly given: LoadedConfig['given']
  /** To be called when the chain cannot go on, with the reason: the service has to end. */
  readonly onFatal: (reason: string) => void
  /** Whether progress may be shown on the terminal. */
  readonly isInteractive: boolean
}

export type OpenChain = (config: Config, host: ChainHost) => Promise<ServedChain>

/** A chain with its transports. */
export interface Service {
  readonly served: ServedChain
  /** Returns where it is served; a transport that is off has no entry. */
  urls(): Readonly<Partial<Record<'http' | 'ws', string>>>
  readonly connect: Connect
  /** Resolves when everything is closed, however often it is called. */
  close(): Promise<void>
}

/**
 * Puts the program together: the home's lock, the chain, the transports. Each is on one stack as soon as it is there, so
 * that a failure at any point closes what was opened, newest first, and gives the lock back last.
 */
export const startService = (options: ServiceOptions, host: ChainHost): Promise<Service> =>
  ResourceStack.guard(
    (resources) => openService(options, host, resources),
    (error) => host.log.error({ err: error }, 'a service that did not start could not be closed'),
  )

const openService = async (
  { config, open, listen, methods, cleanup }: ServiceOptions,
  host: ChainHost,
  resources: ResourceStack,
): Promise<Service> => {
  if (cleanup !== undefined) resources.own('home', cleanup)
  ensureHome(config.home)
  resources.own('lock of the home', lockHome(config.home))
  // What can be wrong about serving is found before a chain is opened or begun.
  const access = prepareAccess(config, methods)
  const served = await open(config, host)
  resources.own('chain', () => served.close())
  const rpc = createRpcService({ config, methods, access }, { served, log: host.log })
  resources.own('transports', () => rpc.close())
  await rpc.start(listen)
  return {
    served,
    urls: () => rpc.urls(),
    connect: (onNotification) => rpc.connect(onNotification),
    close: () => resources.closeAll(),
  }
}
