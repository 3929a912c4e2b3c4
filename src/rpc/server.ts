import type { Registry } from 'prom-client'
import type { Logger } from '../base/log.ts'
import { formatAddress, type ListenAddress } from '../config/kinds/addresses.ts'
import type { JsonRpcSettings } from '../config/settings.ts'
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
  /** Whether web pages on any port of localhost may call: the dev profile. */
  readonly isDev: boolean
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
  readonly #settings: JsonRpcSettings
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

  constructor(settings: JsonRpcSettings, dependencies: RpcServerDependencies<Context>) {
    this.#settings = settings
    this.#dependencies = dependencies
    this.#metrics = new RpcMetrics(dependencies.registry)
    this.#rateLimiter = new RateLimiter(settings.rateLimit, settings.rateLimitBurst)
    this.#connections = new ConnectionBudget(settings.maxOpenConnections, this.#metrics)
    this.#backlog = new Backlog(settings.wsTotalBacklog)
    this.#slowReaders = new SlowReaders(settings.httpTotalBacklog, this.#metrics)
  }

  /** Opens both transports of the network, as far as the configuration names them, or none: a failure closes the first again. */
  async start(): Promise<void> {
    try {
      if (!this.#settings.enable) return
      if (this.#settings.address !== undefined) await this.startTransport('http')
      if (this.#settings.wsAddress !== undefined) await this.startTransport('ws')
    } catch (error) {
      await this.close()
      throw error
    }
  }

  /** Starts a transport. One that runs already is an error for the caller to see. */
  async startTransport(role: Role, overrides: TransportOverrides = {}): Promise<void> {
    const running = this.addressOf(role)
    if (running !== undefined) {
      throw failed(`${role} server already running on ${formatAddress(running)}`)
    }
    const configured = this.#settings[role === 'http' ? 'address' : 'wsAddress']
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

  /** Stops a transport; false when it did not run. The calls that run there, this one perhaps, finish on their own. */
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
      { timeoutMs: this.#settings.httpTimeout, onNotification },
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

  /** Opens the socket for the operator's programs on this machine. */
  async startIpc(path: string): Promise<void> {
    const ipc = new IpcListener(
      { ...this.#settings, path },
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
    const settings = this.#settings
    const gate = new Gate({
      cors: overrides.cors ?? settings.cors,
      vhosts: overrides.vhosts ?? settings.vhosts,
      allowLocalhostPages: this.#dependencies.isDev,
    })
    const findClient = clientAddressFinder(settings.trustedProxies)
    const shared = this.#shared(overrides.apis ?? this.#dependencies.namespaces)
    return new Listener({ ...settings, address }, [role], {
      ...shared,
      entry: new Entry({ ...shared, gate, findClient, secret: this.#dependencies.secret }),
      pages: this.#dependencies.pages,
      connections: this.#connections,
      backlog: this.#backlog,
      slowReaders: this.#slowReaders,
    })
  }

  /** What every door needs, with the namespaces that are behind it. */
  #shared(namespaces: readonly string[]) {
    const { methods, context, explain, log } = this.#dependencies
    const dispatcher = new Dispatcher(
      {
        table: createMethodTable(methods, namespaces),
        context,
        explain,
        rules: this.#settings,
      },
      { metrics: this.#metrics, log },
    )
    const answerer = new Answerer(this.#settings, dispatcher)
    return { answerer, rateLimiter: this.#rateLimiter, metrics: this.#metrics, log }
  }
}
