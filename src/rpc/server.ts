import { Registry } from 'prom-client'
import type { Logger } from '../base/logging/log.ts'
import { formatAddress, type ListenAddress } from '../config/kinds/addresses.ts'
import type { JsonRpcSettings } from '../config/settings/settings.ts'
import type { ApiKeyOptions } from './access/apiKey.ts'
import { ApiKeys } from './access/apiKeys.ts'
import { createClientAddressResolver } from './access/clientAddress.ts'
import { OriginPolicy } from './access/originPolicy.ts'
import { RateLimiter } from './access/rateLimit.ts'
import { RequestGuard } from './access/requestGuard.ts'
import type { Dialect } from './dispatch/dialect.ts'
import { Dispatcher } from './dispatch/dispatcher.ts'
import { ForwardedCalls } from './dispatch/forwardedCalls.ts'
import { InternalErrors } from './dispatch/internalErrors.ts'
import { RequestHandler } from './dispatch/requestHandler.ts'
import { createMethodTable, namespacesOf } from './dispatch/table.ts'
import { createWorkLimiters, type WorkLimiters } from './dispatch/workLimiter.ts'
import { callFailed, type RpcError } from './errors.ts'
import { chooseAddress } from './listenAddress.ts'
import { MemoryBudget } from './memoryBudget.ts'
import type { Method } from './method.ts'
import { RpcMetrics } from './metrics.ts'
import { SendBacklog } from './transport/backlog.ts'
import { ConnectionLimiter } from './transport/connectionLimiter.ts'
import type { AnswerHeights } from './transport/http/answerHeights.ts'
import { UnreadResponses } from './transport/http/unreadResponses.ts'
import { InProcessConnection } from './transport/inProcess.ts'
import { IpcListener } from './transport/ipc.ts'
import { Listener, type ListenerRole } from './transport/listener.ts'
import type { TransportOverrides } from './transport/overrides.ts'
import type { Pages } from './transport/pages.ts'
import type { Site } from './transport/site.ts'
import type { TlsFiles } from './transport/tls.ts'

export interface RpcServerDependencies<Context> {
  readonly methods: readonly Method<Context>[]
  readonly context: Context
  /** See `DispatcherOptions`. */
  readonly toRpcError?: ((error: unknown) => RpcError | undefined) | undefined
  readonly dialect?: Dialect | undefined
  /** The namespaces that are enabled unless a transport overrides them. */
  readonly namespaces: readonly string[]
  /** The namespaces that the IPC socket has in addition: those of the operator. */
  readonly operatorNamespaces?: readonly string[] | undefined
  /** Whether web pages on any port of localhost may call, as in the dev profile. */
  readonly isDev: boolean
  readonly pages: Pages
  /** The files for browsers; undefined if there are none. */
  readonly site?: Site | undefined
  /** The heights of answers over HTTP; undefined if they are not told. */
  readonly heights?: AnswerHeights | undefined
  readonly secret: Uint8Array
  /** The API keys, one of which each request over the network needs; undefined if keys are off. */
  readonly keys?: readonly ApiKeyOptions[] | undefined
  /** The certificate of the network transports; undefined if they are not secured. */
  readonly tls?: TlsFiles | undefined
  readonly registry: Registry
  readonly log: Logger
  /** See `ListenerOptions`. */
  readonly readsByNode?: boolean | undefined
}

/**
 * The maximum of IPC connections. They are counted apart from the others, so that a flood there does not lock the
 * operator out.
 */
const maxIpcConnections = 128

/** How long running calls may take to finish when a transport stops. */
const drainTimeoutMs = 5000

/** What a server takes while it runs. */
export interface ReloadedAccess {
  readonly settings: JsonRpcSettings
  readonly keys: readonly ApiKeyOptions[] | undefined
  /** A certificate takes the place of another one; a server that had none goes on without. */
  readonly tls: TlsFiles | undefined
}

/** Returns the settings that a server takes while it runs. The others need a restart. */
export const pickReloadable = ({
  cors,
  vhosts,
  trustedProxies,
  rateLimit,
  rateLimitBurst,
  maxOpenConnections,
  requestMemory,
}: JsonRpcSettings) => ({
  ...{ cors, vhosts, trustedProxies, rateLimit, rateLimitBurst, maxOpenConnections, requestMemory },
})

/** Serves JSON-RPC over HTTP, WebSocket and IPC. Each transport is started and stopped independently. */
export class RpcServer<Context> {
  #settings: JsonRpcSettings
  #tls: TlsFiles | undefined
  readonly #dependencies: RpcServerDependencies<Context>
  readonly #metrics: RpcMetrics
  readonly #internalErrors: InternalErrors
  readonly #rateLimiter: RateLimiter
  readonly #connections: ConnectionLimiter
  #keys: ApiKeys | undefined
  /** The keys that there were once, with their metrics. */
  #knownKeys: ApiKeys | undefined
  readonly #budget: MemoryBudget
  readonly #limiters: WorkLimiters
  readonly #backlog: SendBacklog
  readonly #unreadResponses: UnreadResponses
  readonly #listeners = new Map<ListenerRole, Listener>()
  readonly #guards = new Map<
    Listener,
    { readonly guard: RequestGuard; readonly overrides: TransportOverrides }
  >()
  readonly #starting = new Set<ListenerRole>()
  readonly #stopping = new Set<Promise<void>>()
  readonly #inProcess = new Set<InProcessConnection>()
  #ipc: IpcListener | undefined

  constructor(settings: JsonRpcSettings, dependencies: RpcServerDependencies<Context>) {
    this.#settings = settings
    this.#dependencies = dependencies
    this.#metrics = new RpcMetrics(dependencies.registry)
    this.#internalErrors = new InternalErrors({ metrics: this.#metrics, log: dependencies.log })
    this.#rateLimiter = new RateLimiter(settings.rateLimit, settings.rateLimitBurst)
    this.#connections = new ConnectionLimiter(settings.maxOpenConnections, this.#metrics)
    const { keys, registry } = dependencies
    this.#knownKeys = keys === undefined ? undefined : new ApiKeys(keys, registry)
    this.#keys = this.#knownKeys
    this.#tls = dependencies.tls
    this.#budget = new MemoryBudget(settings.requestMemory)
    this.#metrics.observeMemory(dependencies.registry, this.#budget)
    this.#limiters = createWorkLimiters(settings)
    this.#metrics.observeWork(dependencies.registry, this.#limiters)
    this.#backlog = new SendBacklog(settings.wsTotalBacklog, this.#budget)
    this.#unreadResponses = new UnreadResponses(settings.httpTotalBacklog, this.#metrics)
    for (const readers of [this.#backlog, this.#unreadResponses]) this.#budget.addReaders(readers)
  }

  /** Starts the configured network transports. If one fails, none stays open. */
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

  /**
   * Starts a transport; throws if it runs already. With a handle it listens on that, which is bound to the address
   * already.
   */
  async startTransport(
    role: ListenerRole,
    overrides: TransportOverrides = {},
    handle?: object,
  ): Promise<void> {
    const running = this.addressOf(role)
    if (running !== undefined) {
      throw callFailed(`${role} server already running on ${formatAddress(running)}`)
    }
    const address = chooseAddress(role, overrides, this.#settings)
    const shared = [...this.#listeners.values()].find((other) => other.listensOn(address))
    if (shared !== undefined) {
      const { cors, apis, vhosts } = overrides
      if (cors !== undefined || apis !== undefined || vhosts !== undefined) {
        const shown = formatAddress(address)
        throw callFailed(`${shown} is open already: cors, apis and vhosts cannot differ on one port`)
      }
      shared.addRole(role)
      this.#listeners.set(role, shared)
      return
    }
    if (this.#starting.has(role)) throw callFailed(`${role} server is starting already`)
    this.#starting.add(role)
    try {
      const listener = this.#createListener(role, address, overrides)
      await listener.start(handle)
      this.#listeners.set(role, listener)
      this.#dependencies.log.info({ transport: role, ...listener.address }, 'listening')
    } finally {
      this.#starting.delete(role)
    }
  }

  /**
   * Stops a transport; returns false if it did not run. It does not wait for running calls, because this may be one
   * of them.
   */
  stopTransport(role: ListenerRole): boolean {
    const listener = this.#listeners.get(role)
    if (listener === undefined) return false
    this.#listeners.delete(role)
    if (listener.roles.size > 1) {
      listener.removeRole(role)
      return true
    }
    this.#guards.delete(listener)
    const stopped = listener.stop(drainTimeoutMs).finally(() => this.#stopping.delete(stopped))
    this.#stopping.add(stopped)
    return true
  }

  /** Whether a transport that runs is secured by TLS. */
  isSecure(role: ListenerRole): boolean {
    return this.#listeners.get(role)?.isSecure === true
  }

  /**
   * Applies settings, keys and a certificate that were read again: hosts, origins, proxies, rates, the number of
   * connections and the memory of requests. What else changed needs a restart.
   */
  reload({ settings, keys, tls }: ReloadedAccess): void {
    this.#settings = { ...this.#settings, ...pickReloadable(settings) }
    this.#rateLimiter.configure(settings.rateLimit, settings.rateLimitBurst)
    this.#connections.setLimit(settings.maxOpenConnections)
    this.#budget.setLimit(settings.requestMemory)
    this.#keys = this.#replaceKeys(keys)
    if (tls !== undefined && this.#tls !== undefined) {
      this.#tls = tls
      for (const listener of new Set(this.#listeners.values())) listener.setTls(tls)
    }
    for (const [listener, { guard, overrides }] of this.#guards) {
      guard.update(this.#createRules(overrides))
      listener.closeRefused()
    }
  }

  #replaceKeys(keys: readonly ApiKeyOptions[] | undefined): ApiKeys | undefined {
    if (keys === undefined) return undefined
    if (this.#knownKeys === undefined) this.#knownKeys = new ApiKeys(keys, this.#dependencies.registry)
    else this.#knownKeys.replace(keys)
    return this.#knownKeys
  }

  /** Returns the API keys that have a rate, for servers that share them. */
  limitedKeys(): ReturnType<ApiKeys['limited']> | readonly [] {
    return this.#keys?.limited() ?? []
  }

  /** The memory of requests and responses, for what clients get without a request. */
  get memory(): Pick<MemoryBudget, 'take' | 'give'> {
    return this.#budget
  }

  /** Returns the address that a transport listens on; undefined if it does not run. */
  addressOf(role: ListenerRole): ListenAddress | undefined {
    return this.#listeners.get(role)?.address
  }

  /** Opens a connection without a socket for code of this process, with access to every method. */
  connect(onNotification: (params: unknown) => void): InProcessConnection {
    const connection = new InProcessConnection(
      { timeoutMs: this.#settings.httpTimeout, onNotification },
      { ...this.#createShared(this.#dependencies.namespaces), rateLimiter: new RateLimiter(0, 0) },
    )
    this.#inProcess.add(connection)
    return connection
  }

  /** Opens the way for calls that other processes let in, with their access checked, counted and charged there. */
  openForwarded(): ForwardedCalls {
    const { methods, context, toRpcError, dialect } = this.#dependencies
    const dispatcher = new Dispatcher(
      {
        table: createMethodTable(methods, namespacesOf(methods)),
        context,
        toRpcError,
        dialect,
        rules: this.#settings,
      },
      {
        limiters: this.#limiters,
        metrics: new RpcMetrics(new Registry()),
        internalErrors: this.#internalErrors,
      },
    )
    return new ForwardedCalls(this.#settings.httpTimeout, {
      dispatcher,
      budget: this.#budget,
      internalErrors: this.#internalErrors,
    })
  }

  /** Closes the connections without a socket, whose calls need not be waited for. */
  closeInProcess(): void {
    for (const connection of this.#inProcess) connection.close()
    this.#inProcess.clear()
  }

  async close(): Promise<void> {
    this.closeInProcess()
    this.stopTransport('http')
    this.stopTransport('ws')
    await Promise.all([...this.#stopping, this.#ipc?.stop(drainTimeoutMs)])
    this.#ipc = undefined
  }

  /** Opens the IPC socket for the operator's programs on this machine, with the operator's namespaces too. */
  async startIpc(path: string): Promise<void> {
    const { namespaces, operatorNamespaces = [] } = this.#dependencies
    const ipc = new IpcListener(
      { ...this.#settings, path },
      {
        ...this.#createShared([...new Set([...namespaces, ...operatorNamespaces])]),
        backlog: this.#backlog,
        connections: new ConnectionLimiter(maxIpcConnections, this.#metrics),
        rateLimiter: new RateLimiter(0, 0),
      },
    )
    await ipc.start()
    this.#ipc = ipc
  }

  #createListener(role: ListenerRole, address: ListenAddress, overrides: TransportOverrides): Listener {
    const settings = this.#settings
    const shared = this.#createShared(overrides.apis ?? this.#dependencies.namespaces)
    const { secret, readsByNode } = this.#dependencies
    const guard = new RequestGuard({ ...shared, ...this.#createRules(overrides), secret })
    const listener = new Listener({ ...settings, address, tls: this.#tls, readsByNode }, [role], {
      ...shared,
      guard,
      pages: this.#dependencies.pages,
      site: this.#dependencies.site,
      heights: this.#dependencies.heights,
      connections: this.#connections,
      backlog: this.#backlog,
      unreadResponses: this.#unreadResponses,
    })
    this.#guards.set(listener, { guard, overrides })
    return listener
  }

  /** Creates the rules for requests over the network, as the settings are now. */
  #createRules(overrides: TransportOverrides) {
    const settings = this.#settings
    return {
      originPolicy: new OriginPolicy({
        cors: overrides.cors ?? settings.cors,
        vhosts: overrides.vhosts ?? settings.vhosts,
        allowLocalhostPages: this.#dependencies.isDev,
      }),
      findClient: createClientAddressResolver(settings.trustedProxies),
      keys: this.#keys,
    }
  }

  /** Creates the dependencies that every transport needs, for a set of enabled namespaces. */
  #createShared(namespaces: readonly string[]) {
    const { methods, context, toRpcError, dialect, log } = this.#dependencies
    const dispatcher = new Dispatcher(
      {
        table: createMethodTable(methods, namespaces),
        context,
        toRpcError,
        dialect,
        rules: this.#settings,
      },
      { limiters: this.#limiters, metrics: this.#metrics, internalErrors: this.#internalErrors },
    )
    const requestHandler = new RequestHandler(this.#settings, dispatcher, this.#internalErrors)
    return {
      requestHandler,
      rateLimiter: this.#rateLimiter,
      budget: this.#budget,
      metrics: this.#metrics,
      internalErrors: this.#internalErrors,
      log,
    }
  }
}
