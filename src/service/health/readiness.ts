import type { Chain } from '../../chain/port/chain.ts'
import type { SyncProgress } from '../../chain/port/network.ts'
import { type Finding, unreadyReasons } from '../chain/findings.ts'
import type { ServedChain } from '../chain/servedChain.ts'
import type { BlockWatch } from './blockWatch.ts'

interface ReadinessOptions {
  /** How long no block may come before the chain counts as halted, in milliseconds; undefined: forever. */
  readonly haltedAfterMs: number | undefined
  /** Whether a chain whose blocks are made here at an interval has blocks without transactions. */
  readonly createEmptyBlocks: boolean
}

interface ReadinessDependencies {
  readonly served: Pick<ServedChain, 'engineStats' | 'findProblem'> & {
    readonly chain: Pick<Chain, 'mode' | 'network' | 'dev' | 'head'>
  }
  readonly blocks: Pick<BlockWatch, 'secondsSinceBlock'>
  /** Returns a monotonic time in milliseconds. */
  readonly now: () => number
}

/** How long the engine may take to tell how far it is. */
const engineTimeoutMs = 3_000
/** For how long a finding is reported again, because everybody may ask. */
const freshMs = 500
/** How many of its own pauses a chain with a steady pause may stand. */
const pausesUntilHalted = 3

/** Finds out whether a chain can be served from here, and if not, why. */
export class Readiness {
  #options: ReadinessOptions
  readonly #dependencies: ReadinessDependencies
  #isServing = false
  /** The pause between blocks as it was seen last, and since when it must be kept. */
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
    const failure = served.engineStats?.().failure
    if (failure !== undefined) found.push({ reason: 'engine', problem: failure })
    const sync = await this.#syncing()
    const problem = served.findProblem()
    if (problem !== undefined) found.push(problem)
    const isTold = found.some(({ reason }) => reason === 'engine')
    if (sync instanceof Error && !isTold) found.push({ reason: 'engine', problem: sync.message })
    if (sync !== undefined && !(sync instanceof Error))
      found.push({ reason: 'behind', problem: this.#describe(sync) })
    // A gateway that can ask nobody, or has not all blocks, does not know whether its chain stands.
    const isBlind = served.chain.mode === 'gateway' && (isTold || sync !== undefined)
    const halted = isBlind ? undefined : this.#findHalt()
    if (halted !== undefined) found.push({ reason: 'halted', problem: halted })
    return found.sort((a, b) => unreadyReasons.indexOf(a.reason) - unreadyReasons.indexOf(b.reason))
  }

  async #syncing(): Promise<SyncProgress | Error | undefined> {
    const { chain } = this.#dependencies.served
    const silence = chain.mode === 'gateway' ? 'no node of the chain answers' : 'CometBFT does not answer'
    let timer: NodeJS.Timeout | undefined
    const impatience = new Promise<Error>((resolve) => {
      const problem = `${silence} within ${engineTimeoutMs / 1000} seconds`
      timer = setTimeout(() => resolve(new Error(problem)), engineTimeoutMs)
    })
    try {
      const sync = await Promise.race([chain.network.syncing(), impatience])
      return sync !== undefined && 'isChainAway' in sync && sync.isChainAway ? new Error(silence) : sync
    } catch (error) {
      return new Error(`${silence}: ${(error as Error).message}`)
    } finally {
      clearTimeout(timer)
    }
  }

  #describe({ currentBlock, highestBlock }: SyncProgress): string {
    const isGateway = this.#dependencies.served.chain.mode === 'gateway'
    const who = isGateway ? 'gateway' : 'node'
    if (highestBlock > currentBlock)
      return `the ${who} is behind: it is at block ${currentBlock} of ${highestBlock}`
    return isGateway
      ? `the node of the chain that was asked is itself behind: the gateway is at block ${currentBlock}`
      : `the node is behind: it is at block ${currentBlock} and looks for the blocks of its peers`
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

/** Returns the pause between blocks, or 0 where it is not known; undefined if none must come. */
const findPause = (
  { mode, dev }: Pick<Chain, 'mode' | 'dev'>,
  createEmptyBlocks: boolean,
): number | undefined => {
  if (mode === 'cometbft' || mode === 'gateway') return 0
  const mining = dev?.miningMode()
  return mining?.kind === 'interval' && createEmptyBlocks ? mining.milliseconds : undefined
}
