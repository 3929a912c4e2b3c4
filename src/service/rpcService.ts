import { join } from 'node:path'
import { explainChainError } from '../api/chainErrors.ts'
import type { ApiContext } from '../api/context.ts'
import { methods } from '../api/methods.ts'
import { ExitError } from '../base/exit.ts'
import { KeyedQueue } from '../base/keyedQueue.ts'
import type { RootLogger } from '../base/log.ts'
import { createMetricsRegistry } from '../base/metrics.ts'
import { Instruments } from '../base/profiling/instruments.ts'
import { clientVersion, version } from '../base/version.ts'
import { measureChain } from '../chain/metrics.ts'
import { formatAddress } from '../config/kinds/addresses.ts'
import { isDevProfile } from '../config/profile.ts'
import { type Config, type SettingName, settings } from '../config/settings.ts'
import { appTomlPath, setInAppToml, writeDefaultAppToml } from '../config/toml/appToml.ts'
import { measureEngine } from '../engine/metrics.ts'
import { ChainTraces } from '../events/chainTraces.ts'
import { Filters } from '../events/filters/filters.ts'
import { measureSubscriptions } from '../events/metrics.ts'
import { Subscriptions } from '../events/subscriptions.ts'
import { measureWorkers } from '../execute/workers/metrics.ts'
import { measureGateway } from '../gateway/metrics.ts'
import { measurePool } from '../pool/metrics.ts'
import { loadSecret } from '../rpc/access/secret.ts'
import { createMethodTable, namespacesOf } from '../rpc/dispatch/table.ts'
import { failed } from '../rpc/errors.ts'
import type { Method } from '../rpc/method.ts'
import { writeOpenRpc } from '../rpc/openrpc.ts'
import { RpcServer, type TransportOverrides } from '../rpc/server.ts'
import type { Role } from '../rpc/transport/listener.ts'
import { jsonPage, Pages } from '../rpc/transport/pages.ts'
import type { Connect } from './provider.ts'
import type { ServedChain } from './servedChain.ts'

/** JSON-RPC over a chain, with everything that its methods use. */
export interface RpcService {
  /** Opens the sockets: all that the configuration names, those for clients on the network alone, or none. */
  start(listen: 'all' | 'network' | 'none'): Promise<void>
  close(): Promise<void>
  /** Returns where it is served; a transport that is off has no entry. */
  urls(): Readonly<Partial<Record<Role, string>>>
  readonly connect: Connect
}

/** What the transports need to know beside their settings. */
export interface AccessOptions {
  readonly namespaces: readonly string[]
  /** Signs bearer tokens. */
  readonly secret: Uint8Array
}

/** Namespaces that everybody gets; the dev profile has all of them. */
const defaultNamespaces = ['eth', 'net', 'web3']

/** Finds what can be wrong about serving. Namespaces of methods that were added are always on. */
export const prepareAccess = (config: Config, added: readonly Method<ApiContext>[]): AccessOptions => ({
  namespaces: [...new Set([...chooseNamespaces(config), ...namespacesOf(added)])],
  secret: loadSecret(config.home),
})

export interface RpcServiceOptions {
  readonly config: Config
  /** Methods beside those of the table. */
  readonly methods: readonly Method<ApiContext>[]
  readonly access: AccessOptions
}

export interface RpcServiceDependencies {
  readonly served: ServedChain
  readonly log: RootLogger
}

export const createRpcService = (
  { config, methods: added, access: { namespaces, secret } }: RpcServiceOptions,
  { served, log }: RpcServiceDependencies,
): RpcService => {
  const allMethods = [...methods, ...added]
  const { chain, keys } = served
  const instruments = new Instruments({ ...config.profiling, home: config.home }, served.waits)
  const registry = createMetricsRegistry()
  const { workerStats } = served
  if (workerStats !== undefined) measureWorkers(registry, workerStats)
  const subscriptions = new Subscriptions(config.jsonRpc, { chain, log })
  measureSubscriptions(registry, () => subscriptions.counts())
  const filters = new Filters(config.jsonRpc, {
    chain,
    events: chain.events,
    now: () => performance.now(),
  })
  measureChain(registry, chain)
  const { engineCalls } = served
  if (engineCalls !== undefined) measureEngine(registry, () => engineCalls)
  measurePool(registry, served.poolStats)
  const { gatewayStats } = served
  if (gatewayStats !== undefined) measureGateway(registry, gatewayStats)
  const table = createMethodTable(allMethods, namespaces)
  const openRpc = writeOpenRpc(table.enabled, version)
  let isReady = false

  /** Answers a caller with what an operator would be told at the start. */
  const startTransport = async (role: Role, options: TransportOverrides): Promise<void> => {
    try {
      await server.startTransport(role, options)
    } catch (error) {
      throw error instanceof ExitError ? failed(error.message) : error
    }
  }

  const files = new KeyedQueue({ name: 'turn to change app.toml' }, served.waits)
  /** One change of the file after the other, so that none is lost. */
  const save = (name: SettingName, tomlText: string): Promise<void> =>
    files.run('app.toml', () => setInAppToml(appTomlPath(config.home), name, tomlText))

  const context: ApiContext = {
    clientVersion,
    home: config.home,
    chain,
    instruments,
    log,
    sending: new KeyedQueue({ name: 'turn of an account to send' }, served.waits),
    subscriptions,
    chainTraces: new ChainTraces({ chain, log }),
    filters,
    logSettings: config.jsonRpc,
    accounts: keys.keystore,
    keystore: keys.keystore,
    wallets: keys.wallets,
    transports: {
      startHttp: (options) => startTransport('http', options),
      stopHttp: async () => server.stopTransport('http'),
      startWs: (options) => startTransport('ws', options),
      stopWs: async () => server.stopTransport('ws'),
      isListening: () => server.addressOf('http') !== undefined || server.addressOf('ws') !== undefined,
    },
    saveMinimumGasPrice: (price) =>
      save('minimum-gas-prices', settings['minimum-gas-prices'].kind.toToml(price)),
    saveCoinbase: (address) => save('coinbase', settings.coinbase.kind.toToml(address)),
    modules: () => Object.fromEntries(table.namespaces.map((namespace) => [namespace, '1.0'])),
    openRpc: () => openRpc,
  }

  const pages = new Pages({
    '/health': async () => jsonPage(200, { status: 'ok', version }),
    '/ready': async () => {
      const ready = isReady && served.isReady()
      return jsonPage(ready ? 200 : 503, { ready })
    },
    '/metrics': async () => ({ status: 200, type: registry.contentType, body: await registry.metrics() }),
    '/openrpc.json': async () => jsonPage(200, openRpc),
  })

  const server = new RpcServer(config.jsonRpc, {
    methods: allMethods,
    context,
    explain: explainChainError,
    namespaces,
    isDev: isDevProfile(config),
    pages,
    secret,
    registry,
    log: log.part('rpc'),
  })

  return {
    start: async (listen) => {
      await writeDefaultAppToml(config.home)
      await instruments.start()
      if (listen === 'all') await server.startIpc(config.ipcPath ?? join(config.home, 'perihelion.ipc'))
      else if (listen === 'network' && config.ipcPath !== undefined) await server.startIpc(config.ipcPath)
      if (listen !== 'none') await server.start()
      isReady = true
    },
    close: async () => {
      isReady = false
      // First, so that who waits for a profile gets it.
      await instruments.close()
      filters.close()
      await server.close()
    },
    connect: (onNotification) => server.connect(onNotification),
    urls: () => {
      const urls: Partial<Record<Role, string>> = {}
      for (const role of ['http', 'ws'] as const) {
        const address = server.addressOf(role)
        if (address !== undefined) urls[role] = `${role}://${formatAddress(address)}`
      }
      return urls
    },
  }
}

const chooseNamespaces = (config: Config): readonly string[] => {
  const { api } = config.jsonRpc
  if (api.length > 0) return api
  return isDevProfile(config) ? namespacesOf(methods) : defaultNamespaces
}
