import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Worker } from 'node:worker_threads'
import { withAnySignal } from '../../base/abort.ts'
import { serveBlocking } from '../../base/threads/blockingCall.ts'
import { refused, unavailable } from '../../chain/chainError.ts'
import type { Fork as HardFork } from '../../chain/config/forks.ts'
import { mainnetChainId, mainnetForkAt } from '../../chain/config/mainnetForks.ts'
import { GenesisConflictError } from '../../chain/genesis/conflicts.ts'
import type { ResetTarget } from '../../chain/port/fork.ts'
import type { ForkKey, ForkSource } from '../../chain/state/forkSource.ts'
import { assertHttpUrl, Fork } from '../../fork/fork.ts'
import { type ForkBlock, toForkBlockMessage } from '../../fork/forkBlock.ts'
import type { AskOptions, RemoteCounters } from '../../fork/remote/remoteClient.ts'
import type { ForkSettings, RemoteSettings } from '../../fork/settings.ts'
import { type LoadRequest, loadCall, type ThreadForkOptions } from '../../fork/threadSource.ts'
import { type ForkGenesisOptions, forkStartKeys } from '../application/forkGenesis.ts'
import type { GenesisSource } from '../application/service.ts'
import { describeFork, readStoredFork, type StoredFork } from './storedFork.ts'

/** How a chain for development may be forked from a remote one. */
export interface NodeForkOptions {
  /** The fork that the operator asks for; undefined for none, or for the one of the home. */
  readonly wanted: ForkSettings | undefined
  /** How every remote is asked, that of a later reset too. */
  readonly remote: Omit<RemoteSettings, 'url'>
  /** The folder of what was read of remotes; undefined for one beside the chain's data. */
  readonly cacheFolder: string | undefined
  /** How a forked chain begins, beside the block. */
  readonly genesis: Pick<ForkGenesisOptions, 'chainId' | 'accounts' | 'limits'> & {
    /** The rules that the operator asks for; undefined for those of the block on Ethereum's main network, elsewhere the newest. */
    readonly rules: HardFork | undefined
  }
}

export const toThreadOptions = ({ cachePath, number }: Fork): ThreadForkOptions => ({ cachePath, number })

/** Returns the rules of the blocks after a fork block. Only those of Ethereum's main network are known. */
const rulesOf = ({ chainId, header }: ForkBlock): HardFork =>
  chainId === mainnetChainId ? mainnetForkAt(header.number, header.timestamp) : 'osaka'

const failWhileChanging = (): never => {
  throw unavailable('the chain is being reset: ask again')
}

const changingSource: ForkSource = {
  number: 0,
  account: failWhileChanging,
  storage: failWhileChanging,
  code: failWhileChanging,
  blockHash: failWhileChanging,
  load: failWhileChanging,
}

/** The remote chain that the node's chain is forked from, which a reset may change. */
export class ForkHost {
  readonly #options: NodeForkOptions
  readonly #folder: string
  readonly #isDurable: boolean
  readonly #waits = new WeakMap<Worker, { readonly total: number; readonly since: number | undefined }>()
  /** Whether the pages of the data file were checked when the fork was looked for in it. */
  readonly isFileSound: boolean
  #current: Fork | undefined
  /** While the chain is started over: the fork that will be the current one, if any. */
  #change: { readonly next: Fork | undefined } | undefined
  /** Whether a reset waits for its turn. */
  #isLeaving = false
  readonly #closing = new AbortController()

  private constructor(options: NodeForkOptions, dataFolder: string, isFileSound: boolean) {
    this.#options = options
    this.isFileSound = isFileSound
    this.#folder = options.cacheFolder ?? join(dataFolder, 'forks')
    this.#isDurable = options.cacheFolder === undefined
  }

  /**
   * Opens the fork of the chain in a folder, or the one that the operator asks for if there is no chain yet. Throws a
   * `GenesisConflictError` if the two differ, and a `ChainError` if the remote cannot be used.
   */
  static async open(options: NodeForkOptions, dataFolder: string): Promise<ForkHost> {
    const path = join(dataFolder, 'chain.mdb')
    const { stored, isSound } = existsSync(path)
      ? await readStoredFork(path)
      : { stored: undefined, isSound: false }
    const host = new ForkHost(options, dataFolder, isSound)
    if (stored === 'local' && options.wanted !== undefined)
      throw new GenesisConflictError(
        'fork-url: the home has a chain that is not forked: give another home, or leave fork-url out',
      )
    host.#current =
      stored === undefined || stored === 'local'
        ? options.wanted && (await host.#openFork(options.wanted))
        : await host.#reopen(stored)
    return host
  }

  /** Opens the fork of a home again. The remote is asked nothing, unless it is another one than before. */
  async #reopen(stored: StoredFork): Promise<Fork> {
    const { wanted, remote } = this.#options
    const number = Number(stored.block.header.number)
    if (wanted?.block !== undefined && wanted.block >= 0 && wanted.block !== number)
      throw new GenesisConflictError(
        `fork-block: the chain of this home is forked at block ${number}, not ${wanted.block}: give another home`,
      )
    const url = wanted?.url ?? stored.url
    return Fork.open({
      settings: { ...remote, url, block: number },
      folder: this.#folder,
      cacheUrl: stored.url,
      isDurable: this.#isDurable,
      known: stored.block,
      confirms: url !== stored.url,
    })
  }

  /** Opens a fork with which a chain can begin: all that it needs for that is there. */
  async #openFork(settings: ForkSettings, ask?: AskOptions): Promise<Fork> {
    const fork = await Fork.open({
      settings,
      folder: this.#folder,
      cacheUrl: settings.url,
      isDurable: this.#isDurable,
      known: undefined,
      confirms: false,
      ask,
    })
    const giveUp = (): void => fork.abort()
    ask?.signal?.addEventListener('abort', giveUp)
    try {
      if (ask?.signal?.aborted === true) fork.abort()
      const { accounts, rules = rulesOf(fork.block) } = this.#options.genesis
      await fork.load(forkStartKeys({ accounts, rules }))
      return fork
    } catch (error) {
      await fork.close()
      throw error
    } finally {
      ask?.signal?.removeEventListener('abort', giveUp)
    }
  }

  get current(): Fork | undefined {
    return this.#current
  }

  /** The state of the remote for this thread, which does not wait for it. */
  readonly source = (): ForkSource | undefined =>
    this.#change === undefined ? this.#current?.source : changingSource

  get threadOptions(): ThreadForkOptions | undefined {
    return this.#current && toThreadOptions(this.#current)
  }

  get counters(): RemoteCounters {
    return this.#current?.counters ?? { calls: 0, bodies: 0, retries: 0 }
  }

  /** Fetches values of the chain of now, so that this thread can read them. */
  async load(keys: readonly ForkKey[]): Promise<void> {
    if (this.#change !== undefined) failWhileChanging()
    await this.#current?.load(keys)
  }

  /** Returns the fork whose values a thread reads from a file. */
  #forkOf(cachePath: string): Fork {
    const forks = [this.#change?.next, this.#isLeaving ? undefined : this.#current]
    return forks.find((fork) => fork?.cachePath === cachePath) ?? failWhileChanging()
  }

  /** Fetches what a worker waits for. */
  readonly serve = (worker: Worker): void => {
    serveBlocking(worker, loadCall, async ({ cachePath, keys }: LoadRequest) => {
      const start = performance.now()
      const { total } = this.#waits.get(worker) ?? { total: 0 }
      this.#waits.set(worker, { total, since: start })
      try {
        await this.#forkOf(cachePath).load(keys)
      } finally {
        this.#waits.set(worker, { total: total + performance.now() - start, since: undefined })
      }
    })
  }

  /** Returns how long a worker has waited for the remote so far, in milliseconds. */
  readonly waitedMs = (worker: Worker): number => {
    const { total, since } = this.#waits.get(worker) ?? { total: 0, since: undefined }
    return since === undefined ? total : total + performance.now() - since
  }

  /** Returns how a chain begins that is forked from there. */
  toGenesis(fork: Fork): GenesisSource {
    const { block, settings } = fork
    const { rules = rulesOf(block), ...genesis } = this.#options.genesis
    const description = describeFork({ url: settings.url, block })
    return { kind: 'fork', options: { ...genesis, rules, block: toForkBlockMessage(block), description } }
  }

  /**
   * Opens what a reset names; the current fork stays until `change`. A remote that cannot be used is reported at once: somebody
   * waits for the response, and nothing is done once he has gone.
   */
  async openTarget(
    target: Exclude<ResetTarget, { readonly kind: 'start' }>,
    signal: AbortSignal,
  ): Promise<Fork | undefined> {
    if (target.kind === 'local') return undefined
    const { remote } = this.#options
    const url = target.url ?? this.#current?.settings.url
    if (url === undefined) throw refused('the chain is not forked: name the remote with jsonRpcUrl')
    assertHttpUrl(url)
    // The headers are for the remote that the operator named.
    const isKnown = url === this.#current?.settings.url || url === this.#options.wanted?.url
    const settings = { ...remote, headers: isKnown ? remote.headers : {}, url, block: target.block }
    return withAnySignal([signal, this.#closing.signal], (ended) =>
      this.#openFork(settings, { signal: ended, takesErrors: true, isPrompt: true }),
    )
  }

  /** Ends the requests of threads for values of the current fork, and rejects further ones until the reset has ended. */
  leave(): void {
    this.#isLeaving = true
    this.#current?.interrupt()
  }

  /** Ends a reset, whether it has begun another chain or not. */
  async endReset(next: Fork | undefined): Promise<void> {
    this.#isLeaving = false
    if (this.#current !== next) await next?.close()
  }

  /**
   * Makes another fork the current one, or none. While `begin` begins the new chain nothing of either can be read here;
   * `onBegun` is called as soon as the new one can be.
   */
  async change(next: Fork | undefined, begin: () => Promise<void>, onBegun: () => void): Promise<void> {
    const before = this.#current
    this.#change = { next }
    try {
      await begin()
      this.#current = next
    } finally {
      this.#change = undefined
    }
    try {
      onBegun()
    } finally {
      await before?.close()
    }
  }

  /** Ends all requests that are under way; there will be no further ones. */
  abort(): void {
    this.#closing.abort()
    this.#change?.next?.abort()
    this.#current?.abort()
  }

  async close(): Promise<void> {
    await this.#current?.close()
  }
}
