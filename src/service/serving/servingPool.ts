import type { Registry } from 'prom-client'
import type { Events } from '../../chain/port/events.ts'
import type { ListenAddress } from '../../config/kinds/addresses.ts'
import type { JsonRpcSettings } from '../../config/settings.ts'
import type { HeadWitness } from '../../node/reading/headWitness.ts'
import type { ApiKeyOptions } from '../../rpc/access/apiKey.ts'
import type { ListenerRole } from '../../rpc/transport/listener.ts'
import type { TransportOverrides } from '../../rpc/transport/overrides.ts'
import type { TlsFiles } from '../../rpc/transport/tls.ts'
import { type ChildProcessDependencies, ServingChild } from './childProcess.ts'
import { HeadAnnouncer } from './headAnnouncer.ts'
import { HeadPublisher } from './headFile.ts'
import type { Metrics, ServingOptions } from './messages.ts'
import { addUp, counted, type ServingStats } from './metrics.ts'
import { SharedSockets } from './sharedSockets.ts'
import { shareOf, shareOfKeys } from './shares.ts'

export interface ServingPoolOptions extends ServingOptions {
  readonly processes: number
}

export interface ServingPoolDependencies
  extends Pick<ChildProcessDependencies, 'calls' | 'pages' | 'keys' | 'log'> {
  readonly events: Pick<Events, 'onHead'>
  /** Tells the witness of every change of the head from now on. */
  readonly watchHead: (witness: HeadWitness) => void
  /** Frees what a process that was killed holds of the store. */
  readonly clearStaleReaders: () => void
}

interface ReloadedAccess {
  readonly settings: JsonRpcSettings
  readonly keys: readonly ApiKeyOptions[] | undefined
  readonly tls: TlsFiles | undefined
}

/** How long a process may take to do what it was told before blocks are removed; one that needs longer is ended. */
const syncTimeoutMs = 10_000
/** How often the processes are asked whether they still answer, and how long they may take: a busy machine is slow. */
const watchIntervalMs = 15_000
const watchTimeoutMs = 60_000
/** How long metrics are waited for. */
const metricsTimeoutMs = 2_000
/** How long a process may take to stop: what its server gives to calls that run, and a little. */
const stopTimeoutMs = 7_000
/** How long the next process waits where others died young, and at most. */
const firstDelayMs = 100
const maxDelayMs = 10_000
/** A process that lived longer did not fail for what it was started with. */
const youngMs = 10_000

/** The serving processes: they are started, told of heads, replaced when they die, and stopped. */
export class ServingPool {
  #options: ServingPoolOptions
  readonly #dependencies: ServingPoolDependencies
  readonly #publisher: HeadPublisher
  readonly #sockets = new SharedSockets()
  /** Those that are there, and whether they answer. */
  readonly #children = new Map<ServingChild, { isReady: boolean }>()
  readonly #last = new Map<ServingChild, Metrics>()
  readonly #stopListening: () => void
  readonly #watch: NodeJS.Timeout
  readonly #restarts = new Set<NodeJS.Timeout>()
  #retired: Metrics = []
  #replaced = 0
  #delayMs = firstDelayMs
  #isClosing = false

  private constructor(options: ServingPoolOptions, dependencies: ServingPoolDependencies) {
    this.#options = options
    this.#dependencies = dependencies
    this.#publisher = new HeadPublisher(options.headFile)
    const announcer = new HeadAnnouncer({
      publisher: this.#publisher,
      tell: (event) => {
        for (const child of this.#children.keys()) child.tell(event)
      },
      sync: () => this.#sync(syncTimeoutMs),
    })
    dependencies.watchHead(announcer)
    this.#stopListening = dependencies.events.onHead((change) => announcer.onHead(change))
    this.#watch = setInterval(() => void this.#sync(watchTimeoutMs), watchIntervalMs)
    this.#watch.unref()
  }

  /** Starts the processes and has them listen where the settings say. If anything fails, none is left. */
  static async start(
    options: ServingPoolOptions,
    dependencies: ServingPoolDependencies,
  ): Promise<ServingPool> {
    const pool = new ServingPool(options, dependencies)
    try {
      // An address that is taken is told at once.
      const { jsonRpc } = options
      if (jsonRpc.address !== undefined) await pool.listen('http')
      if (jsonRpc.wsAddress !== undefined) await pool.listen('ws')
      await Promise.all(Array.from({ length: options.processes }, () => pool.#add()))
      return pool
    } catch (error) {
      await pool.close()
      throw error
    }
  }

  get stats(): ServingStats {
    return {
      running: [...this.#children.values()].filter(({ isReady }) => isReady).length,
      replaced: this.#replaced,
    }
  }

  addressOf(role: ListenerRole): ListenAddress | undefined {
    return this.#sockets.addressOf(role)
  }

  get isSecure(): boolean {
    return this.#options.tls !== undefined
  }

  /** Has all processes serve a transport. */
  async listen(role: ListenerRole, overrides: TransportOverrides = {}): Promise<void> {
    const opened = await this.#sockets.open(role, overrides, this.#options.jsonRpc)
    try {
      await Promise.all([...this.#children.keys()].map((child) => listen(child, opened)))
    } catch (error) {
      this.#sockets.close(role)
      throw error
    }
  }

  /** Ends a transport in all processes; returns false if there was none. */
  unlisten(role: ListenerRole): boolean {
    const isOpen = this.#sockets.close(role)
    if (isOpen)
      for (const child of this.#children.keys())
        void child.request({ kind: 'unlisten', role }).catch(() => {})
    return isOpen
  }

  async reload({ settings, keys, tls }: ReloadedAccess): Promise<void> {
    this.#options = { ...this.#options, jsonRpc: settings, keys, tls: this.#options.tls && tls }
    const { jsonRpc, ...rest } = this.#processOptions()
    const requests = [...this.#children.keys()].map((child) =>
      child.request({ kind: 'reload', settings: jsonRpc, keys: rest.keys, tls: rest.tls }).catch(() => {}),
    )
    await Promise.all(requests)
  }

  /** Returns the metrics of the main process with those of all others added, and with what ended ones counted. */
  async addMetrics(registry: Registry): Promise<Registry> {
    return addUp([await registry.getMetricsAsJSON(), ...(await this.#readMetrics())])
  }

  async #readMetrics(): Promise<readonly Metrics[]> {
    const asked = [...this.#children.keys()].map(async (child) => {
      const metrics = (await withTimeout(child.request({ kind: 'metrics' }), metricsTimeoutMs)) as
        | Metrics
        | undefined
      if (metrics !== undefined && this.#children.has(child)) this.#last.set(child, metrics)
    })
    await Promise.all(asked)
    return [this.#retired, ...this.#last.values()]
  }

  /** Stops all processes: what they do is finished, within the deadline. */
  async close(): Promise<void> {
    this.#isClosing = true
    clearInterval(this.#watch)
    for (const timer of this.#restarts) clearTimeout(timer)
    await Promise.all([...this.#children.keys()].map((child) => child.stop(stopTimeoutMs)))
    this.#stopListening()
    this.#sockets.closeAll()
    // A node that goes on without its processes, as one that could not listen, tells nobody.
    this.#dependencies.watchHead({ onMove: () => {}, beforeRevert: async () => {}, onReset: () => {} })
    this.#publisher.close()
  }

  /** One that is starting has told nobody anything, and reads the head when it has started. */
  async #sync(timeoutMs: number): Promise<void> {
    const ready = [...this.#children].filter(([, { isReady }]) => isReady)
    await Promise.all(ready.map(([child]) => child.sync(timeoutMs)))
  }

  #processOptions(): ServingOptions {
    const { processes, ...options } = this.#options
    return {
      ...options,
      jsonRpc: shareOf(options.jsonRpc, processes),
      keys: shareOfKeys(options.keys, processes),
    }
  }

  async #add(): Promise<void> {
    const startedAt = performance.now()
    const child: ServingChild = new ServingChild({
      ...this.#dependencies,
      onExit: () => this.#onExit(child, startedAt),
    })
    this.#children.set(child, { isReady: false })
    try {
      await child.request({ kind: 'start', options: this.#processOptions() })
      for (const opened of this.#sockets.opened) await listen(child, opened)
    } catch (error) {
      // Not left half started: its end brings the next one.
      child.kill()
      throw error
    }
    if (this.#children.has(child)) this.#children.set(child, { isReady: true })
  }

  #onExit(child: ServingChild, startedAt: number): void {
    this.#children.delete(child)
    const last = this.#last.get(child)
    this.#last.delete(child)
    const { log, clearStaleReaders } = this.#dependencies
    if (last !== undefined) void this.#retire(last)
    if (this.#isClosing) return
    clearStaleReaders()
    const isYoung = performance.now() - startedAt < youngMs
    this.#delayMs = isYoung ? Math.min(2 * this.#delayMs, maxDelayMs) : firstDelayMs
    this.#replaced++
    log.error({ pid: child.pid, delayMs: this.#delayMs }, 'a serving process has ended and is replaced')
    const timer = setTimeout(() => {
      this.#restarts.delete(timer)
      this.#add().catch((error: unknown) => log.error({ err: error }, 'a serving process could not start'))
    }, this.#delayMs)
    this.#restarts.add(timer)
  }

  /** Keeps what a process has counted: a total must not fall because it has ended. */
  async #retire(last: Metrics): Promise<void> {
    this.#retired = await addUp([this.#retired, counted(last)]).getMetricsAsJSON()
  }
}

const listen = async (
  child: ServingChild,
  { role, overrides, handle }: SharedSockets['opened'][number],
): Promise<void> => {
  await child.request({ kind: 'listen', role, overrides }, handle)
}

const withTimeout = async (work: Promise<unknown>, milliseconds: number): Promise<unknown> => {
  let timer: NodeJS.Timeout | undefined
  const timeout = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, milliseconds)
  })
  try {
    return await Promise.race([work.catch(() => undefined), timeout])
  } finally {
    clearTimeout(timer)
  }
}
