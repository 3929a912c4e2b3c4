import type { Registry } from 'prom-client'
import type { Logger } from '../base/log.ts'
import { formatAddress, type ListenAddress } from '../config/kinds.ts'
import { isDevProfile } from '../config/profile.ts'
import type { Config } from '../config/settings.ts'
import { clientAddressFinder } from './access/clientAddress.ts'
import { Entry } from './access/entry.ts'
import { Gate } from './access/gate.ts'
import { RateLimiter } from './access/rateLimit.ts'
import { Answerer } from './dispatch/answer.ts'
import { Dispatcher } from './dispatch/dispatch.ts'
import { createMethodTable } from './dispatch/table.ts'
import { failed, type RpcError } from './errors.ts'
import type { Method } from './method.ts'
import { RpcMetrics } from './metrics.ts'
import { Backlog } from './transport/backlog.ts'
import { ConnectionBudget } from './transport/connections.ts'
import { InProcessConnection } from './transport/inProcess.ts'
import { IpcListener } from './transport/ipc.ts'
import { Listener, type Role } from './transport/listener.ts'
import type { Pages } from './transport/pages.ts'
import { SlowReaders } from './transport/slowReaders.ts'

export interface RpcServerDependencies<Context> {
  readonly methods: readonly Method<Context>[]
  readonly context: Context
  /** See `DispatcherOptions`. */
  readonly explain?: ((error: unknown) => RpcError | undefined) | undefined
  /** Namespaces that are on where nothing else is asked for. */
  readonly namespaces: readonly string[]
  readonly pages: Pages
  readonly secret: Uint8Array
  readonly registry: Registry
  readonly log: Logger
}

/** What a transport that is started at run time may have different from the configuration. */
export interface TransportOverrides {
  readonly host?: string | undefined
  readonly port?: number | undefined
  readonly cors?: readonly string[] | undefined
  readonly apis?: readonly string[] | undefined
  readonly vhosts?: readonly string[] | undefined
}

/** Connections to the IPC socket; apart from the others, so that a flood there does not lock the operator out. */
const maxIpcConnections = 128

/** What runs gets this long to finish when a transport stops. */
const drainMs = 8000

/** JSON-RPC over HTTP, WebSocket and IPC: one dispatcher behind up to three doors, each of which opens and closes on its own. */
export class RpcServer<Context> {
  readonly #config: Config
  readonly #dependencies: RpcServerDependencies<Context>
  readonly #metrics: RpcMetrics
  readonly #rateLimiter: RateLimiter
  readonly #connections: ConnectionBudget
  readonly #backlog: Backlog
  readonly #slowReaders: SlowReaders
  readonly #listeners = new Map<Role, Listener>()
  readonly #starting = new Set<Role>()
  readonly #stopping = new Set<Promise<void>>()
  readonly #inProcess = new Set<InProcessConnection>()
  #ipc: IpcListener | undefined

  constructor(config: Config, dependencies: RpcServerDependencies<Context>) {
    this.#config = config
    this.#dependencies = dependencies
    this.#metrics = new RpcMetrics(dependencies.registry)
    this.#rateLimiter = new RateLimiter(config['json-rpc.rate-limit'], config['json-rpc.rate-limit-burst'])
    this.#connections = new ConnectionBudget(config['json-rpc.max-open-connections'], this.#metrics)
    this.#backlog = new Backlog(config['json-rpc.ws-total-backlog'])
    this.#slowReaders = new SlowReaders(config['json-rpc.http-total-backlog'], this.#metrics)
  }

  /** Opens every door that the configuration names, or none: what was opened is closed again when one fails. */
  async start(ipcPath: string): Promise<void> {
    try {
      await this.#startIpc(ipcPath)
      if (!this.#config['json-rpc.enable']) return
      if (this.#config['json-rpc.address'] !== undefined) await this.startTransport('http')
      if (this.#config['json-rpc.ws-address'] !== undefined) await this.startTransport('ws')
    } catch (error) {
      await this.close()
      throw error
    }
  }

  /** Opens a door. One that is open already is an error for the caller to see. */
  async startTransport(role: Role, overrides: TransportOverrides = {}): Promise<void> {
    const running = this.addressOf(role)
    if (running !== undefined) {
      throw failed(`${role} server already running on ${formatAddress(running)}`)
    }
    const configured = this.#config[role === 'http' ? 'json-rpc.address' : 'json-rpc.ws-address']
    const address: ListenAddress = {
      host: overrides.host ?? configured?.host ?? '127.0.0.1',
      port: overrides.port ?? configured?.port ?? (role === 'http' ? 8545 : 8546),
    }
    const shared = [...this.#listeners.values()].find((other) => other.isAt(address))
    if (shared !== undefined) {
      const { cors, apis, vhosts } = overrides
      if (cors !== undefined || apis !== undefined || vhosts !== undefined) {
        const where = formatAddress(address)
        throw failed(`${where} is open already: cors, apis and vhosts cannot differ on one port`)
      }
      shared.addRole(role)
      this.#listeners.set(role, shared)
      return
    }
    if (this.#starting.has(role)) throw failed(`${role} server is starting already`)
    this.#starting.add(role)
    try {
      const listener = this.#createListener(role, address, overrides)
      await listener.start()
      this.#listeners.set(role, listener)
      this.#dependencies.log.info({ transport: role, ...listener.address }, 'listening')
    } finally {
      this.#starting.delete(role)
    }
  }

  /** Closes a door; false when it was not open. The calls that run there, this one perhaps, finish on their own. */
  stopTransport(role: Role): boolean {
    const listener = this.#listeners.get(role)
    if (listener === undefined) return false
    this.#listeners.delete(role)
    if (listener.roles.size > 1) {
      listener.removeRole(role)
      return true
    }
    const stopped = listener.stop(drainMs).finally(() => this.#stopping.delete(stopped))
    this.#stopping.add(stopped)
    return true
  }

  /** Where a transport listens, or undefined when it does not. */
  addressOf(role: Role): ListenAddress | undefined {
    return this.#listeners.get(role)?.address
  }

  /** Opens a connection for code of this process: no socket, and nothing that is kept from it. */
  connect(onNotification: (params: unknown) => void): InProcessConnection {
    const connection = new InProcessConnection(
      { timeoutMs: this.#config['json-rpc.http-timeout'], onNotification },
      { ...this.#shared(this.#dependencies.namespaces), rateLimiter: new RateLimiter(0, 0) },
    )
    this.#inProcess.add(connection)
    return connection
  }

  async close(): Promise<void> {
    for (const connection of this.#inProcess) connection.close()
    this.#inProcess.clear()
    this.stopTransport('http')
    this.stopTransport('ws')
    await Promise.all([...this.#stopping, this.#ipc?.stop(drainMs)])
    this.#ipc = undefined
  }

  async #startIpc(path: string): Promise<void> {
    const ipc = new IpcListener(
      {
        path,
        maxBodySize: this.#config['json-rpc.max-body-size'],
        timeoutMs: this.#config['json-rpc.http-timeout'],
        maxBacklog: this.#config['json-rpc.ws-max-backlog'],
      },
      {
        ...this.#shared(this.#dependencies.namespaces),
        backlog: this.#backlog,
        connections: new ConnectionBudget(maxIpcConnections, this.#metrics),
        rateLimiter: new RateLimiter(0, 0),
      },
    )
    await ipc.start()
    this.#ipc = ipc
  }

  #createListener(role: Role, address: ListenAddress, overrides: TransportOverrides): Listener {
    const config = this.#config
    const gate = new Gate({
      cors: overrides.cors ?? config['json-rpc.cors'],
      vhosts: overrides.vhosts ?? config['json-rpc.vhosts'],
      allowLocalhostPages: isDevProfile(config),
    })
    const findClient = clientAddressFinder(config['json-rpc.trusted-proxies'])
    const shared = this.#shared(overrides.apis ?? this.#dependencies.namespaces)
    return new Listener(
      {
        address,
        maxBodySize: config['json-rpc.max-body-size'],
        timeoutMs: config['json-rpc.http-timeout'],
        headerTimeoutMs: config['json-rpc.http-header-timeout'],
        idleTimeoutMs: config['json-rpc.http-idle-timeout'],
        compression: config['json-rpc.compression'],
        pingIntervalMs: config['json-rpc.ws-ping-interval'],
        maxBacklog: config['json-rpc.ws-max-backlog'],
      },
      [role],
      {
        ...shared,
        entry: new Entry({ ...shared, gate, findClient, secret: this.#dependencies.secret }),
        pages: this.#dependencies.pages,
        connections: this.#connections,
        backlog: this.#backlog,
        slowReaders: this.#slowReaders,
      },
    )
  }

  /** What every door needs, with the namespaces that are behind it. */
  #shared(namespaces: readonly string[]) {
    const { methods, context, explain, log } = this.#dependencies
    const dispatcher = new Dispatcher(
      {
        table: createMethodTable(methods, namespaces),
        context,
        explain,
        rules: { allowInsecureUnlock: this.#config['json-rpc.allow-insecure-unlock'] },
      },
      { metrics: this.#metrics, log },
    )
    const answerer = new Answerer(
      {
        batchRequestLimit: this.#config['json-rpc.batch-request-limit'],
        batchResponseMaxSize: this.#config['json-rpc.batch-response-max-size'],
      },
      dispatcher,
    )
    return { answerer, rateLimiter: this.#rateLimiter, metrics: this.#metrics, log }
  }
}
