import type { Chain } from '../../chain/port/chain.ts'
import type { SyncProgress } from '../../chain/port/network.ts'
import type { ServedChain } from '../servedChain.ts'
import type { BlockWatch } from './blockWatch.ts'
import { type Finding, unreadyReasons } from './findings.ts'

interface ReadinessOptions {
  /** How long no block may come before the chain counts as halted, in milliseconds; undefined for ever. */
  readonly haltedAfterMs: number | undefined
  /** Whether a chain whose blocks are made here at an interval has blocks without transactions. */
  readonly createEmptyBlocks: boolean
}

interface ReadinessDependencies {
  readonly served: Pick<ServedChain, 'engineStats' | 'gatewayStats' | 'findProblem'> & {
    readonly chain: Pick<Chain, 'mode' | 'network' | 'dev' | 'head'>
  }
  readonly blocks: Pick<BlockWatch, 'secondsSinceBlock'>
  /** Returns a monotonic time in milliseconds. */
  readonly now: () => number
}

/** How long the engine may take to tell how far it is. */
const engineTimeoutMs = 3_000
/** For how long a finding is told again, because everybody may ask. */
const freshMs = 500
/** How many of its own pauses a chain with a steady pause may stand. */
const pausesUntilHalted = 3

/** Finds out whether a chain can be served from here, and if not, why. */
export class Readiness {
  #options: ReadinessOptions
  readonly #dependencies: ReadinessDependencies
  #isServing = false
  /** The pause between blocks as it was seen last, and since when it has to be kept. */
  #pauseMs: number | undefined
  #pausedSince = Number.NEGATIVE_INFINITY
  #checkedAt = Number.NEGATIVE_INFINITY
  #checking: Promise<readonly Finding[]> | undefined

  constructor(options: ReadinessOptions, dependencies: ReadinessDependencies) {
    this.#options = options
    this.#dependencies = dependencies
    this.#pauseMs = findPause(dependencies.served.chain, options.createEmptyBlocks)
  }

  /** Sets whether the service is open, before and after which nothing is ready. */
  setServing(isServing: boolean): void {
    this.#isServing = isServing
    this.#checking = undefined
  }

  /** Sets how long no block may come. */
  setHaltedAfter(haltedAfterMs: number | undefined): void {
    this.#options = { ...this.#options, haltedAfterMs }
  }

  /** Returns why the node is not ready; empty if it is. */
  check(): Promise<readonly Finding[]> {
    const { now } = this.#dependencies
    if (this.#checking === undefined || now() - this.#checkedAt >= freshMs) {
      this.#checkedAt = now()
      this.#checking = this.#find()
    }
    return this.#checking
  }

  async #find(): Promise<readonly Finding[]> {
    const { served } = this.#dependencies
    const found: Finding[] = []
    if (!this.#isServing) found.push({ reason: 'starting', problem: 'the node is starting or stopping' })
    const failure = served.engineStats?.().failure ?? this.#findLostUpstreams()
    if (failure !== undefined) found.push({ reason: 'engine', problem: failure })
    const sync = await this.#syncing()
    if (sync instanceof Error && failure === undefined)
      found.push({ reason: 'engine', problem: sync.message })
    const problem = served.findProblem()
    if (problem !== undefined) found.push(problem)
    if (sync !== undefined && !(sync instanceof Error))
      found.push({ reason: 'behind', problem: describe(sync) })
    const halted = this.#findHalt()
    if (halted !== undefined) found.push({ reason: 'halted', problem: halted })
    return found.sort((a, b) => unreadyReasons.indexOf(a.reason) - unreadyReasons.indexOf(b.reason))
  }

  async #syncing(): Promise<SyncProgress | Error | undefined> {
    const { chain } = this.#dependencies.served
    let timer: NodeJS.Timeout | undefined
    const impatience = new Promise<Error>((resolve) => {
      const problem = `CometBFT does not answer within ${engineTimeoutMs / 1000} seconds`
      timer = setTimeout(() => resolve(new Error(problem)), engineTimeoutMs)
    })
    try {
      return await Promise.race([chain.network.syncing(), impatience])
    } catch (error) {
      return new Error(`CometBFT does not answer: ${(error as Error).message}`)
    } finally {
      clearTimeout(timer)
    }
  }

  #findLostUpstreams(): string | undefined {
    const upstreams = this.#dependencies.served.gatewayStats?.().upstreams
    const isLost = upstreams?.every(({ state }) => state === 'failing' || state === 'quarantined')
    return upstreams !== undefined && upstreams.length > 0 && isLost
      ? 'no node of the chain can be asked'
      : undefined
  }

  #findHalt(): string | undefined {
    const { haltedAfterMs, createEmptyBlocks } = this.#options
    const { served, blocks, now } = this.#dependencies
    const pauseMs = findPause(served.chain, createEmptyBlocks)
    // Before the mode of mining changed, no block had to come at this pace.
    if (pauseMs !== this.#pauseMs) this.#pausedSince = now()
    this.#pauseMs = pauseMs
    if (haltedAfterMs === undefined || pauseMs === undefined) return undefined
    const limit = Math.max(haltedAfterMs, pausesUntilHalted * pauseMs) / 1000
    const seconds = blocks.secondsSinceBlock()
    return Math.min(seconds, (now() - this.#pausedSince) / 1000) > limit
      ? `the chain stands: block ${served.chain.head().number} is the newest for ${Math.floor(seconds)} seconds, more than ${limit} (halted-after)`
      : undefined
  }
}

/** Returns the pause between blocks, or 0 where it is not known; undefined if none has to come. */
const findPause = (
  { mode, dev }: Pick<Chain, 'mode' | 'dev'>,
  createEmptyBlocks: boolean,
): number | undefined => {
  if (mode === 'cometbft' || mode === 'gateway') return 0
  const mining = dev?.miningMode()
  return mining?.kind === 'interval' && createEmptyBlocks ? mining.milliseconds : undefined
}

const describe = ({ currentBlock, highestBlock }: SyncProgress): string =>
  highestBlock > currentBlock
    ? `the node is behind: it is at block ${currentBlock} of ${highestBlock}`
    : `the node is behind: it is at block ${currentBlock} and looks for the blocks of its peers`
