import type { Registry } from 'prom-client'
import type { Events } from '../../chain/port/events.ts'
import type { ListenAddress } from '../../config/kinds/addresses.ts'
import type { HeadWitness } from '../../node/reading/headWitness.ts'
import type { ReloadedAccess } from '../../rpc/server.ts'
import type { ListenerRole } from '../../rpc/transport/listener.ts'
import type { TransportOverrides } from '../../rpc/transport/overrides.ts'
import { type ChildProcessDependencies, ServingChild } from './childProcess.ts'
import { HeadAnnouncer } from './head/headAnnouncer.ts'
import { HeadPublisher } from './head/headFile.ts'
import type { ServingOptions } from './messages.ts'
import { addUp, type ServingStats } from './metrics.ts'
import { encodeEvent } from './pipe/wire.ts'
import { SharedSockets } from './sharedSockets.ts'
import { applyReload, shareOf, shareOfKeys } from './shares.ts'
import { removeSpoolFolder, removeSpoolFolders } from './spoolFolders.ts'
import { ServingTotals } from './totals.ts'

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

/** How long a process may take to finish its work before blocks are removed; after that it is ended. */
const syncTimeoutMs = 10_000
/** How often the processes are asked whether they still answer, and how long they may take: a busy machine is slow. */
const watchIntervalMs = 15_000
const watchTimeoutMs = 60_000
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
  readonly #totals: ServingTotals
  readonly #announcer: HeadAnnouncer
  readonly #stopListening: () => void
  readonly #watch: NodeJS.Timeout
  readonly #restarts = new Set<NodeJS.Timeout>()
  #replaced = 0
  #delayMs = firstDelayMs
  #isClosing = false

  private constructor(options: ServingPoolOptions, dependencies: ServingPoolDependencies) {
    this.#options = options
    this.#dependencies = dependencies
    this.#totals = new ServingTotals(dependencies.log)
    this.#publisher = new HeadPublisher(options.headFile)
    this.#announcer = new HeadAnnouncer({
      publisher: this.#publisher,
      tell: (event) => {
        const bytes = encodeEvent(event)
        for (const child of this.#children.keys()) child.tell(bytes)
      },
      sync: () => this.#sync(syncTimeoutMs),
      onUnpublished: (error) => this.#onUnpublished(error),
    })
    dependencies.watchHead(this.#announcer)
    this.#stopListening = dependencies.events.onHead((change) => this.#announcer.onHead(change))
    this.#watch = setInterval(() => void this.#sync(watchTimeoutMs), watchIntervalMs)
    this.#watch.unref()
  }

  /** Starts the processes and has them listen where the settings say. If anything fails, none is left. */
  static async start(
    options: ServingPoolOptions,
    dependencies: ServingPoolDependencies,
  ): Promise<ServingPool> {
    removeSpoolFolders(options.home)
    const pool = new ServingPool(options, dependencies)
    try {
      // An address that is taken is reported at once.
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
      // Those that listen already must stop.
      this.unlisten(role)
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

  async reload(access: ReloadedAccess): Promise<void> {
    this.#options = applyReload(this.#options, access)
    const { jsonRpc, ...rest } = this.#processOptions()
    const requests = [...this.#children.keys()].map((child) =>
      child.request({ kind: 'reload', settings: jsonRpc, keys: rest.keys, tls: rest.tls }).catch(() => {}),
    )
    await Promise.all(requests)
  }

  /** Returns the metrics of the main process with those of all others added, and with what ended ones counted. */
  async addMetrics(registry: Registry): Promise<Registry> {
    await this.#totals.ask(this.#children)
    return addUp([await registry.getMetricsAsJSON(), ...this.#totals.all])
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

  /** A starting process has told nobody anything, and reads the head when it has started. */
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
    const child = this.#spawn()
    this.#children.set(child, { isReady: false })
    try {
      // It does one after the other, and what comes later in its turn: a reload, a transport that is started or stopped.
      await Promise.all([
        child.request({ kind: 'start', options: this.#processOptions() }),
        ...this.#sockets.opened.map((opened) => listen(child, opened)),
      ])
    } catch (error) {
      // Not left half started: its end brings the next one.
      child.kill()
      throw error
    }
    if (this.#children.has(child)) this.#children.set(child, { isReady: true })
  }

  /** Throws if there can be no process now; it is tried again later. */
  #spawn(): ServingChild {
    const startedAt = performance.now()
    try {
      this.#announcer.requirePublished()
      const child: ServingChild = new ServingChild({
        ...this.#dependencies,
        onExit: () => this.#onExit(child, startedAt),
      })
      return child
    } catch (error) {
      this.#addLater(true)
      throw error
    }
  }

  #onExit(child: ServingChild, startedAt: number): void {
    this.#children.delete(child)
    this.#totals.retire(child)
    this.#removeSpool(child)
    if (this.#isClosing) return
    const { log, clearStaleReaders } = this.#dependencies
    clearStaleReaders()
    this.#replaced++
    this.#addLater(performance.now() - startedAt < youngMs)
    log.error({ pid: child.pid, delayMs: this.#delayMs }, 'a serving process has ended and is replaced')
  }

  #removeSpool({ pid }: ServingChild): void {
    try {
      if (pid !== undefined) removeSpoolFolder(this.#options.home, pid)
    } catch (error) {
      this.#dependencies.log.warn({ err: error, pid }, 'the traces of an ended process cannot be removed')
    }
  }

  /** The next ones start when the head can be published again. Until then nobody answers, rather than of an old head. */
  #onUnpublished(error: unknown): void {
    this.#dependencies.log.error({ err: error }, 'the head cannot be published: serving processes are ended')
    for (const child of this.#children.keys()) child.kill()
  }

  /** Adds a process after a while, a longer one where the last one did not live long. */
  #addLater(isYoung: boolean): void {
    if (this.#isClosing) return
    const { log } = this.#dependencies
    this.#delayMs = isYoung ? Math.min(2 * this.#delayMs, maxDelayMs) : firstDelayMs
    const timer = setTimeout(() => {
      this.#restarts.delete(timer)
      this.#add().catch((error: unknown) => log.error({ err: error }, 'a serving process could not start'))
    }, this.#delayMs)
    this.#restarts.add(timer)
  }
}

const listen = async (
  child: ServingChild,
  { role, overrides, handle }: SharedSockets['opened'][number],
): Promise<void> => {
  await child.request({ kind: 'listen', role, overrides }, handle)
}
