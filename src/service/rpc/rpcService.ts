import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { Registry } from 'prom-client'
import { toRpcError } from '../../api/answers/chainErrors.ts'
import type { ApiContext } from '../../api/context.ts'
import { AbiStore } from '../../api/dev/abiStore.ts'
import { ExitError } from '../../base/exit.ts'
import type { RootLogger } from '../../base/logging/log.ts'
import { processMetrics } from '../../base/metrics.ts'
import { ProcessDiagnostics } from '../../base/profiling/processDiagnostics.ts'
import { explorerUrl } from '../../base/threads/builtFiles.ts'
import { KeyedQueue } from '../../base/threads/keyedQueue.ts'
import { clientVersion } from '../../base/version.ts'
import { registerChainMetrics } from '../../chain/chainMetrics.ts'
import { formatAddress, type ListenAddress } from '../../config/kinds/addresses.ts'
import { isDevProfile, servesExplorer } from '../../config/rules/profile.ts'
import { type Config, type SettingName, settings } from '../../config/settings/settings.ts'
import { appTomlPath, updateAppToml, writeDefaultAppToml } from '../../config/toml/appToml.ts'
import { registerEngineMetrics } from '../../engine/metrics.ts'
import { ChainTraceSubscriptions } from '../../events/chainTraceSubscriptions.ts'
import { CriteriaMemory } from '../../events/criteriaMemory.ts'
import { FilterJournal } from '../../events/filters/filterJournal.ts'
import { FilterManager } from '../../events/filters/filterManager.ts'
import { FleetFilters } from '../../events/filters/fleetFilters.ts'
import { registerSubscriptionMetrics } from '../../events/metrics.ts'
import { SubscriptionManager } from '../../events/subscriptionManager.ts'
import { registerWorkerMetrics } from '../../execute/workers/workerMetrics.ts'
import { registerForkMetrics } from '../../fork/metrics.ts'
import { registerGatewayMetrics } from '../../gateway/metrics.ts'
import { registerDiskMetrics } from '../../node/metrics.ts'
import { registerPoolMetrics } from '../../pool/metrics.ts'
import { HeightGate } from '../../rpc/access/heightGate.ts'
import type { Dialect } from '../../rpc/dispatch/dialect.ts'
import { callFailed } from '../../rpc/errors.ts'
import { type ReloadedAccess, RpcServer } from '../../rpc/server.ts'
import type { ListenerRole } from '../../rpc/transport/listener.ts'
import type { TransportOverrides } from '../../rpc/transport/overrides.ts'
import { jsonPage, Pages, sharedPage } from '../../rpc/transport/pages.ts'
import { Site } from '../../rpc/transport/site.ts'
import { ContractRegistry } from '../../solidity/contractRegistry.ts'
import type { AccessOptions } from '../access/servedMethods.ts'
import type { ServedChain } from '../chain/servedChain.ts'
import { BlockWatch } from '../health/blockWatch.ts'
import { createHealthPages } from '../health/healthPages.ts'
import { registerHealthMetrics } from '../health/metrics.ts'
import type { MetricsServer } from '../health/metricsServer.ts'
import { Readiness } from '../health/readiness.ts'
import type { ServedSecrets } from '../serving/messages.ts'
import type { ServingPool } from '../serving/servingPool.ts'
import { countProcesses, mainShareOf } from '../serving/shares.ts'
import { createOpenRpc } from './openRpc.ts'
import type { Connect } from './provider.ts'

/** The JSON-RPC server of a chain, with all dependencies of its methods. */
export interface RpcService {
  /** Opens the sockets: all that are configured, only those for network clients, or none. */
  start(listen: 'all' | 'network' | 'none'): Promise<void>
  close(): Promise<void>
  /** Applies what can be changed while it serves. */
  reload(config: Config, access: Pick<ReloadedAccess, 'keys' | 'tls'>): Promise<void>
  /** Returns the URLs; a transport that is off has no entry. */
  urls(): Readonly<Partial<Record<ListenerRole, string>>>
  readonly connect: Connect
  /** The contracts that clients described. */
  readonly contracts: ContractRegistry
}

/** The namespaces that whoever owns the home has over IPC, whatever `json-rpc.api` says. */
const operatorNamespaces = ['admin', 'debug', 'perihelion', 'txpool'] as const

export interface RpcServiceOptions extends ServedSecrets {
  readonly config: Config
  /** Whether the home is removed at the end, so that no settings are kept in it. */
  readonly isTemporary: boolean
  readonly access: AccessOptions
  /** How it answers in the place of another program. */
  readonly dialect?: Dialect | undefined
}

export interface RpcServiceDependencies {
  readonly served: ServedChain
  readonly log: RootLogger
  /** Where metrics and health are served apart from JSON-RPC; undefined if they are served beside it. */
  readonly metricsServer?: Pick<MetricsServer, 'setPages'> | undefined
}

export const createRpcService = (
  { config: given, isTemporary, access, dialect, secret, keys: apiKeys, tls }: RpcServiceOptions,
  { served, log, metricsServer }: RpcServiceDependencies,
): RpcService => {
  const { table, added, namespaces } = access
  const processes = countProcesses(given, served)
  const config = { ...given, jsonRpc: mainShareOf(given.jsonRpc, processes) }
  const { chain, keys } = served
  const diagnostics = new ProcessDiagnostics({ ...config.profiling, home: config.home }, served.lockWaits)
  const registry = new Registry()
  // From the start of the service on, not from the first scrape.
  processMetrics()
  const { workerStats } = served
  if (workerStats !== undefined) registerWorkerMetrics(registry, workerStats)
  const memory = new CriteriaMemory(config.jsonRpc.filterMemory)
  const subscriptions = new SubscriptionManager(config.jsonRpc, { chain, memory, log })
  registerSubscriptionMetrics(registry, () => subscriptions.counts(), memory)
  const filterJournal = served.keepsFilters
    ? new FilterJournal(join(config.home, 'data', 'filters.journal'), (error) =>
        log.error({ err: error }, 'the positions of filters cannot be kept'),
      )
    : undefined
  const heights = new HeightGate(
    { current: () => chain.head().number, onHead: (listener) => chain.events.onHead(listener) },
    config.jsonRpc,
  )
  const ownFilters = new FilterManager(config.jsonRpc, {
    journal: filterJournal,
    chain,
    events: chain.events,
    memory,
    now: () => performance.now(),
  })
  const { sharedFilters } = served
  const filters =
    sharedFilters === undefined
      ? ownFilters
      : new FleetFilters(config.jsonRpc, {
          own: ownFilters,
          shared: sharedFilters,
          chain,
          events: chain.events,
          log,
        })
  registerChainMetrics(registry, chain)
  const { engineStats } = served
  if (engineStats !== undefined) registerEngineMetrics(registry, engineStats, served.aheadStats)
  registerPoolMetrics(registry, served.poolStats)
  const { diskStats } = served
  if (diskStats !== undefined) registerDiskMetrics(registry, diskStats)
  const { forkStats } = served
  if (forkStats !== undefined) registerForkMetrics(registry, forkStats)
  const { gatewayStats } = served
  if (gatewayStats !== undefined) registerGatewayMetrics(registry, gatewayStats)
  const openRpc = createOpenRpc(table.enabled, added)
  const blockWatch = new BlockWatch({ chain, now: () => performance.now(), clock: Date.now })
  const readiness = new Readiness(
    { haltedAfterMs: config.haltedAfter, createEmptyBlocks: config.createEmptyBlocks },
    { served, blocks: blockWatch, now: () => performance.now() },
  )
  registerHealthMetrics(registry, { home: config.home }, { readiness, blocks: blockWatch })

  let serving: ServingPool | undefined
  const addressOf = (role: ListenerRole): ListenAddress | undefined => (serving ?? server).addressOf(role)
  const stopTransport = (role: ListenerRole): boolean =>
    serving === undefined ? server.stopTransport(role) : serving.unlisten(role)

  /** Starts a transport; a failure is reported to the caller as it would be to an operator at the start. */
  const startTransport = async (role: ListenerRole, options: TransportOverrides): Promise<void> => {
    try {
      await (serving === undefined ? server.startTransport(role, options) : serving.listen(role, options))
    } catch (error) {
      throw error instanceof ExitError ? callFailed(error.message) : error
    }
  }

  const files = new KeyedQueue({ name: 'turn to change app.toml' }, served.lockWaits)
  /** Changes of the file run one after the other, so that none is lost. */
  const save = async (name: SettingName, tomlText: string): Promise<void> => {
    if (!isTemporary)
      await files.run('app.toml', () => updateAppToml(appTomlPath(config.home), name, tomlText))
  }

  const contracts = new ContractRegistry()
  const context: ApiContext = {
    // Test helpers of the field run only on nodes of certain names.
    clientVersion: isDevProfile(config) ? `anvil-${clientVersion}` : clientVersion,
    home: config.home,
    chain,
    diagnostics,
    log,
    senderLock: new KeyedQueue({ name: 'turn of an account to send' }, served.lockWaits),
    subscriptions,
    chainTraceSubscriptions: new ChainTraceSubscriptions({
      chain,
      memory: { take: (bytes) => server.memory.take(bytes, 0), give: (bytes) => server.memory.give(bytes) },
      log,
    }),
    filters,
    logSettings: config.jsonRpc,
    accounts: keys.keystore,
    keystore: keys.keystore,
    wallets: keys.wallets,
    transports: {
      startHttp: (options) => startTransport('http', options),
      stopHttp: async () => stopTransport('http'),
      startWs: (options) => startTransport('ws', options),
      stopWs: async () => stopTransport('ws'),
      isListening: () => addressOf('http') !== undefined || addressOf('ws') !== undefined,
    },
    saveMinimumGasPrice: (price) =>
      save('minimum-gas-prices', settings['minimum-gas-prices'].kind.toToml(price)),
    saveCoinbase: (address) => save('coinbase', settings.coinbase.kind.toToml(address)),
    contracts,
    abis: new AbiStore(config.home),
    instanceId: `0x${randomBytes(32).toString('hex')}`,
    modules: () => Object.fromEntries(table.namespaces.map((namespace) => [namespace, '1.0'])),
    openRpc,
  }

  const health = createHealthPages(
    readiness,
    () => served.findProblem()?.problem ?? served.findWarning?.(),
    () => gatewayStats?.().fleet?.members,
    {
      contentType: registry.contentType,
      metrics: async () => (await (serving?.addMetrics(registry) ?? registry)).metrics(),
    },
  )
  metricsServer?.setPages(new Pages({ ...health }))
  const pages = new Pages({
    '/health': health['/health'],
    '/ready': health['/ready'],
    // Whoever gives them an address of their own does not want them where clients are.
    ...(metricsServer === undefined ? { '/metrics': health['/metrics'] } : {}),
    '/openrpc.json': sharedPage(async () => jsonPage(200, await openRpc())),
  })

  const server = new RpcServer(config.jsonRpc, {
    methods: table.methods,
    context,
    toRpcError,
    dialect,
    namespaces,
    operatorNamespaces,
    isDev: isDevProfile(config),
    pages,
    heights,
    site: servesExplorer(config) ? new Site(explorerUrl) : undefined,
    secret,
    keys: apiKeys,
    tls,
    registry,
    log: log.component('rpc'),
  })

  served.shareKeys?.(() => server.limitedKeys())

  const openServing = async (): Promise<ServingPool | undefined> => {
    const { shared } = served
    if (shared === undefined) return undefined
    const { startServing } = await import('../serving/startServing.ts')
    return startServing(processes, {
      ...{ config: given, access, secret, keys: apiKeys, tls, served, shared, server, registry, pages, log },
      clientVersion: context.clientVersion,
    })
  }

  return {
    start: async (listen) => {
      // What is wrong with added methods is reported now, not to the first caller who asks for the document.
      if (added.length > 0) await openRpc()
      if (!isTemporary) await writeDefaultAppToml(config.home)
      await diagnostics.start()
      if (listen !== 'none') {
        const ipcPath = config.ipcPath ?? (listen === 'all' ? join(config.home, 'perihelion.ipc') : undefined)
        if (ipcPath !== undefined) await server.startIpc(ipcPath)
        if (processes > 0) serving = await openServing()
        else await server.start()
      }
      readiness.setServing(true)
    },
    close: async () => {
      readiness.setServing(false)
      blockWatch.close()
      // This comes first, so that a client that waits for a profile gets it.
      await diagnostics.close()
      filters.close()
      heights.close()
      server.closeInProcess()
      // Code that loops would hold up the end for as long as it may run.
      served.stopCalls?.()
      await Promise.all([server.close(), serving?.close()])
      filterJournal?.close()
    },
    reload: async ({ jsonRpc, haltedAfter }, reloaded) => {
      server.reload({ settings: mainShareOf(jsonRpc, processes), ...reloaded })
      await serving?.reload({ settings: jsonRpc, ...reloaded })
      readiness.setHaltedAfter(haltedAfter)
    },
    connect: (onNotification) => server.connect(onNotification),
    contracts,
    urls: () => {
      const urls: Partial<Record<ListenerRole, string>> = {}
      for (const role of ['http', 'ws'] as const) {
        const address = addressOf(role)
        const isSecure = serving?.isSecure ?? server.isSecure(role)
        if (address !== undefined) urls[role] = `${role}${isSecure ? 's' : ''}://${formatAddress(address)}`
      }
      return urls
    },
  }
}
