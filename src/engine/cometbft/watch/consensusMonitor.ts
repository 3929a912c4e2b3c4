import type { Logger } from '../../../base/logging/log.ts'
import type { ConsensusState } from '../../../comet/data/replies.ts'
import type { EngineRpcClient } from '../rpcClient.ts'

interface MonitorOptions {
  /** How often the engine is asked, in milliseconds. */
  readonly pollMs: number
  /** How long the engine may be silent or stay at a height before it is suspected, in milliseconds. */
  readonly stalledMs: number
}

interface MonitorDependencies {
  readonly rpc: Pick<EngineRpcClient, 'status' | 'consensusState'>
  /** Returns whether the application is working on a call of the engine, for which the engine waits. */
  readonly isExecuting: () => boolean
  /** Returns a monotonic time in milliseconds. */
  readonly now: () => number
  readonly log: Logger
}

export const defaultMonitorOptions: MonitorOptions = { pollMs: 5_000, stalledMs: 20_000 }

/** CometBFT's number for the step in which a decided block is executed. */
const commitStep = 8

/**
 * Watches a CometBFT that the operator runs, whose log this process does not see. When its consensus panics, CometBFT
 * goes on answering and decides no block any more. That differs from a chain that waits for absent validators by what it
 * says of itself: it stays in the step after a decision, or behind its peers without catching up.
 */
export class ConsensusMonitor {
  readonly #options: MonitorOptions
  readonly #dependencies: MonitorDependencies
  readonly #timer: NodeJS.Timeout
  #height = -1
  #movedAt: number
  #answeredAt: number
  /** The suspicion of the previous poll; only the second in a row counts. */
  #suspicion: string | undefined
  #failure: string | undefined
  #isPolling = false

  constructor(options: MonitorOptions, dependencies: MonitorDependencies) {
    this.#options = options
    this.#dependencies = dependencies
    this.#movedAt = dependencies.now()
    this.#answeredAt = this.#movedAt
    this.#timer = setInterval(() => void this.poll(), options.pollMs)
    this.#timer.unref()
  }

  /** Why the engine decides no blocks; undefined if nothing is known to be wrong with it. */
  get failure(): string | undefined {
    return this.#failure
  }

  close(): void {
    clearInterval(this.#timer)
  }

  /** Asks the engine once. */
  async poll(): Promise<void> {
    if (this.#isPolling) return
    this.#isPolling = true
    try {
      const found = await this.#examine()
      const isConfirmed = found !== undefined && this.#suspicion !== undefined
      this.#suspicion = found
      if (found === undefined || isConfirmed) this.#report(found)
    } finally {
      this.#isPolling = false
    }
  }

  async #examine(): Promise<string | undefined> {
    const { rpc, isExecuting, now } = this.#dependencies
    const { stalledMs } = this.#options
    try {
      const { latestHeight: height, isCatchingUp } = await rpc.status()
      this.#answeredAt = now()
      if (height !== this.#height || isCatchingUp || isExecuting()) {
        this.#height = height
        this.#movedAt = this.#answeredAt
        return undefined
      }
      if (this.#answeredAt - this.#movedAt < stalledMs) return undefined
      return describeStall(await rpc.consensusState())
    } catch (error) {
      if (now() - this.#answeredAt < stalledMs) return undefined
      return `CometBFT does not answer: ${(error as Error).message}`
    }
  }

  #report(failure: string | undefined): void {
    const { log } = this.#dependencies
    if (failure !== undefined && this.#failure === undefined)
      log.error({ reason: failure }, 'no blocks are decided')
    if (failure === undefined && this.#failure !== undefined) log.info('CometBFT decides blocks again')
    this.#failure = failure
  }
}

/** Returns why an engine that stays at a height has failed; undefined if it may be waiting for other validators. */
const describeStall = ({ height, step, peerHeights }: ConsensusState): string | undefined => {
  const advice = 'its log says why (CONSENSUS FAILURE); restart it'
  if (step === commitStep)
    return `the consensus of CometBFT failed: it decided block ${height} and does not go on; ${advice}`
  const highest = Math.max(0, ...peerHeights)
  return highest > height + 1
    ? `the consensus of CometBFT failed: it stays at block ${height} while its peers are at ${highest}; ${advice}`
    : undefined
}
