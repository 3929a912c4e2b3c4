import { join } from 'node:path'
import { explainChainError } from '../api/chainErrors.ts'
import type { ApiContext } from '../api/context.ts'
import { methods } from '../api/methods.ts'
import { ExitError } from '../base/exit.ts'
import type { RootLogger } from '../base/log.ts'
import { createMetricsRegistry } from '../base/metrics.ts'
import { Instruments } from '../base/profiling/instruments.ts'
import { Turns } from '../base/turns.ts'
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
import { writeOpenRpc } from '../rpc/openrpc.ts'
import { RpcServer, type TransportOverrides } from '../rpc/server.ts'
import type { Role } from '../rpc/transport/listener.ts'
import { jsonPage, Pages } from '../rpc/transport/pages.ts'
import type { RunningChain } from './runningChain.ts'

/** The parts of a running node, put together. */
export interface Service {
  start(): Promise<void>
  close(): Promise<void>
  /** Where it is served; a transport that is off has no entry. */
  urls(): Readonly<Record<string, string>>
}

/** What the transports need to know beside their settings. */
export interface Doors {
  readonly namespaces: readonly string[]
  /** Signs bearer tokens. */
  readonly secret: Uint8Array
}

/** Namespaces that everybody gets; the dev profile has all of them. */
const defaultNamespaces = ['eth', 'net', 'web3']

/** What can be wrong about serving is found here, before a chain is opened or begun. */
export const prepareDoors = (config: Config): Doors => ({
  namespaces: chooseNamespaces(config),
  secret: loadSecret(config.home),
})

export const createService = (
  config: Config,
  log: RootLogger,
  running: RunningChain,
  { namespaces, secret }: Doors,
): Service => {
  const { chain, keys } = running
  const instruments = new Instruments({ ...config.profiling, home: config.home }, running.waits)
  const registry = createMetricsRegistry()
  const { workerStats } = running
  if (workerStats !== undefined) measureWorkers(registry, workerStats)
  const subscriptions = new Subscriptions(config.jsonRpc, { chain, log })
  measureSubscriptions(registry, () => subscriptions.counts())
  const filters = new Filters(config.jsonRpc, {
    chain,
    events: chain.events,
    now: () => performance.now(),
  })
  measureChain(registry, chain)
  const { engineCalls } = running
  if (engineCalls !== undefined) measureEngine(registry, () => engineCalls)
  measurePool(registry, running.poolStats)
  const { gatewayStats } = running
  if (gatewayStats !== undefined) measureGateway(registry, gatewayStats)
  const table = createMethodTable(methods, namespaces)
  const openRpc = writeOpenRpc(table.enabled, version)
  let isReady = false

  /** What an operator would be told at the start, a caller is told as an error. */
  const openDoor = async (role: Role, options: TransportOverrides): Promise<void> => {
    try {
      await server.startTransport(role, options)
    } catch (error) {
      throw error instanceof ExitError ? failed(error.message) : error
    }
  }

  const files = new Turns('turn to change app.toml', running.waits)
  /** One change of the file after the other, so that none is lost. */
  const save = (name: SettingName, tomlText: string): Promise<void> =>
    files.take('app.toml', () => setInAppToml(appTomlPath(config.home), name, tomlText))

  const context: ApiContext = {
    clientVersion,
    home: config.home,
    chain,
    instruments,
    log,
    sending: new Turns('turn of an account to send', running.waits),
    subscriptions,
    chainTraces: new ChainTraces({ chain, log }),
    filters,
    logSettings: config.jsonRpc,
    accounts: keys.keystore,
    keystore: keys.keystore,
    wallets: keys.wallets,
    transports: {
      startHttp: (options) => openDoor('http', options),
      stopHttp: async () => server.stopTransport('http'),
      startWs: (options) => openDoor('ws', options),
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
      const ready = isReady && running.isReady()
      return jsonPage(ready ? 200 : 503, { ready })
    },
    '/metrics': async () => ({ status: 200, type: registry.contentType, body: await registry.metrics() }),
    '/openrpc.json': async () => jsonPage(200, openRpc),
  })

  const server = new RpcServer(config.jsonRpc, {
    methods,
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
    start: async () => {
      await writeDefaultAppToml(config.home)
      await instruments.start()
      await server.start(config.ipcPath ?? join(config.home, 'perihelion.ipc'))
      isReady = true
    },
    close: async () => {
      isReady = false
      // First, so that who waits for a profile gets it.
      await instruments.close()
      filters.close()
      await server.close()
    },
    urls: () => {
      const urls: Record<string, string> = {}
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
