import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { createServer } from 'node:net'
import type { ApiContext } from '../../api/context.ts'
import { type ExitError, explainListenError } from '../../base/exit.ts'
import { homeHolder, lockHome } from '../../base/lock/homeLock.ts'
import type { RootLogger } from '../../base/logging/log.ts'
import { describeUntriedNode } from '../../base/nodeVersion.ts'
import { ResourceStack } from '../../base/resources.ts'
import type { ListenAddress } from '../../config/kinds/addresses.ts'
import type { LoadedConfig } from '../../config/load.ts'
import { isDevProfile } from '../../config/rules/profile.ts'
import type { Config } from '../../config/settings/settings.ts'
import { loadSecret } from '../../rpc/access/secret.ts'
import type { Dialect } from '../../rpc/dispatch/dialect.ts'
import type { Method } from '../../rpc/method.ts'
import type { ContractRegistry } from '../../solidity/contractRegistry.ts'
import { readAccessFiles } from '../access/accessFiles.ts'
import { findDangers } from '../access/dangers.ts'
import type { ServedChain } from '../chain/servedChain.ts'
import type { MetricsServer } from '../health/metricsServer.ts'
import { type Cleanup, ensureHome, removeUnusedHome } from '../home/homeFolder.ts'
import type { Connect } from '../rpc/provider.ts'
import { recordRetention } from './retention.ts'
import { assertAll, homeChecks } from './startChecks.ts'
import { isWarmedUp, warmUpLater } from './warmUp.ts'

export interface ServiceOptions {
  readonly config: Config
  /** Opens the chain that is served. */
  readonly open: OpenChain
  /** The sockets to open: all that are configured, only those for network clients, or none. */
  readonly listen: 'all' | 'network' | 'none'
  /** Methods in addition to those of the table; their namespaces are enabled. */
  readonly methods: readonly Method<ApiContext>[]
  /** Removes a temporary home at the very end, when nothing uses it any more. */
  readonly cleanup?: Cleanup | undefined
  /** The secret of bearer tokens; by default that of the home, and for a temporary one a new one that nobody knows. */
  readonly secret?: Uint8Array | undefined
  /** How it answers in the place of another program. */
  readonly dialect?: Dialect | undefined
}

/** The values that are passed to the function that opens a chain. */
export interface ChainHost {
  readonly log: RootLogger
  /** The settings that the user chose, with their sources. A home that differs from them is not opened. */
  readonly given: LoadedConfig['given']
  /** What the home of a node is already; missing if it may still become anything. */
  readonly mode?: LoadedConfig['mode']
  /** To be called when the chain cannot continue, so that the service must stop. */
  readonly onFatal: (error: ExitError) => void
  /**
   * To be called when a commit failed, so that the service must be closed and may then be opened again. Without it that
   * is fatal. `waits` says that the chain, when it is open again, writes nothing before there is room on its disk.
   */
  readonly onCommitFailed?: (reason: string, waits?: boolean) => void
  /** Whether the home is removed at the end, so that nothing in it must last. Defaults to false. */
  readonly isTemporaryHome?: boolean
  /** Whether the operator allowed the start to remove history that the settings no longer keep. */
  readonly removesHistory?: boolean | undefined
  /** Whether progress may be shown on the terminal. */
  readonly isInteractive: boolean
}

/** The longest delay of a timer. */
const longestDelayMs = 2 ** 31 - 1

export type OpenChain = (config: Config, host: ChainHost) => Promise<ServedChain>

/** A chain with its transports. */
export interface Service {
  readonly served: ServedChain
  /** The contracts that clients described; undefined if they cannot. */
  readonly contracts?: ContractRegistry | undefined
  /** Returns the URLs; a transport that is off has no entry. */
  urls(): Readonly<Partial<Record<'http' | 'ws', string>>>
  /** Where metrics and health are served, if not where JSON-RPC is. */
  readonly metricsUrl?: string | undefined
  readonly connect: Connect
  /**
   * Applies the settings that can be changed while it runs, and reads the files of keys and of the certificate again. If it
   * rejects, nothing has changed.
   */
  reload(config: Config): Promise<void>
  /** Closes the service. Resolves when everything is closed, however often it is called. */
  close(): Promise<void>
}

/**
 * Starts the service: the home lock, the chain, the transports. Each is added to one stack as soon as it is open, so
 * that a failure at any point closes everything in reverse order and releases the lock last.
 */
export const startService = async (options: ServiceOptions, host: ChainHost): Promise<Service> => {
  // WebAssembly is compiled on threads that do not keep the process alive, and on the way nothing else may.
  const alive = setTimeout(() => {}, longestDelayMs)
  const { home } = options.config
  const isNew = !existsSync(home)
  try {
    return await ResourceStack.guard(
      (resources) => openService(options, host, resources),
      (error) => host.log.error({ err: error }, 'a service that did not start could not be closed'),
    )
  } catch (error) {
    if (isNew) removeUnusedHome(home)
    throw error
  } finally {
    clearTimeout(alive)
  }
}

const openService = async (
  { config, open, listen, methods, cleanup, secret: given, dialect }: ServiceOptions,
  host: ChainHost,
  resources: ResourceStack,
): Promise<Service> => {
  if (cleanup !== undefined) resources.own('home', cleanup)
  const untried = describeUntriedNode()
  if (untried !== undefined) host.log.warn(untried)
  // Before a home is made and a chain asked.
  if (listen !== 'none' && isHomeFree(config.home)) await assertAddressesFree(config, host.given)
  ensureHome(config.home)
  // Nobody else knows a temporary home.
  const isTemporary = cleanup !== undefined
  if (!isTemporary) resources.own('lock of the home', lockHome(config.home))
  const { given: givenSettings, mode, removesHistory } = host
  if (!isTemporary) await assertAll(homeChecks, { config, given: givenSettings, mode, removesHistory })
  // Problems of serving are found before a chain is opened or created.
  const secret = given ?? (isTemporary ? randomBytes(32) : loadSecret(config.home))
  const { keys, tls } = await readAccessFiles(config)
  const metricsServer = await startMetricsServer(config, host, listen)
  if (metricsServer !== undefined) resources.own('server of metrics', () => metricsServer.close())
  if (methods.length > 0) await prepareServing(config, methods)
  const opening = open(config, { ...host, isTemporaryHome: isTemporary })
  // The methods are loaded while the chain opens on its thread; a failure of the chain is the one to report.
  const serving = prepareServing(config, methods)
  serving.catch(() => {})
  const served = await opening
  resources.own('chain', () => served.close())
  if (!isTemporary && !config.ephemeral) recordRetention(config, host.log)
  const { access, createRpcService } = await serving
  const rpc = createRpcService(
    { config, isTemporary, access, dialect, secret, keys, tls },
    { served, log: host.log, metricsServer },
  )
  resources.own('transports', async () => {
    metricsServer?.setPages(undefined)
    await rpc.close()
  })
  if (config.artifacts !== undefined && isDevProfile(config)) {
    const { ArtifactFolder } = await import('../artifacts/artifactFolder.ts')
    const folder = new ArtifactFolder(config.artifacts, rpc.contracts, host.log.component('artifacts'))
    resources.own('artifacts', () => folder.close())
  }
  await rpc.start(listen)
  if (!isTemporary && served.workerStats !== undefined && isWarmedUp(config, access.namespaces, served.chain))
    resources.own('warm-up', warmUpLater(served.chain))
  if (listen !== 'none')
    for (const { setting, text, remedy } of findDangers(config, access.namespaces))
      host.log.warn({ setting }, `${text}; ${remedy}`)
  return {
    served,
    contracts: rpc.contracts,
    urls: () => rpc.urls(),
    metricsUrl: metricsServer?.url,
    reload: async (changed) => {
      await rpc.reload(changed, await readAccessFiles(changed))
    },
    connect: (onNotification) => rpc.connect(onNotification),
    close: () => resources.closeAll(),
  }
}

/** Returns whether nobody runs on a home. If somebody does, or it cannot be a home, that is what must be told. */
const isHomeFree = (home: string): boolean => {
  try {
    return homeHolder(home) === undefined
  } catch {
    return false
  }
}

/** Throws if somebody else listens where JSON-RPC is to be served, or where the engine of a new home is to listen. */
const assertAddressesFree = async (config: Config, given: ChainHost['given']): Promise<void> => {
  const { jsonRpc, metricsAddress, engine, abciAddress, home } = config
  const { address, wsAddress } = jsonRpc
  if (address !== undefined) await assertAddressFree(address, 'json-rpc.address')
  if (wsAddress !== undefined) await assertAddressFree(wsAddress, 'json-rpc.ws-address')
  if (metricsAddress !== undefined) await assertAddressFree(metricsAddress, 'metrics-address')
  // CometBFT finds it too, after the home has keys that its operator would keep.
  if (engine !== 'cometbft' || abciAddress !== undefined || existsSync(home)) return
  const { engineAddresses } = await import('./engineAddresses.ts')
  for (const { setting, address } of engineAddresses(config, given))
    if (address !== undefined) await assertAddressFree(address, setting)
}

const assertAddressFree = ({ host, port }: ListenAddress, setting: string): Promise<void> =>
  new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', (error) => reject(explainListenError(error, `${host}:${port}`, setting)))
    server.listen({ host, port }, () => server.close(() => resolve()))
  })

/** Starts the server of metrics and health, before the chain is opened; undefined if they are served beside JSON-RPC. */
const startMetricsServer = async (
  { metricsAddress }: Config,
  { log }: ChainHost,
  listen: ServiceOptions['listen'],
): Promise<MetricsServer | undefined> => {
  if (metricsAddress === undefined || listen === 'none') return undefined
  const { MetricsServer } = await import('../health/metricsServer.ts')
  const server = new MetricsServer(log)
  await server.start(metricsAddress)
  log.info({ url: server.url }, 'metrics and health are served')
  return server
}

/** Loads the methods and checks the table of those that are served. */
const prepareServing = async (config: Config, methods: readonly Method<ApiContext>[]) => {
  const { createRpcService } = await import('../rpc/rpcService.ts')
  const { prepareAccess } = await import('../access/servedMethods.ts')
  return { createRpcService, access: prepareAccess(config, methods) }
}
